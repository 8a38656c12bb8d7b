import { describe, expect, it } from 'vitest';
import { temporaryName } from '../../../src/services/file/file-name.js';
import {
  bootOf,
  isPartOf,
  isWriterGone,
  machineOf,
  temporaryTag,
  thisWriter,
  UNKNOWN_BOOT,
  type Writer,
  writerOf,
} from '../../../src/services/file/leftovers.js';

const HERE = 'aaaaaaaa';
const SELF = { machine: HERE, pid: 100, boot: 'cccccccc' };
/** Of the processes that a test names, this one runs. */
const RUNNING = 200;

describe('the name of an unfinished file', () => {
  it('says who writes it', () => {
    expect(writerOf(temporaryName('a\nb', temporaryTag()))).toEqual(thisWriter());
    expect(thisWriter().pid).toBe(process.pid);
  });

  it('says whose part it is, though long names are cut', () => {
    const long = `${'x'.repeat(250)}.iso`;
    const part = temporaryName(long, temporaryTag());
    expect([isPartOf(part, long), isPartOf(part, `${long}y`), isPartOf(part, 'big.iso')]).toEqual([true, true, false]);
    expect(isPartOf(temporaryName('a', temporaryTag()), 'a')).toBe(true);
  });

  it.each([
    'big.iso',
    '.part',
    '.a.part',
    '.a.0123456789ab.part',
    '.a.aaaaaaaa-1-0123456789ab.part~',
    'a.aaaaaaaa-1-0123456789ab.part',
  ])('is not %s', (name) => expect(writerOf(name)).toBeNull());
});

describe('the machine of a writer', () => {
  const MACHINE_ID = '/etc/machine-id';
  const BOOT_ID = '/proc/sys/kernel/random/boot_id';
  const NAMESPACE = '/proc/self/ns/pid';
  const whole = {
    [MACHINE_ID]: `${'1'.repeat(32)}\n`,
    [BOOT_ID]: '22222222-3333-4444-5555-666666666666\n',
    [NAMESPACE]: 'pid:[4026531836]',
  };
  const named = (files: Record<string, string>, host = 'host') =>
    machineOf(host, (path) => {
      if (!(path in files)) throw new Error(`ENOENT: ${path}`);
      return files[path];
    });

  it('differs with the host name, the machine id and the process namespace', () => {
    const names = [
      named(whole),
      named(whole, 'other'),
      named({ ...whole, [MACHINE_ID]: '7'.repeat(32) }),
      named({ ...whole, [NAMESPACE]: 'pid:[4026532190]' }),
      named({}),
    ];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{8}$/);
  });

  it('stays the same after a restart, which only a machine without an id is told by', () => {
    const restarted = { ...whole, [BOOT_ID]: '99999999-3333-4444-5555-666666666666\n' };
    expect(named(restarted)).toBe(named(whole));
    for (const id of ['', 'uninitialized\n'])
      expect(named({ ...restarted, [MACHINE_ID]: id })).not.toBe(named({ ...whole, [MACHINE_ID]: id }));
  });
});

describe('the start of a machine', () => {
  it('is named by its boot id, and unknown where there is none', () => {
    const one = bootOf(() => '22222222-3333-4444-5555-666666666666\n');
    const two = bootOf(() => '99999999-3333-4444-5555-666666666666\n');
    expect(one).toMatch(/^[0-9a-f]{8}$/);
    expect(two).not.toBe(one);
    const none = bootOf(() => {
      throw new Error('ENOENT');
    });
    expect(none).toBe(UNKNOWN_BOOT);
  });
});

describe('the writer of an unfinished file', () => {
  const MINUTE_MS = 60_000;
  const gone = (writer: Partial<Writer>, ageMs: number, self: Writer = SELF) =>
    isWriterGone({ ...SELF, ...writer }, { self, isRunning: (pid) => pid === RUNNING, ageMs });

  it('is gone at once when its process is not there in the same start of the machine', () => {
    expect([gone({ pid: 300 }, 0), gone({ pid: RUNNING }, 0)]).toEqual([true, false]);
  });

  it('is gone when it had the number of this process, which was one before it', () => {
    expect(gone({}, 0)).toBe(true);
  });

  it('of another start of the machine is gone after a minute, whatever has its number now', () => {
    const before = { pid: RUNNING, boot: 'dddddddd' };
    expect([gone(before, MINUTE_MS - 1), gone(before, MINUTE_MS + 1)]).toEqual([false, true]);
  });

  it('on a machine that tells no start is gone after a minute, unless its process runs', () => {
    const self = { ...SELF, boot: UNKNOWN_BOOT };
    const writer = { pid: 300, boot: UNKNOWN_BOOT };
    expect([gone(writer, 0, self), gone(writer, MINUTE_MS + 1, self)]).toEqual([false, true]);
    expect(gone({ ...writer, pid: RUNNING }, MINUTE_MS + 1, self)).toBe(false);
  });

  it('on another machine is never known to be gone, nor one whose clock is ahead', () => {
    expect(gone({ machine: 'bbbbbbbb', pid: 300 }, 100 * MINUTE_MS)).toBe(false);
    expect(gone({ boot: 'dddddddd' }, -30_000)).toBe(false);
  });

  it('is looked for among the processes of the system', () => {
    const facts = { ageMs: 0 };
    expect(isWriterGone({ ...thisWriter(), pid: process.ppid }, facts)).toBe(false);
    // Far above the numbers that systems give.
    expect(isWriterGone({ ...thisWriter(), pid: 2 ** 31 - 2 }, { ageMs: 2 * MINUTE_MS })).toBe(true);
  });
});
