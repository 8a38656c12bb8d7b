import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Child, Forked, Roster } from '../../src/apps/shared/companion.js';

// Small processes of their own: what is tested is how they end and what is said of them.

const directory = mkdtempSync(join(tmpdir(), 'xpass-companion-'));
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => void vi.stubEnv('XPASS_PATIENCE', '20s'));
afterEach(() => void vi.unstubAllEnvs());

/** Answers questions by their number; ends, or says that it does, when it is told to. */
const PROGRAM = `
process.on('message', (message) => {
  if ('question' in message) process.send({ question: message.question, twice: message.question * 2, never: Infinity });
  if ('end' in message) { console.error('as I was told'); process.exit(message.end); }
});
process.once('disconnect', () => process.exit(0));
process.send({ event: 'ready' });
`;

let programs = 0;

function forked(roster = new Roster(), source = PROGRAM): Forked {
  const path = join(directory, `program-${++programs}.mjs`);
  writeFileSync(path, source);
  const found = new Forked(`program ${programs}`, pathToFileURL(path), { roster });
  onTestFinished(() => found.stop());
  return found;
}

const isReady = (said: object): boolean => 'event' in said;

describe('a process that this one has started', () => {
  it('answers questions, each by its number, with numbers that JSON does not have', async () => {
    const program = forked();
    await program.next(isReady, 'start');
    const answers = await Promise.all([7, 8].map((question) => program.ask('question', { question })));
    expect(answers).toEqual([
      { question: 7, twice: 14, never: Number.POSITIVE_INFINITY },
      { question: 8, twice: 16, never: Number.POSITIVE_INFINITY },
    ]);
    expect(program.lastHeard()).toMatch(/^'question' \d+\.\d s ago$/);
    await program.stop();
    expect([program.isOver, program.lastHeard()]).toEqual([true, expect.stringMatching(/^ended with status 0 /)]);
  });

  it('answers nothing once it has ended, which is said at once', async () => {
    const program = forked();
    await program.next(isReady, 'start');
    program.tell({ end: 0 });
    await program.ended;
    await expect(program.ask('question', { question: 1 })).rejects.toThrow(
      /^program \d+ ended with status 0: as I was told$/,
    );
  });

  it('fails every wait of its roster when it is lost', async () => {
    const roster = new Roster();
    const [one, other] = [forked(roster), forked(roster)];
    await Promise.all([one, other].map((each) => each.next(isReady, 'start')));
    const waited = other.next(() => false, 'say more');
    process.kill(one.pid ?? 0, 'SIGKILL');
    await expect(waited).rejects.toThrow(`${one.name} ended with SIGKILL`);
    expect(await one.ended).toBe(137);
  });

  it('is named when it does not answer, and killed when it does not end', async () => {
    const program = forked();
    await program.next(isReady, 'start');
    vi.stubEnv('XPASS_PATIENCE', '200ms');
    process.kill(program.pid ?? 0, 'SIGSTOP');
    await expect(program.ask('question', { question: 1 })).rejects.toThrow(
      /^program \d+ did not answer 'question' within 0\.2 s; last heard: program \d+: 'ready' \d\.\d s ago$/,
    );
    await program.stop();
    expect(await program.ended).toBe(137);
  });

  it('may be a command of this program, whose errors are its last words', async () => {
    const child = new Child('the switch', ['switch', '--hosts', 'none']);
    onTestFinished(() => child.stop());
    await expect(child.event('listening')).rejects.toThrow(/^the switch ended with status 2: .*--hosts 'none'/);
    await expect(child.result()).rejects.toThrow(/^the switch ended with status 2/);
  });

  it('gives its result, also when it has ended by then', async () => {
    const roster = new Roster();
    const file = join(directory, 'lab.key');
    const child = new Child('the key', ['key', 'new', file, '--json'], [], { roster });
    onTestFinished(() => child.stop());
    await child.ended;
    expect(await child.result()).toMatchObject({ file });
    const failing = new Child('the sender', ['send', '/nowhere', '--to', '1'], [], { roster, mayFail: true });
    expect(await failing.ended).toBe(2);
    expect(await roster.within(Promise.resolve('well'), 'it')).toBe('well');
  });
});
