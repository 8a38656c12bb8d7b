import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repositoryFiles } from './repository.js';

interface Npm {
  readonly command: string;
  readonly args: readonly string[];
  readonly shell: boolean;
}

interface Prepare {
  npmCommand(args: readonly string[], on: { env: object; platform?: string }): Npm;
  packageCommand(name: string, command?: string): string;
}

/** Plain JavaScript without types. */
const prepare = (await import(new URL('../../.config/prepare.mjs', import.meta.url).href)) as Prepare;

/** What cmd.exe and sh read alike: a program, and words that neither of them changes. */
const COMMAND = /^node [\w./@:-]+( [\w./@:-]+)*$/;

describe('what runs on Windows too', () => {
  it('are the npm scripts, each one command of Node.js', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    for (const [name, script] of Object.entries(scripts)) expect(script, name).toMatch(COMMAND);
  });

  it('is npm, by its own script or by the PATH', () => {
    const script = '/lib/npm/bin/npm-cli.js';
    const own = { command: process.execPath, args: [script, 'ci'], shell: false };
    expect(prepare.npmCommand(['ci'], { env: { npm_execpath: script }, platform: 'win32' })).toEqual(own);
    const byPath = { command: 'npm', args: ['ci'], shell: false };
    expect(prepare.npmCommand(['ci'], { env: { npm_execpath: '/lib/pnpm.cjs' }, platform: 'darwin' })).toEqual(byPath);
    const byShell = prepare.npmCommand(['exec', '-c', 'true'], { env: {}, platform: 'win32' });
    expect(byShell).toEqual({ command: 'npm exec -c true', args: [], shell: true });
  });

  it('is npm by a shell, as Windows needs it', () => {
    const { command, args, shell } = prepare.npmCommand(['--version'], { env: {}, platform: 'win32' });
    expect(execFileSync(command, args, { shell, encoding: 'utf8' })).toMatch(/^\d+\.\d+/);
  });

  it('are the checks, by scripts of their packages', () => {
    const scripts = [['vitest'], ['knip'], ['@biomejs/biome', 'biome'], ['dependency-cruiser', 'depcruise']] as const;
    for (const [name, command] of scripts) expect(existsSync(prepare.packageCommand(name, command)), name).toBe(true);
  });

  it('are files whose names Windows takes', () => {
    const names = repositoryFiles().flatMap(({ path }) => path.split('/'));
    expect(names.filter((name) => /[<>:"|?*\\]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name))).toEqual([]);
    const paths = repositoryFiles().map(({ path }) => path);
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length);
  });
});
