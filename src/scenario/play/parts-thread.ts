// Tested by test/loopback/sim.test.ts
import { exchangeMemory } from '../../sim/parts/exchange.js';
import { inTurns } from '../../sim/parts/in-turns.js';
import { merge } from '../../sim/parts/merge.js';
import { OnlyWhole } from '../../sim/parts/only-whole.js';
import { checkedPartition } from '../../sim/parts/part.js';
import type { SimulationResult } from '../../sim/result.js';
import { IS_COMPILED } from './package-files.js';
import type { PlayAnswer, PlayError, PlayRequest } from './play.js';
import { type PartAnswer, type PartRequest, playPart } from './play-part.js';
import { type SimulationThread, startSimulation } from './simulation-thread.js';
import { startThread, type Thread } from './threads.js';

/** Plays one scenario on several threads. If it cannot be cut, one thread plays it and the answer says why. */
export class PartsThread implements SimulationThread {
  private readonly parts: number;
  private threads: readonly Thread<PartRequest, PartAnswer>[] = [];
  private readonly whole: SimulationThread;

  constructor(parts: number, startWhole: () => SimulationThread = startSimulation) {
    this.parts = parts;
    this.whole = startWhole();
  }

  get isOver(): boolean {
    return this.whole.isOver || this.threads.some(({ isOver }) => isOver);
  }

  async ask(request: PlayRequest): Promise<PlayAnswer> {
    const startMs = performance.now();
    try {
      if (request.watch !== undefined) throw new OnlyWhole('it is captured');
      const answer = IS_COMPILED ? await this.inParts(request) : inTurns(request.scenario, this.parts);
      if ('error' in answer) return answer;
      return { run: { result: answer, series: null }, wallS: (performance.now() - startMs) / 1000 };
    } catch (error) {
      if (!(error instanceof OnlyWhole)) throw error;
      const answer = await this.whole.ask(request);
      return 'error' in answer ? answer : { ...answer, said: [...(answer.said ?? []), inOneThread(error)] };
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.whole, ...this.threads].map((thread) => thread.stop()));
  }

  /** Throws OnlyWhole. */
  private async inParts({
    scenario,
    progress,
  }: PlayRequest): Promise<SimulationResult | { readonly error: PlayError }> {
    const partition = checkedPartition(scenario, this.parts);
    const memory = exchangeMemory(this.parts);
    this.threads = startParts(this.parts);
    const answers = await Promise.all(
      this.threads.map((thread, part) => thread.ask({ scenario, partition, part, memory, progress })),
    );
    for (const answer of answers) if ('error' in answer) return answer;
    for (const answer of answers) if ('whole' in answer) throw new OnlyWhole(answer.whole);
    return merge(
      scenario,
      partition,
      answers.flatMap((answer) => ('run' in answer ? [answer.run] : [])),
    );
  }
}

function startParts(parts: number): Thread<PartRequest, PartAnswer>[] {
  return Array.from({ length: parts }, () => startThread('scenario/play/part.worker', playPart));
}

function inOneThread({ message }: OnlyWhole): string {
  return `played in one thread: ${message}`;
}
