import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { areSame, randomFile } from './send-lab.js';
import { type Ended, scratchFolder, within, XpassProcess } from './switch-lab.js';

// The package as users get it: packed and installed once for all tests of this file.

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NPM_PATIENCE_MS = 60_000;
const NO_REGISTRY = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/;

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const started = promisify(execFile)('npm', args, { cwd, shell: process.platform === 'win32', maxBuffer: 2 ** 26 });
  return (await within(started, `the end of npm ${args[0]}`, NPM_PATIENCE_MS)).stdout;
}

/** Packs the working copy: what is built, without the declarations of sources that are gone, and without building again. */
async function pack(folder: string): Promise<{ tarball: string; files: string[] }> {
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'bin', 'dist']) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true, filter: isCurrent });
  }
  const [{ filename, files }] = JSON.parse(await npm(folder, 'pack', '--ignore-scripts', '--json'));
  return { tarball: join(folder, filename), files: files.map(({ path }: { path: string }) => path) };
}

function isCurrent(path: string): boolean {
  const [room, ...rest] = relative(ROOT, path).split(/[\\/]/);
  const source = join(ROOT, 'src', ...rest).replace(/\.d\.ts$/, '.ts');
  return room !== 'dist' || !path.endsWith('.d.ts') || existsSync(source);
}

/** Installs the tarball in an empty folder; says why where no registry answers. */
async function install(folder: string, tarball: string): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  try {
    await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
    return '';
  } catch (error) {
    const isOffline = process.env.CI === undefined && NO_REGISTRY.test(String(error));
    if (isOffline) return `npm's cache lacks a package, and no registry answers: ${error}`;
    throw error;
  }
}

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

/** Short enough to be read at a glance. */
const MOST_LINES = 25;
/** `// prints: hello` in a block of a document: what the program says. */
const PRINTS = /^\/\/ prints: (.+)$/m;
const EXPORTS: Record<string, unknown> = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).exports;

interface Example {
  readonly name: string;
  readonly language: string;
  readonly code: string;
}

/** Every block of JavaScript or TypeScript in a document, named by it and the heading above. */
function examplesOf(document: string): Example[] {
  const found: Example[] = [];
  let heading = '';
  for (const [, title, language, code] of readFileSync(join(ROOT, document), 'utf8').matchAll(
    /^#+ (.+)$|^```(js|ts)\n([\s\S]*?)^```$/gm,
  )) {
    if (title !== undefined) heading = title;
    else found.push({ name: `${document}: ${heading}`, language, code });
  }
  return found;
}

const EXAMPLES = [...examplesOf('README.md'), ...examplesOf('docs/API.md')].map((example, at) => ({
  ...example,
  file: `example-${at}.${example.language}`,
}));

/** Names every way in which the public types are used by somebody who is strict; none of the values is needed. */
const USE_OF_TYPES = `
import * as xpass from 'xpass';
import { type Address, type AttachedLink, type ConnectOptions, type ErrorCode, type HostOptions, type HostStatistics, openHost, XpassError } from 'xpass';
import { Duplex } from 'node:stream';
const listen: Address = { host: '127.0.0.1', port: 0 };
const options: HostOptions = { listen, rate: 1e9, frameSize: '8972', algorithm: 'steady', set: { w_min: 0.1 }, onNotice: ({ message }) => message };
const host: xpass.Host = await openHost(options);
const connect: ConnectOptions = { weight: 3, class: 'low', allowHalfOpen: true, signal: AbortSignal.timeout(1) };
const duplex: Duplex = await host.connect('localhost', connect);
host.on('linkChanged', (link: AttachedLink, before) => link.rateBps - before.rateBps);
host.on('peerLost', (name, error) => name.length + error.code.length);
const statistics: HostStatistics = host.statistics();
export const lateNs: number = statistics.driver.lateness.maxNs + statistics.endpoint.nicDrops;
export const code = (error: unknown): ErrorCode | null => (error instanceof XpassError ? error.code : null);
// @ts-expect-error: not a class of credits
const wrong: ConnectOptions = { class: 'middle' };
export { duplex, wrong };
`;

