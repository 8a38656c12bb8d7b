import { EventEmitter } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/apps/cli/commands.js';
import { runProgram } from '../../../src/apps/cli/program.js';
import { parsePeers } from '../../../src/net/peers-file.js';
import { said } from '../../harness/said.js';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'xpass-key-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function run(...argv: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const signals = Object.assign(new EventEmitter(), { exit: () => {} });
  const exitCode = await runProgram({ argv: ['key', ...argv], commands: COMMANDS, stdout, stderr, signals });
  return { exitCode, out: said(stdout), err: said(stderr) };
}

describe('xpass key', () => {
  it('makes a shared secret that only its owner reads, and shows its fingerprint', async () => {
    const file = join(directory, 'lab.key');
    const made = await run('new', file);
    expect(made).toMatchObject({ exitCode: 0, err: '' });
    expect(made.out).toMatch(/^shared secret ([0-9a-f]{4}-){7}[0-9a-f]{4} in /);
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, 'utf8')).split('\n')[1]).toHaveLength(44);
    expect(await run('show', file)).toEqual(made);
  });

  it('prints the public line of an identity, which a peers file takes', async () => {
    const file = join(directory, 'me.key');
    const { out } = await run('new', '--identity', file);
    expect(parsePeers(out, 'printed').keyOf('ADDRESS:PORT')).toHaveLength(32);
    expect(out).toContain('192.0.2.7:28400, or host-3');
    expect(out.split('\n').every((line) => line.length <= 80 || line.includes(file))).toBe(true);
    const named = await run('show', '--name', '192.0.2.7:28400', file);
    expect(parsePeers(named.out, 'printed').keyOf('192.0.2.7:28400')).toHaveLength(32);
    expect(named.out).not.toContain('ADDRESS');
    expect((await run('show', file)).out).toBe(out);
    const secret = (await readFile(file, 'utf8')).split('\n')[1]!;
    expect(out).not.toContain(secret);
  });

  it('has JSON for programs', async () => {
    const [secret, identity] = [join(directory, 'a.key'), join(directory, 'b.key')];
    const made = JSON.parse((await run('new', '--json', secret)).out) as object;
    expect(made).toEqual({ file: secret, kind: 'secret', fingerprint: expect.any(String) });
    await run('new', '--identity', identity);
    const shown = JSON.parse((await run('show', identity, '--json')).out) as object;
    expect(shown).toMatchObject({ file: identity, kind: 'identity', publicKey: expect.stringMatching(/=$/) });
  });

  it('overwrites nothing', async () => {
    const file = join(directory, 'here.key');
    await writeFile(file, 'mine');
    const { exitCode, out, err } = await run('new', file);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain(`key file '${file}' exists already`);
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  it('lists what it can do', async () => {
    expect((await run()).out).toContain('xpass key show FILE');
  });

  it('names a file that is not there', async () => {
    const { exitCode, err } = await run('show', join(directory, 'none.key'));
    expect(exitCode).toBe(2);
    expect(err).toContain('does not exist');
  });
});
