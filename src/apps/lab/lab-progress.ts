import { displayDuration } from '../../base/display.js';
import { LiveRegion, progressBar, type TerminalShape } from '../../report/terminal.js';
import type { Scenario } from '../../sim/scenario.js';

/** What a lab does now. */
export type LabPhase = 'starting' | 'waiting' | 'rehearsing' | 'running';

const BAR_WIDTH = 30;
/** As often as an eye follows (ours). */
const DRAW_MS = 100;

/** How far a lab is, on a terminal. */
export class LabProgress {
  private readonly region: LiveRegion;
  private readonly scenario: Pick<Scenario, 'name' | 'durationNs'>;
  private timer: NodeJS.Timeout | undefined;

  constructor(terminal: NodeJS.WritableStream & TerminalShape, scenario: Pick<Scenario, 'name' | 'durationNs'>) {
    this.region = new LiveRegion(terminal);
    this.scenario = scenario;
  }

  /** From now on the lab is in this phase; `run` says how far it is in its run, ns. */
  show(phase: LabPhase, run: { readonly nowNs: number } | null): void {
    clearInterval(this.timer);
    this.draw(phase, run);
    if (run !== null) this.timer = setInterval(() => this.draw(phase, run), DRAW_MS);
  }

  clear(): void {
    clearInterval(this.timer);
    this.region.clear();
  }

  /** `'lab'  [######----]  running  2.000 s of 5.000 s`. */
  private draw(phase: LabPhase, run: { readonly nowNs: number } | null): void {
    const { name, durationNs } = this.scenario;
    const nowNs = Math.min(Math.max(0, run?.nowNs ?? 0), durationNs);
    const times = run === null ? '' : `  ${displayDuration(nowNs)} of ${displayDuration(durationNs)}`;
    this.region.draw([`'${name}'  ${progressBar(nowNs / durationNs, BAR_WIDTH)}  ${phase}${times}`]);
  }
}
