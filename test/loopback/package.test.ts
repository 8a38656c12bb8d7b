import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { areSame, randomFile } from './send-lab.js';
import { scratchFolder, within, XpassProcess } from './switch-lab.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What users install may have this many packages, xpass and what suits this system among them, and so many bytes. */
const MOST_PACKAGES = 40;
const MOST_BYTES = 25 * 2 ** 20;
const BLOCK_BYTES = 4096;
const NPM_PATIENCE_MS = 60_000;
const NO_REGISTRY = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/;

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const started = promisify(execFile)('npm', args, { cwd, shell: process.platform === 'win32', maxBuffer: 2 ** 26 });
  return (await within(started, `the end of npm ${args[0]}`, NPM_PATIENCE_MS)).stdout;
}

/** Packs the working copy: what is built, without what sources that are gone have left there, and without building again. */
async function pack(folder: string): Promise<{ tarball: string; files: string[] }> {
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'bin', 'dist']) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true, filter: isCurrent });
  }
  const [{ filename, files }] = JSON.parse(await npm(folder, 'pack', '--ignore-scripts', '--json'));
  return { tarball: join(folder, filename), files: files.map(({ path }: { path: string }) => path) };
}

function isCurrent(path: string): boolean {
  const [room, ...rest] = relative(ROOT, path).split(/[\\/]/);
  const source = join(ROOT, 'src', ...rest).replace(/(\.d)?\.(js|ts)$/, '.ts');
  return room !== 'dist' || !/\.(js|ts)$/.test(path) || existsSync(source);
}

/** As `du` has it. */
async function bytesOnDisk(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES, 0);
}

/** Installs the tarball in an empty folder; says why where no registry answers. */
async function install(folder: string, tarball: string): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  try {
    await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
    return '';
  } catch (error) {
    const isOffline = process.env.CI === undefined && NO_REGISTRY.test(String(error));
    if (isOffline) return `npm's cache lacks a package, and no registry answers: ${error}`;
    throw error;
  }
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
