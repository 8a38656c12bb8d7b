import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ScriptTarget, transpileModule } from 'typescript';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runXpass, scratchFile, scratchFolder, startSwitchProcess, XpassProcess } from './switch-lab.js';

const SOURCE = readFileSync(new URL('../../src/apps/shared/v8-flags.ts', import.meta.url), 'utf8');
const { outputText } = transpileModule(SOURCE, { compilerOptions: { target: ScriptTarget.ES2023 } });
/** The module for Node.js to import: in dist/ it is part of a larger file. */
const MODULE = `data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`;

/**
 * Runs `first` and `then`, and gives back the number that `then` prints. A process of its own: whatever makes another heap sets the limits back. Its
 * collector has one thread, so that it does not depend on which core is free.
 */
async function numberFrom(first: string, then: string): Promise<number> {
  const program = `
    import { PerformanceObserver, constants } from 'node:perf_hooks';
    import { setImmediate as sleep } from 'node:timers/promises';
    import { getHeapSpaceStatistics } from 'node:v8';
    import { keepYoungGenerationSmall, markRarely } from '${MODULE}';
    ${first}
    ${then}
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--single-threaded-gc',
    '--input-type=module',
    '-e',
    program,
  ]);
  return Number(stdout);
}

/** Allocates while some of it lives on, which makes a young generation grow, and prints how large it has become. */
const YOUNG_BYTES = `
  const kept = [];
  for (let at = 0; at < 3e6; at++) kept[at % 20_000] = { at, more: [at] };
  console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);
`;

/**
 * Grows by 30 MB of objects that live on, and prints how often the whole heap was marked meanwhile: first after 18.7 MB, and with the setting after
 * 42.7, on one thread, where the load of the machine does not matter (measured).
 */
const MARKINGS = `
  let marked = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) marked++;
  }).observe({ entryTypes: ['gc'] });
  const kept = [];
  while (kept.length < 3_000) {
    kept.push(new Array(1_250).fill(kept.length));
    await sleep();
  }
  console.log(marked);
`;

it('keeps the young generation of a process from growing', async () => {
  const [grown, kept] = await Promise.all([
    numberFrom('', YOUNG_BYTES),
    numberFrom('keepYoungGenerationSmall();', YOUNG_BYTES),
  ]);
  expect(kept).toBeLessThan(grown / 2);
});

it('lets more memory come before the whole heap is marked', async () => {
  const small = 'keepYoungGenerationSmall();';
  const [often, rarely] = [await numberFrom(small, MARKINGS), await numberFrom(`${small} markRarely();`, MARKINGS)];
  expect(often).toBeGreaterThan(0);
  expect(rarely).toBe(0);
});

/** Two hosts, and a flow from one to the other. */
const SCENARIO = 'topology: { name: star, hosts: 2, rate: 100mbit }\nflows: [{ from: 1, to: 2, bytes: 100kB }]\n';

/** Has each process that is started write down which flags of V8 it sets; gives back how many have set that one. */
async function countSettersOf(flag: string) {
  const notes = await scratchFile('flags', '');
  const program = `
    import { appendFileSync } from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    import v8 from 'node:v8';
    const { setFlagsFromString } = v8;
    v8.setFlagsFromString = (flag) => {
      appendFileSync('${notes}', flag + '\\n');
      setFlagsFromString(flag);
    };
    syncBuiltinESMExports();
  `;
  vi.stubEnv('NODE_OPTIONS', `--import data:text/javascript,${encodeURIComponent(program)}`);
  return async () => (await readFile(notes, 'utf8')).split(flag).length - 1;
}
const RARELY = '--incremental-marking-hard-trigger';

describe('rare marking', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('is set by who opens a socket for frames', async () => {
    const setters = await countSettersOf(RARELY);
    const { process: fabric } = await startSwitchProcess('--hosts', '2');
    expect(await setters()).toBe(1);
    const daemon = new XpassProcess(['daemon', '--json', '--listen', ':0', '--directory', await scratchFolder()]);
    await daemon.event('listening');
    expect(await setters()).toBe(2);
    await Promise.all([fabric.stop(), daemon.stop()]);
  });

  it.each([
    { frameBytes: 8_972, percent: 200 },
    { frameBytes: 60_000, percent: 400 },
  ])('begins at $percent % for a switch of frames of $frameBytes bytes', async ({ frameBytes, percent }) => {
    const setters = await countSettersOf(`${RARELY}=${percent}`);
    const { process: fabric } = await startSwitchProcess('--hosts', '2', '--frame-size', `${frameBytes}`);
    expect(await setters()).toBe(1);
    await fabric.stop();
  });

  it('is set by the hosts of a lab and by its switch', async () => {
    const setters = await countSettersOf(RARELY);
    const { code, stderr } = await runXpass(
      'lab',
      await scratchFile('scenario.yaml', SCENARIO),
      '--rehearsal',
      '200ms',
    );
    expect(code, stderr).toBe(0);
    expect(await setters()).toBe(3);
  });

  it('is left alone where there are worker threads, whose ends it breaks', async () => {
    const setters = await countSettersOf(RARELY);
    const { code } = await runXpass('fuzz', '--seeds', '2', '--frames', '10');
    expect([code, await setters()]).toEqual([0, 0]);
  });
});
