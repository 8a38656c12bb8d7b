// Tested by test/sim/simulate.test.ts
import type { Agenda } from '../agenda.js';
import type { FlowRun } from '../flow-run.js';
import type { TrafficPlayer } from '../traffic-player.js';
import { jainIndex } from './jain.js';

/** Jain's index over windows of one length, averaged over the windows in which two flows or more lasted from beginning to end. */
class FairnessWindows {
  readonly windowNs: number;
  private readonly mark: number;
  private readonly player: TrafficPlayer;
  private startNs = 0;
  private sum = 0;
  private count = 0;

  constructor(windowNs: number, mark: number, player: TrafficPlayer) {
    this.windowNs = windowNs;
    this.mark = mark;
    this.player = player;
  }

  get mean(): number | null {
    return this.count === 0 ? null : this.sum / this.count;
  }

  begin(agenda: Agenda, nowNs: number): void {
    this.startNs = nowNs;
    for (const run of this.player.active) run.marks[this.mark] = run.deliveredBytes;
    agenda.at(nowNs + this.windowNs, (endNs) => {
      this.close();
      this.begin(agenda, endNs);
    });
  }

  private close(): void {
    const shares = this.player.active
      .filter((run) => this.lasted(run))
      .map((run) => run.deliveredBytes - run.marks[this.mark]);
    if (shares.length < 2) return;
    const index = jainIndex(shares);
    // A window in which nothing arrived anywhere says nothing about shares.
    if (Number.isNaN(index)) return;
    this.sum += index;
    this.count++;
  }

  private lasted({ startNs }: FlowRun): boolean {
    return startNs <= this.startNs;
  }
}

/** Fairness among the flows that are active, over windows of several lengths at once. */
export class Fairness {
  private readonly windows: readonly FairnessWindows[];

  /** Uses `marks[0]` to `marks[windowsNs.length - 1]` of the flows. */
  constructor(windowsNs: readonly number[], player: TrafficPlayer) {
    this.windows = windowsNs.map((windowNs, mark) => new FairnessWindows(windowNs, mark, player));
  }

  /** The first windows begin now. */
  begin(agenda: Agenda, nowNs: number): void {
    for (const window of this.windows) window.begin(agenda, nowNs);
  }

  get result(): { windowNs: number; jain: number | null }[] {
    return this.windows.map(({ windowNs, mean }) => ({ windowNs, jain: mean }));
  }
}
