import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { scratchDirectory } from '../harness/scratch.js';

interface Prepare {
  readonly PrepareError: new () => Error;
  ensureBuilt(how?: { afresh?: boolean }): Promise<void>;
  ensureInstalled(): Promise<void>;
}

const PREPARE = fileURLToPath(new URL('../../.config/prepare.mjs', import.meta.url));
/** Stands for the compiler. */
const TSC = "require('node:fs').mkdirSync('dist', { recursive: true });";
/** Stands for npm. */
const NPM = "require('node:fs').writeFileSync('installed', '');";
/** Stands for the bundler. */
const BUNDLE = "import { writeFileSync } from 'node:fs'; writeFileSync('dist/new.js', '');";

/** A working copy with an earlier build, whose bundler writes dist/new.js. */
async function workingCopy() {
  const folder = await scratchDirectory();
  const at = (path: string) => join(folder, path);
  for (const path of ['.config', 'bin', 'src', 'dist', 'node_modules/typescript/bin']) {
    await mkdir(at(path), { recursive: true });
  }
  await copyFile(PREPARE, at('.config/prepare.mjs'));
  for (const path of ['package.json', 'package-lock.json', 'tsconfig.json', '.config/tsconfig.base.json'])
    await writeFile(at(path), '{}');
  await writeFile(at('dist/old.js'), '');
  await writeFile(at('node_modules/typescript/bin/tsc'), TSC);
  await writeFile(at('.config/bundle.mjs'), BUNDLE);
  await writeFile(at('bin/xpass.mjs'), '');
  const prepare = (await import(/* @vite-ignore */ pathToFileURL(at('.config/prepare.mjs')).href)) as Prepare;
  const held = at(`.bootstrap.lock/${process.pid}-held`);
  const write = (path: string, content: object | string) =>
    writeFile(at(path), typeof content === 'string' ? content : JSON.stringify(content));
  return { prepare, held, at, write, has: (path: string) => existsSync(at(path)) };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('an installation', () => {
  const wanted = {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '2.0.0', optional: true },
  };

  it.each([
    ['is not made again after an npm ci', { 'node_modules/a': { version: '1.0.0' } }, false],
    ['is made where another version is there', { 'node_modules/a': { version: '0.9.0' } }, true],
    ['is made where nothing is there', null, true],
  ])('%s', async (_, installed, isMade) => {
    const { prepare, at, write, has } = await workingCopy();
    await write('package-lock.json', { packages: wanted });
    if (installed !== null) await write('node_modules/.package-lock.json', { packages: installed });
    await write('npm-cli.js', NPM);
    vi.stubEnv('npm_execpath', at('npm-cli.js'));
    await prepare.ensureInstalled();
    expect(has('installed')).toBe(isMade);
    expect(has('node_modules/.xpass-lock-hash')).toBe(true);
  });
});

describe('a build', () => {
  it('afresh removes what an earlier one left, but not while another one holds the lock', async () => {
    const { prepare, held, has } = await workingCopy();
    await prepare.ensureBuilt();
    expect([has('dist/old.js'), has('dist/new.js')]).toEqual([true, true]);
    await mkdir(dirname(held));
    await writeFile(held, '');
    vi.stubEnv('XPASS_LOCK_SECONDS', '0.01');
    await expect(prepare.ensureBuilt({ afresh: true })).rejects.toThrow('has held .bootstrap.lock for 0.01 s');
    expect(has('dist/old.js')).toBe(true);
    await rm(held);
    await prepare.ensureBuilt({ afresh: true });
    expect([has('dist/old.js'), has('dist/new.js')]).toEqual([false, true]);
  });

  it.each(['', 'soon', '0', '-1', 'NaN', 'Infinity'])('takes no XPASS_LOCK_SECONDS of "%s"', async (seconds) => {
    const { prepare, has } = await workingCopy();
    vi.stubEnv('XPASS_LOCK_SECONDS', seconds);
    const built = prepare.ensureBuilt();
    await expect(built).rejects.toBeInstanceOf(prepare.PrepareError);
    await expect(built).rejects.toThrow(`XPASS_LOCK_SECONDS is "${seconds}": it must be a finite number above 0`);
    expect(has('dist/new.js')).toBe(false);
  });
});
