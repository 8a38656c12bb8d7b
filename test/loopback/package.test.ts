import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { install, NPM_PATIENCE_MS, npm, pack } from './installed-package.js';
import { areSame, randomFile } from './send-lab.js';
import { scratchFolder, within, XpassProcess } from './switch-lab.js';

/** What users install may have this many packages, xpass and what suits this system among them, and so many bytes. */
const MOST_PACKAGES = 40;
const MOST_BYTES = 25 * 2 ** 20;
const BLOCK_BYTES = 4096;

/** As `du` has it. */
async function bytesOnDisk(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES, 0);
}

describe('the package that users install', () => {
  let scratch = '';
  let packed: readonly string[] = [];
  let whyNot = '';
  const folder = () => join(scratch, 'installed');
  const start = (...args: string[]) =>
    new XpassProcess(args, process.execPath, join(folder(), 'node_modules/xpass/bin/xpass.mjs'));
  const run = (...args: string[]) => within(start(...args).ended, `the end of ${args.join(' ')}`);

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'xpass-package-'));
    const { tarball, files } = await pack(scratch);
    packed = files;
    whyNot = await install(folder(), tarball);
  }, 2 * NPM_PATIENCE_MS);

  afterAll(() => rm(scratch, { recursive: true, force: true }));

  beforeEach(({ skip }) => skip(whyNot !== '', whyNot));

  it('is small, and has neither sources nor what only the build needs', async () => {
    expect(packed.filter((path) => !/^(bin|dist)\/.*\.(m?js|d\.ts)$/.test(path)).sort()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'].sort(),
    );
    const packages = (await npm(folder(), 'ls', '--all', '--parseable')).trim().split('\n').slice(1);
    expect(packages.length, packages.join('\n')).toBeLessThanOrEqual(MOST_PACKAGES);
    expect(await bytesOnDisk(join(folder(), 'node_modules'))).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('says its version, plays a simulation, and draws its report', async () => {
    expect(await run('--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    const scenario = join(folder(), 'two.yaml');
    const report = join(folder(), 'two.html');
    await writeFile(scenario, 'topology: { pairs: 2, rate: 1gbit }\nflows: [{ kind: pairs, bytes: 50kB }]\n');
    const { code, stdout, stderr } = await run('sim', scenario, '--json', '--report', report);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).flows).toHaveLength(2);
    expect((await stat(report)).size).toBeGreaterThan(0);
  });

  it('sends a file to its daemon', async () => {
    const directory = await scratchFolder();
    const daemon = start('daemon', '--json', '-d', directory, '--listen', ':0');
    const { address } = await daemon.event('listening');
    const file = await randomFile('sample.bin', 200_000);
    expect(await run('send', file, '--to', String(address))).toMatchObject({ code: 0 });
    expect(await areSame(file, join(directory, 'sample.bin'))).toBe(true);
  });

  it('plays the demonstration', async () => {
    const { code, stdout } = await run('demo', '--senders', '2', '--bytes', '256KiB', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).files).toHaveLength(2);
  });
});
