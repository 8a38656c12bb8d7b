// Tested by test/core/endpoint.test.ts, test/core/weights.test.ts and test/core/host.test.ts

import { transmissionNs } from '../base/time.js';
import { flags } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { CreditRequest } from '../wire/frames.js';
import { meanCreditWireBytes, RequestFlag, wireBytes } from '../wire/layout.js';
import type { Application, CreditChoice } from './application.js';
import { type EndpointConfig, UNLIMITED_MAX_RATE_BPS } from './config.js';
import type { FlowContext } from './context.js';
import type { CreditLink } from './credit/algorithm.js';
import { type CreditAlgorithmMaker, creditAlgorithmMaker, takesWeights } from './credit/registry.js';
import { CreditedReceiver } from './credited-receiver.js';
import { CreditedSender } from './credited-sender.js';
import type { FlowWriter } from './flow-callbacks.js';
import { type ShareOptions, shareTerms } from './flow-terms.js';
import { ReactiveReceiver } from './reactive-receiver.js';
import { ReactiveSender } from './reactive-sender.js';
import type { ReceiverFlow, ReceiverOptions } from './receiver-flow.js';
import type { SenderFlow } from './sender-flow.js';
import type { WindowAlgorithm, WindowLink } from './window/algorithm.js';
import { windowAlgorithm } from './window/registry.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The host's link as the algorithms of its flows see it. Its rate may change while they run: they keep these objects. */
export class HostLink {
  readonly credit: CreditLink;
  readonly window: WindowLink;

  constructor(config: Pick<EndpointConfig, 'rateBps' | 'frameBytes' | 'sealBytes' | 'catchUpNs'>) {
    const { rateBps, frameBytes, sealBytes, catchUpNs } = config;
    const maxRateBps = Math.min(rateBps, UNLIMITED_MAX_RATE_BPS);
    const frameWireBytes = wireBytes(frameBytes + sealBytes);
    this.credit = { maxRateBps, bytesPerCredit: meanCreditWireBytes(sealBytes > 0) + frameWireBytes };
    this.window = { maxRateBps, frameWireBytes, latenessNs: catchUpNs };
  }

  /** Time that a credit and its data take on the link, ns. */
  get creditNs(): number {
    return transmissionNs(this.credit.bytesPerCredit, this.credit.maxRateBps);
  }

  get hasRate(): boolean {
    return this.credit.maxRateBps < UNLIMITED_MAX_RATE_BPS;
  }

  setRate(rateBps: number): void {
    const maxRateBps = Math.min(rateBps, UNLIMITED_MAX_RATE_BPS);
    (this.credit as Writable<CreditLink>).maxRateBps = maxRateBps;
    (this.window as Writable<WindowLink>).maxRateBps = maxRateBps;
  }
}

/** The window algorithm that a flow is opened with. */
export interface WindowChoice {
  /** Name in the registry of core/window, or '' for a flow with credits; the endpoint's own if absent. */
  windowAlgorithm?: string;
  /** Parameters of that algorithm by their names; those of the endpoint if absent and the algorithm is its own. */
  windowParameters?: Readonly<Record<string, number>>;
}

export interface OpenOptions extends WindowChoice, ShareOptions {
  /** A flow of the opposite direction that the new one answers. PROTOCOL §6.1 */
  pairedFlowId?: number;
  /** The new flow is one direction of a stream: its receiver is asked to open the other direction, which names this one as its pair. PROTOCOL §6.1 */
  isDuplex?: boolean;
}

/** Makes the flows of one endpoint, with their algorithms: those that its application opens and those that peers open. */
export class FlowFactory {
  private readonly context: FlowContext;
  private readonly link: HostLink;
  private readonly application: Application;
  private readonly newUsual: CreditAlgorithmMaker;

  /** Throws XpassError `config` for an unknown algorithm or parameter of the endpoint's. */
  constructor(context: FlowContext, link: HostLink, application: Application) {
    this.context = context;
    this.link = link;
    this.application = application;
    const { config, records } = context;
    const { creditAlgorithm: name, creditParameters: parameters } = config;
    this.newUsual = creditAlgorithmMaker(name, link.credit, parameters, records.algorithms);
    this.window({});
  }

  /** A flow that the application opens; `sit` is called once nothing is wrong with the options. Throws XpassError `config`. */
  sender(writer: FlowWriter, options: OpenOptions, sit: () => ReceiverOptions, nowNs: number): SenderFlow {
    const { context } = this;
    const algorithm = this.window(options);
    const algorithmName = options.windowAlgorithm ?? context.config.windowAlgorithm;
    const share = shareTerms(options, algorithm !== null);
    const { pairedFlowId = 0, isDuplex = false } = options;
    const terms = { ...sit(), frameBytes: context.config.frameBytes, pairedFlowId, isDuplex, ...share };
    return algorithm === null
      ? new CreditedSender(context, writer, { ...terms, isReactive: false }, nowNs)
      : new ReactiveSender(context, writer, { ...terms, isReactive: true, algorithm, algorithmName }, nowNs);
  }

  /** The flow that a peer's request opens; null where its weight is not honoured: ResetCode.weight. PROTOCOL §4.9 */
  receiver(request: Frame, sit: () => ReceiverOptions, nowNs: number): ReceiverFlow | null {
    const { context } = this;
    const { bytes, peer } = request;
    if ((flags(bytes) & RequestFlag.reactive) !== 0) return new ReactiveReceiver(context, sit(), nowNs);
    const weight = this.allowedWeight(CreditRequest.read.weight(bytes));
    const choice = this.application.creditChoice?.(peer, CreditRequest.read.pairedFlowId(bytes)) ?? null;
    const algorithmName = choice?.name ?? context.config.creditAlgorithm;
    if (weight > 1 && !takesWeights(algorithmName)) return null;
    const terms = { algorithm: this.credit(choice, weight), algorithmName, link: this.link.credit };
    const firstSequence = context.random.uint32();
    return new CreditedReceiver(context, { ...sit(), ...terms, firstSequence }, nowNs);
  }

  /** Null: the endpoint's own algorithm. */
  private credit(choice: CreditChoice | null, weight: number) {
    if (choice === null) return this.newUsual(weight);
    const { algorithms } = this.context.records;
    return creditAlgorithmMaker(choice.name, this.link.credit, choice.parameters, algorithms)(weight);
  }

  /** Null for a flow with credits. */
  private window(choice: WindowChoice): WindowAlgorithm | null {
    const { windowAlgorithm: usual, windowParameters: usualParameters } = this.context.config;
    const name = choice.windowAlgorithm ?? usual;
    if (name === '') return null;
    const parameters = choice.windowParameters ?? (name === usual ? usualParameters : {});
    return windowAlgorithm(name, this.link.window, parameters);
  }

  private allowedWeight(weight: number): number {
    const { config, counters } = this.context;
    if (weight <= config.maxWeight) return weight;
    counters.weightsLimited++;
    return config.maxWeight;
  }
}
