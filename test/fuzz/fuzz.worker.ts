import { parentPort, workerData } from 'node:worker_threads';
import { readCorpus, writeCorpus } from './engine/corpus.js';
import { Explorer } from './engine/explorer.js';
import type { Target } from './engine/target.js';
import { failureOf, shrink } from './engine/trial.js';
import { TARGETS, targetNamed } from './targets.js';

/** What fuzz.mjs asks one worker for. */
interface Order {
  readonly name: string;
  readonly seconds: number;
  readonly seed: number;
  readonly isBlind: boolean;
  readonly corpus: string;
  /** Write what was found into the corpus. */
  readonly isUpdate: boolean;
  /** One input alone. */
  readonly replay: Uint8Array | null;
  /** Length and bytes of the input that runs: who watches can read it when this thread does not answer any more. */
  readonly running: SharedArrayBuffer;
}

/** Of one target in the repository. */
const MOST_CORPUS_BYTES = 8_000;
const REPORT_MS = 10_000;
/** Between looks at the clock and turns of the event loop. */
const BATCH = 64;

/** Runs one target. */
class Worker {
  private readonly order: Order;
  private readonly target: Target;
  private readonly lengths: Int32Array;
  private readonly buffer: Uint8Array;
  private last = new Uint8Array(0);

  constructor(order: Order, target: Target) {
    this.order = order;
    this.target = target;
    this.lengths = new Int32Array(order.running, 0, 2);
    this.buffer = new Uint8Array(order.running, 8);
  }

  async replay(input: Uint8Array): Promise<void> {
    this.show(input);
    const error = await failureOf(this.target, input);
    if (error !== null) tellFailure(input, error);
  }

  async fuzz(): Promise<void> {
    const { seed, isBlind, corpus, isUpdate } = this.order;
    const explorer = new Explorer({
      target: this.target,
      counters: globalThis.xpassEdges!,
      seed,
      isBlind,
      onInput: (input) => this.show(input),
    });
    try {
      await this.explore(explorer);
    } catch (error) {
      await this.tellSmaller(error as Error);
      return;
    }
    if (isUpdate) writeCorpus(corpus, await explorer.smallestCorpus(MOST_CORPUS_BYTES));
  }

  private async explore(explorer: Explorer): Promise<void> {
    const { corpus, seconds } = this.order;
    const startMs = performance.now();
    let nextMs = startMs + REPORT_MS;
    await explorer.begin([...readCorpus(corpus), ...this.target.seeds()]);
    for (let nowMs = startMs; nowMs < startMs + seconds * 1e3; nowMs = performance.now()) {
      for (let run = 0; run < BATCH; run++) await explorer.step();
      await new Promise((resolve) => setImmediate(resolve));
      if (nowMs < nextMs) continue;
      nextMs += REPORT_MS;
      report(explorer, startMs, 'progress');
    }
    report(explorer, startMs, 'done');
  }

  /** What fails alone fails in less; what does not has needed the inputs before it. */
  private async tellSmaller(error: Error): Promise<void> {
    const input = this.last;
    if ((await failureOf(this.target, input)) === null) {
      tellFailure(input, new Error(`only after other inputs of this seed: ${error.message}`, { cause: error }));
      return;
    }
    const small = await shrink(this.target, input);
    tellFailure(small, (await failureOf(this.target, small)) ?? error);
  }

  private show(input: Uint8Array): void {
    this.last = input.slice();
    this.buffer.set(input.subarray(0, this.buffer.length));
    Atomics.store(this.lengths, 0, input.length);
    Atomics.add(this.lengths, 1, 1);
  }
}

function tellFailure(input: Uint8Array, error: Error): void {
  port.postMessage({ kind: 'failed', input, message: error.stack ?? error.message });
}

function report(explorer: Explorer, startMs: number, kind: 'progress' | 'done'): void {
  const seconds = (performance.now() - startMs) / 1e3;
  const { executions, kept, coverage } = explorer;
  port.postMessage({ kind, executions, kept, edges: coverage.edges, perSecond: Math.round(executions / seconds) });
}

const port = parentPort!;
const order = workerData as Order | null;
if (order === null) port.postMessage(TARGETS.map(({ name }) => name));
else {
  const worker = new Worker(order, targetNamed(order.name));
  await (order.replay === null ? worker.fuzz() : worker.replay(order.replay));
}
