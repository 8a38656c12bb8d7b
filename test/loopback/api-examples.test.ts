import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { install, NPM_PATIENCE_MS, pack, ROOT } from './installed-package.js';
import { type Ended, within } from './switch-lab.js';

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

describe('examples of the documents, from the installed package', () => {
  let scratch = '';
  let whyNot = '';
  let compiled: Ended;
  const folder = () => join(scratch, 'installed');

  async function run(...args: string[]): Promise<Ended> {
    const child = spawn(process.execPath, args, { cwd: folder(), stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].on('data', (chunk: Buffer) => {
        said[stream] += chunk;
      });
    const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...said })));
    try {
      return await within(ended, `the end of ${args.join(' ')}`);
    } finally {
      child.kill('SIGKILL');
    }
  }

  /** All that is TypeScript, strictly, and the declarations of the package with it. */
  async function compile(): Promise<Ended> {
    await writeFile(join(folder(), 'types.ts'), USE_OF_TYPES);
    const compilerOptions = { module: 'nodenext', target: 'es2022', strict: true, exactOptionalPropertyTypes: true };
    const types = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };
    const config = { compilerOptions: { ...compilerOptions, ...types, rootDir: '.', outDir: 'compiled' } };
    const files = ['types.ts', ...EXAMPLES.filter(({ language }) => language === 'ts').map(({ file }) => file)];
    await writeFile(join(folder(), 'tsconfig.json'), JSON.stringify({ ...config, files }));
    return run(join(ROOT, 'node_modules/typescript/bin/tsc'));
  }

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'xpass-examples-'));
    whyNot = await install(folder(), (await pack(scratch)).tarball);
    if (whyNot !== '') return;
    for (const { file, code } of EXAMPLES) await writeFile(join(folder(), file), code);
    compiled = await compile();
  }, 3 * NPM_PATIENCE_MS);

  afterAll(() => rm(scratch, { recursive: true, force: true }));

  beforeEach(({ skip }) => skip(whyNot !== '', whyNot));

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
      expect(await run(script)).toEqual({ code: 0, stdout: `${PRINTS.exec(code)?.[1]}\n`, stderr: '' });
    });
  }

  it('has declarations that strict programs compile with, the examples among them', () => {
    expect(compiled).toMatchObject({ code: 0, stdout: '' });
  });

  it('gives nothing but what it exports', async () => {
    const paths = Object.keys(EXPORTS).filter((path) => !path.endsWith('.json'));
    for (const path of paths) expect(await run('-e', `import('xpass${path.slice(1)}')`)).toMatchObject({ code: 0 });
    for (const path of [
      'dist/index.js',
      'dist/net/host.js',
      'dist/core/endpoint.js',
      'src/index.ts',
      'bin/xpass.mjs',
    ]) {
      const { code, stderr } = await run('-e', `import('xpass/${path}')`);
      expect([code, stderr]).toEqual([1, expect.stringContaining('ERR_PACKAGE_PATH_NOT_EXPORTED')]);
    }
  });
});
