// Tested by test/apps/sim/sweep.test.ts
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failureOf, usageFailure } from '../../base/failure.js';
import { prepareDirectory, writeWhole } from '../../report/output/output-file.js';
import type { Document } from '../../telemetry/document.js';
import type { PlannedRun, SweepPlan } from './sweep-plan.js';

const WHAT = 'result directory';
const IDENTITY = 'sweep.json';
const RUNS = 'runs';

/** What a directory belongs to. */
interface Identity {
  readonly scenario: string;
  readonly base: string;
  readonly swept: readonly string[];
}

/**
 * The results of a sweep on disk: `sweep.json` says which sweep it is, `runs/HASH.json` has the result of each run, `summary.csv` and `summary.json` the
 * table. A run has a file as soon as it is done, so an interrupted sweep goes on where it stopped; more values and seeds of the same sweep
 * may be added.
 */
export class SweepDirectory {
  private readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the directory, or finds it to be of this sweep. Throws a usage Failure where it is another's, or cannot be written. */
  static async open(path: string, plan: SweepPlan): Promise<SweepDirectory> {
    await prepareDirectory(path, WHAT);
    const identity: Identity = { scenario: plan.name, base: plan.baseHash, swept: [...plan.paths].sort() };
    const written = JSON.stringify(identity);
    const found = await readOptional(join(path, IDENTITY));
    if (found === null) await writeWhole(join(path, IDENTITY), `${written}\n`, WHAT);
    else if (found.trim() !== written) throw anotherSweep(path, found);
    const directory = new SweepDirectory(path);
    await mkdir(join(path, RUNS), { recursive: true });
    return directory;
  }

  /** The result of a run that is done; null where there is none, or no whole one. */
  async find({ hash }: PlannedRun): Promise<Document | null> {
    const text = await readOptional(this.fileOf(hash));
    try {
      return text === null ? null : (JSON.parse(text) as Document);
    } catch {
      // Somebody cut it off: it runs again.
      return null;
    }
  }

  async keep({ hash }: PlannedRun, result: Document): Promise<void> {
    await writeWhole(this.fileOf(hash), `${JSON.stringify(result)}\n`, WHAT);
  }

  async summarise(csv: string, json: object): Promise<void> {
    await writeWhole(join(this.path, 'summary.csv'), csv, WHAT);
    await writeWhole(join(this.path, 'summary.json'), `${JSON.stringify(json, null, 2)}\n`, WHAT);
  }

  private fileOf(hash: string): string {
    return join(this.path, RUNS, `${hash}.json`);
  }
}

async function readOptional(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw failureOf(error, `${WHAT} '${path}'`) ?? error;
  }
}

function anotherSweep(path: string, found: string): Error {
  return usageFailure(
    `${WHAT} '${path}' has the results of another sweep: ${found.trim().slice(0, 200)}; allowed: a directory of this sweep, or a new one`,
  );
}
