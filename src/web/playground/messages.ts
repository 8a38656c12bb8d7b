/** What the playground's page and its simulator, a worker, say to each other. */
import type { TimeMark } from '../../report/fault-marks.js';
import type { RunSeries, SimulationRun } from '../../sim/result.js';

/** The page ends the worker to stop it. */
export interface PlayRequest {
  /** `check` reads the scenario and plays nothing. `warm` plays some of it in silence, so that the simulator is compiled when somebody presses Start. */
  readonly kind: 'check' | 'warm' | 'play';
  /** Answers carry it. */
  readonly number: number;
  /** Of the file, as it would be saved: names the scenario where it has no name, and stands in errors. */
  readonly path: string;
  readonly source: string;
}

export interface PlayAnswer {
  /** Of the request. */
  readonly number: number;
  readonly event: PlayEvent;
}

export type PlayEvent = Checked | FirstRun | Begun | PlayedPart | PlayedWhole | PlayFailure;

/** The scenario can be played. */
export interface Checked {
  readonly kind: 'checked';
  readonly flows: number;
  readonly hosts: number;
  /** Names of its links. */
  readonly links: readonly string[];
}

/** A first run goes on, which tells how long the scenario lasts, or where it is busy. */
export interface FirstRun {
  readonly kind: 'first';
  readonly nowNs: number;
}

/** The run begins that is drawn. */
export interface Begun {
  readonly kind: 'begun';
  /** At most. */
  readonly durationNs: number;
  readonly jainWindowsNs: readonly number[];
  readonly faults: readonly TimeMark[];
}

export interface PlayedPart {
  readonly kind: 'part';
  /** Virtual time. */
  readonly nowNs: number;
  /** Since it has begun. */
  readonly wallMs: number;
  readonly series: RunSeries;
}

export interface PlayedWhole {
  readonly kind: 'whole';
  readonly wallMs: number;
  readonly run: SimulationRun;
  /** What `xpass sim --json` prints. */
  readonly json: string;
}

export interface PlayFailure {
  readonly kind: 'failure';
  readonly message: string;
  /** Of the scenario's text; null where none is to blame. */
  readonly line: number | null;
}
