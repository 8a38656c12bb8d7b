import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { OptionValues } from '../../../src/apps/shared/options.js';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { Results } from '../../../src/apps/shared/results.js';
import { SIM_OPTIONS } from '../../../src/apps/sim/options.js';
import { runSim } from '../../../src/apps/sim/sim.js';
import { scratchDirectory } from '../../harness/scratch.js';

/** What a call of the command came to. */
interface Said {
  readonly exitCode: number;
  readonly output: string;
  readonly log: string;
}

type Given = Readonly<Record<string, readonly string[]>>;

/** Calls the command as the program does, with options by their long names. `interrupt` sends the signal once the run has begun. */
export async function callSim(positionals: readonly string[], given: Given = {}, interrupt = false): Promise<Said> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const options: OptionValues<typeof SIM_OPTIONS> = resolveOptions(SIM_OPTIONS, new Map(Object.entries(given)));
  const [output, log] = [collect(stdout), collect(stderr)];
  const results = new Results(stdout);
  const exitCode = await runSim({
    name: 'sim',
    options,
    positionals,
    results,
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined } as never,
    terminal: stderr,
    screen: stdout,
    commands: [],
    onInterrupt: (handle) => {
      if (interrupt) handle('SIGINT');
      return () => undefined;
    },
  });
  await results.flush();
  return { exitCode, output: output.join(''), log: log.join('') };
}

/** Everything that a stream says, as it says it. */
function collect(stream: PassThrough): string[] {
  const chunks: string[] = [];
  stream.on('data', (chunk) => chunks.push(String(chunk)));
  return chunks;
}

/** A scenario file, `lab.yaml`, in a directory of its own. */
export async function fileOf(source: string): Promise<string> {
  const path = join(await scratchDirectory(), 'lab.yaml');
  await writeFile(path, source);
  return path;
}
