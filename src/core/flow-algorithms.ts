// Tested by test/core/endpoint.test.ts and test/core/weights.test.ts
import { ParameterError } from '../base/parameters.js';
import type { RecordArena } from '../base/record-arena.js';
import type { CreditChoice } from './application.js';
import type { EndpointConfig } from './config.js';
import type { CreditAlgorithm } from './credit/algorithm.js';
import { type CreditAlgorithmMaker, creditAlgorithmMaker, takesWeights } from './credit/registry.js';
import { XpassError } from './errors.js';
import type { HostLink } from './host-link.js';
import type { WindowAlgorithm } from './window/algorithm.js';
import { windowAlgorithm } from './window/registry.js';

/** The window algorithm that a flow is opened with. */
export interface WindowChoice {
  /** Name in the registry of core/window, or '' for a flow with credits; the endpoint's own if absent. */
  windowAlgorithm?: string;
  /** Parameters of that algorithm by their names; those of the endpoint if absent, where the algorithm is its own. */
  windowParameters?: Readonly<Record<string, number>>;
}

/** Makes the algorithms of one endpoint's flows: of credits for those that it receives, of windows for those that it opens. */
export class FlowAlgorithms {
  private readonly config: EndpointConfig;
  private readonly link: HostLink;
  private readonly records: RecordArena;
  private readonly newUsual: CreditAlgorithmMaker;

  /** Throws XpassError `config` for an unknown algorithm or parameter. */
  constructor(config: EndpointConfig, link: HostLink, records: RecordArena) {
    this.config = config;
    this.link = link;
    this.records = records;
    const { creditAlgorithm: name, creditParameters: parameters } = config;
    this.newUsual = orConfigError(() => creditAlgorithmMaker(name, link.credit, parameters, records));
    this.window({});
  }

  /** Whether a flow of this weight gets its share by the algorithm; null: the endpoint's own. */
  honours(choice: CreditChoice | null, weight: number): boolean {
    return weight === 1 || takesWeights(choice?.name ?? this.config.creditAlgorithm);
  }

  /** For a flow of this weight; null: the endpoint's own algorithm. */
  credit(choice: CreditChoice | null, weight: number): CreditAlgorithm {
    if (choice === null) return this.newUsual(weight);
    return creditAlgorithmMaker(choice.name, this.link.credit, choice.parameters, this.records)(weight);
  }

  /** Null for a flow with credits. */
  window(choice: WindowChoice): WindowAlgorithm | null {
    const { windowAlgorithm: usual, windowParameters: usualParameters } = this.config;
    const name = choice.windowAlgorithm ?? usual;
    if (name === '') return null;
    const parameters = choice.windowParameters ?? (name === usual ? usualParameters : {});
    return orConfigError(() => windowAlgorithm(name, this.link.window, parameters));
  }
}

/** What `make` makes; what is wrong with its parameters as an XpassError. */
function orConfigError<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof ParameterError) throw new XpassError('config', error.message);
    throw error;
  }
}
