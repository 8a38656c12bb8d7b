// Tested by test/sim/simulate.test.ts
import type { Agenda } from '../agenda.js';
import type { FlowRun } from '../flow-run.js';
import type { TrafficPlayer } from '../traffic-player.js';
import { jainOf } from './jain.js';

/** Sums over the flows of one window, in one part of a world. They are exact, so the order of flows does not matter. */
export interface WindowSums {
  readonly flows: number;
  readonly bytes: number;
  readonly squares: bigint;
}

/** The mean of Jain's index over windows in which two flows or more lasted. */
export class MeanJain {
  private sum = 0;
  private count = 0;

  add(window: WindowSums): void {
    // A window in which nothing arrived anywhere says nothing about shares.
    if (window.flows < 2 || window.bytes === 0) return;
    this.sum += jainOf(window.flows, window.bytes, Number(window.squares));
    this.count++;
  }

  /** null without any. */
  get value(): number | null {
    return this.count === 0 ? null : this.sum / this.count;
  }
}

/** Jain's index over windows of one length, averaged over the windows in which two flows or more lasted from beginning to end. */
class FairnessWindows {
  readonly windowNs: number;
  private readonly player: TrafficPlayer;
  /** By id of the flow: what it had delivered when the window began. */
  private readonly deliveredBytes: Float64Array;
  private startNs = 0;
  readonly mean = new MeanJain();
  /** null unless asked for. */
  readonly kept: WindowSums[] | null;

  constructor(windowNs: number, player: TrafficPlayer, keeps: boolean) {
    this.windowNs = windowNs;
    this.player = player;
    this.deliveredBytes = new Float64Array(player.runs.length);
    this.kept = keeps ? [] : null;
  }

  begin(agenda: Agenda, nowNs: number): void {
    this.startNs = nowNs;
    for (const run of this.player.active) this.deliveredBytes[run.plan.id] = run.deliveredBytes;
    agenda.at(nowNs + this.windowNs, (endNs) => {
      this.close();
      this.begin(agenda, endNs);
    });
  }

  private close(): void {
    let [flows, bytes, squares] = [0, 0, 0n];
    for (const run of this.player.active) {
      if (!this.lasted(run)) continue;
      const share = run.deliveredBytes - this.deliveredBytes[run.plan.id];
      flows++;
      bytes += share;
      squares += BigInt(share) ** 2n;
    }
    const sums = { flows, bytes, squares };
    this.mean.add(sums);
    this.kept?.push(sums);
  }

  private lasted({ startNs }: FlowRun): boolean {
    return startNs <= this.startNs;
  }
}

/** Fairness among the flows that are active, over windows of several lengths at once. */
export class Fairness {
  private readonly windows: readonly FairnessWindows[];

  /** With `keeps` the sums of each window stay. */
  constructor(windowsNs: readonly number[], player: TrafficPlayer, keeps: boolean) {
    this.windows = windowsNs.map((windowNs) => new FairnessWindows(windowNs, player, keeps));
  }

  /** The first windows begin now. */
  begin(agenda: Agenda, nowNs: number): void {
    for (const window of this.windows) window.begin(agenda, nowNs);
  }

  /** By length of window; empty unless they are kept. */
  get sums(): readonly (readonly WindowSums[])[] {
    return this.windows.map(({ kept }) => kept ?? []);
  }

  get result(): { windowNs: number; jain: number | null }[] {
    return this.windows.map(({ windowNs, mean }) => ({ windowNs, jain: mean.value }));
  }
}
