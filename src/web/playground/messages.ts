/** What the playground's page and its simulator, a worker, say to each other. */
import type { TimeMark } from '../../report/fault-marks.js';
import type { RunSeries, SimulationRun } from '../../sim/result.js';

/** Plays a scenario; the page ends the worker to stop it. */
export interface PlayRequest {
  /** Of the file, as it would be saved: names the scenario where it has no name, and stands in errors. */
  readonly path: string;
  readonly source: string;
}

export type PlayEvent =
  /** A first run goes on, which tells how long the scenario lasts, or where it is busy. */
  { readonly kind: 'first'; readonly nowNs: number; readonly wallMs: number } | PlayedPart | PlayedWhole | PlayFailure;

export interface PlayedPart {
  readonly kind: 'part';
  /** Virtual time. */
  readonly nowNs: number;
  readonly wallMs: number;
  /** Of the whole run, at most. */
  readonly durationNs: number;
  readonly jainWindowsNs: readonly number[];
  readonly series: RunSeries;
}

export interface PlayedWhole {
  readonly kind: 'whole';
  readonly wallMs: number;
  readonly run: SimulationRun;
  /** What `xpass sim --json` prints. */
  readonly json: string;
  readonly faults: readonly TimeMark[];
}

export interface PlayFailure {
  readonly kind: 'failure';
  readonly message: string;
  /** Of the scenario's text; null where none is to blame. */
  readonly line: number | null;
}
