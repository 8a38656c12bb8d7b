import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareDirectory, writeAll } from '../../report/output/output-file.js';
import { programStamp } from '../../scenario/queue/stamp.js';
import { pack, unpack } from '../../scenario/queue/text-form.js';
import type { SimulationRun } from '../../sim/result.js';

export interface KeptRun {
  readonly run: SimulationRun;
  /** Seconds that it took. */
  readonly wallS: number;
}

const WHAT = 'directory of runs';
const DIGITS = 24;

/**
 * Runs that are done, in files until their figures are: a profile of hours that was interrupted goes on with the runs that it lacks. A run counts only for
 * the program that played it, by the stamp of what simulates.
 */
export class KeptRuns {
  private readonly directory: string;
  private readonly stamp: string;

  private constructor(directory: string, stamp: string) {
    this.directory = directory;
    this.stamp = stamp;
  }

  /** Throws a Failure where there can be no such directory. */
  static async open(directory: string): Promise<KeptRuns> {
    await prepareDirectory(directory, WHAT);
    return new KeptRuns(directory, await programStamp());
  }

  /** Null where it was not played by this program, or the file is none of ours. */
  async find(key: string): Promise<KeptRun | null> {
    try {
      const found = unpack<KeptRun>(await readFile(join(this.directory, this.nameOf(key))));
      return typeof found.wallS === 'number' && typeof found.run === 'object' ? found : null;
    } catch {
      return null;
    }
  }

  /** Throws a Failure where it cannot be written. */
  async keep(key: string, kept: KeptRun): Promise<void> {
    await writeAll(this.directory, new Map([[this.nameOf(key), pack(kept)]]), WHAT);
  }

  /** All of them, those of other programs as well. */
  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  private nameOf(key: string): string {
    return `${this.stamp}-${createHash('sha256').update(key).digest('hex').slice(0, DIGITS)}`;
  }
}
