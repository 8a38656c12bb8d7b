import { SeededRandom } from '../../../src/base/random.js';
import { type Measured, smallest } from './corpus.js';
import { Coverage, type EdgeCounters } from './edges.js';
import { Mutator } from './mutate.js';
import { bytesOf, type Target } from './target.js';
import { MAX_BYTES, tryInput } from './trial.js';

/** Newest and first inputs that are built upon more often than others (ours). */
const FEW = 16;

export interface ExplorerOptions {
  readonly target: Target;
  readonly counters: EdgeCounters;
  readonly seed: number;
  /** Without guidance: what is found is not built upon. For comparison. */
  readonly isBlind: boolean;
  /** Called before each input is run, so that one that never ends is known. */
  onInput(input: Uint8Array): void;
}

/** Looks for inputs that reach what none has reached: changes those that did, and keeps what does again. */
export class Explorer {
  readonly coverage: Coverage;
  executions = 0;
  private readonly options: ExplorerOptions;
  private readonly mutator: Mutator;
  private readonly pool: Uint8Array[] = [];

  constructor(options: ExplorerOptions) {
    const { target, seed, counters } = options;
    this.options = options;
    this.coverage = new Coverage(counters);
    const words = (target.words ?? []).map(bytesOf);
    this.mutator = new Mutator(new SeededRandom(seed), words, target.maxBytes ?? MAX_BYTES);
  }

  get kept(): number {
    return this.pool.length;
  }

  /** Inputs to build upon. Throws what the first that fails throws. */
  async begin(inputs: readonly Uint8Array[]): Promise<void> {
    for (const input of inputs) if ((await this.run(input)) || this.options.isBlind) this.pool.push(input);
    if (this.pool.length === 0) this.pool.push(new Uint8Array(0));
  }

  /** One input more; throws what it breaks. */
  async step(): Promise<void> {
    const { mutator } = this;
    const input = mutator.mutate(this.parent(), mutator.pick(this.pool));
    if ((await this.run(input)) && !this.options.isBlind) this.pool.push(input);
  }

  /** The fewest bytes that reach all that was reached. */
  async smallestCorpus(mostBytes: number): Promise<Uint8Array[]> {
    const measured: Measured[] = [];
    for (const input of this.pool) {
      await this.run(input);
      measured.push({ input, features: this.coverage.features() });
    }
    return smallest(measured, mostBytes);
  }

  /** Any, or one of the newest, which nobody has built upon, or one of the first, which are as in real life. */
  private parent(): Uint8Array {
    const { mutator, pool } = this;
    const last = pool.length - 1;
    const choices = [
      mutator.below(pool.length),
      Math.max(0, last - mutator.below(FEW)),
      Math.min(last, mutator.below(FEW)),
    ];
    return pool[mutator.pick(choices)]!;
  }

  private async run(input: Uint8Array): Promise<boolean> {
    this.options.onInput(input);
    this.coverage.clear();
    this.executions++;
    await tryInput(this.options.target, input);
    return this.coverage.learn();
  }
}