let scratch = '';
let packed: readonly string[] = [];
let whyNot = '';
let compiled: Ended;
const folder = () => join(scratch, 'installed');
const start = (...args: string[]) =>
  new XpassProcess(args, process.execPath, join(folder(), 'node_modules/xpass/bin/xpass.mjs'));
const run = (...args: string[]) => within(start(...args).ended, `the end of ${args.join(' ')}`);

/** Runs Node.js in the folder of the program that uses the package. */
function runNode(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder(), timeout: NPM_PATIENCE_MS, killSignal: 'SIGKILL' } as const;
    const child = execFile(process.execPath, args, options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** Compiles all that is TypeScript, strictly, and the declarations of the package with it. */
async function compile(): Promise<Ended> {
  await writeFile(join(folder(), 'types.ts'), USE_OF_TYPES);
  const compilerOptions = { module: 'nodenext', target: 'es2022', strict: true, exactOptionalPropertyTypes: true };
  const types = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };
  const config = { compilerOptions: { ...compilerOptions, ...types, rootDir: '.', outDir: 'compiled' } };
  const files = ['types.ts', ...EXAMPLES.filter(({ language }) => language === 'ts').map(({ file }) => file)];
  await writeFile(join(folder(), 'tsconfig.json'), JSON.stringify({ ...config, files }));
  return runNode(join(ROOT, 'node_modules/typescript/bin/tsc'));
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'xpass-package-'));
  const { tarball, files } = await pack(scratch);
  packed = files;
  whyNot = await install(folder(), tarball);
  if (whyNot !== '') return;
  for (const { file, code } of EXAMPLES) await writeFile(join(folder(), file), code);
  compiled = await compile();
}, 3 * NPM_PATIENCE_MS);

afterAll(() => rm(scratch, { recursive: true, force: true }));

beforeEach(({ skip }) => skip(whyNot !== '', whyNot));

describe('the package that users install', () => {
  it('is small, and has neither sources nor what only the build needs', async () => {
    expect(
      packed.filter((path) => !/^(bin|dist)\/.*\.(m?js|d\.ts)$|^dist\/man\/xpass[a-z-]*\.1$/.test(path)).sort(),
    ).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/LICENSES-OF-OTHERS.txt', 'package.json'].sort());
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
    const { code, stdout } = await run(
      'demo',
      '--senders',
      '1',
      '--link-rate',
      '20mbit',
      '--bytes',
      '256KiB',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout).files).toHaveLength(1);
  });
});

describe('examples of the documents, from the installed package', () => {
  it('are found', () => {
    expect(EXAMPLES.filter(({ name }) => name.startsWith('docs/API.md'))).toHaveLength(6);
    expect(EXAMPLES.filter(({ name }) => name.startsWith('README.md'))).toHaveLength(1);
  });

  for (const { name, language, code, file } of EXAMPLES) {
    it(name, async ({ skip }) => {
      const needsNet = code.includes("'xpass/net'") && EXPORTS['./net'] === undefined;
      skip(needsNet, 'the package does not export xpass/net');
      expect(code.trimEnd().split('\n').length).toBeLessThan(MOST_LINES);
      const script = language === 'ts' ? `compiled/${file.replace('.ts', '.js')}` : file;
      expect(await runNode(script)).toEqual({ code: 0, stdout: `${PRINTS.exec(code)?.[1]}\n`, stderr: '' });
    });
  }

  it('has declarations that strict programs compile with, the examples among them', () => {
    expect(compiled).toMatchObject({ code: 0, stdout: '' });
  });

  it('gives nothing but what it exports', async () => {
    const paths = Object.keys(EXPORTS).filter((path) => !path.endsWith('.json'));
    for (const path of paths) expect(await runNode('-e', `import('xpass${path.slice(1)}')`)).toMatchObject({ code: 0 });
    for (const path of [
      'dist/index.js',
      'dist/net/host.js',
      'dist/core/endpoint.js',
      'src/index.ts',
      'bin/xpass.mjs',
    ]) {
      const { code, stderr } = await runNode('-e', `import('xpass/${path}')`);
      expect([code, stderr]).toEqual([1, expect.stringContaining('ERR_PACKAGE_PATH_NOT_EXPORTED')]);
    }
  });
});
