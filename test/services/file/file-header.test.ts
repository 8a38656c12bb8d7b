import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/services/file/fault.js';
import { isSha256, parseDigest, parseFileHeader } from '../../../src/services/file/file-header.js';

const sha256 = 'a'.repeat(64);

describe('the header of a file', () => {
  it('is taken with what it needs, and only that', () => {
    expect(parseFileHeader({ kind: 'file', name: 'a', bytes: 5, mode: 0o755, later: true })).toEqual({
      kind: 'file',
      name: 'a',
      bytes: 5,
      mode: 0o755,
      offset: 0,
      prefixSha256: null,
    });
  });

  it('loses setuid, setgid and sticky bits', () => {
    expect(parseFileHeader({ kind: 'file', name: 'a', bytes: 5, mode: 0o7755 })).toMatchObject({ mode: 0o755 });
  });

  it('may begin behind bytes that the receiver has', () => {
    const header = { kind: 'file', name: 'a', bytes: 5, mode: 0o644, offset: 5, prefixSha256: sha256 };
    expect(parseFileHeader(header)).toEqual(header);
  });

  it('may leave out the mode', () => {
    expect(parseFileHeader({ kind: 'file', name: 'a', bytes: 0 })).toMatchObject({ mode: 0o666 });
  });

  it.each([
    [{ kind: 'perf', name: 'a', bytes: 5 }, 'unsupported'],
    [{ kind: 'file', bytes: 5 }, 'badName'],
    [{ kind: 'file', name: '../a', bytes: 5 }, 'badName'],
    [{ kind: 'file', name: ['a'], bytes: 5 }, 'badName'],
    [{ kind: 'file', name: 'a' }, 'badMessage'],
    [{ kind: 'file', name: 'a', bytes: -1 }, 'badMessage'],
    [{ kind: 'file', name: 'a', bytes: 1.5 }, 'badMessage'],
    [{ kind: 'file', name: 'a', bytes: '5' }, 'badMessage'],
    [{ kind: 'file', name: 'a', bytes: 2 ** 53 }, 'badMessage'],
    [{ kind: 'file', name: 'a', bytes: 5, mode: 0o10000 }, 'badMessage'],
    [{ kind: 'file', name: 'a', bytes: 5, offset: 6, prefixSha256: sha256 }, 'badMessage'],
    [{ kind: 'file', name: 'a', bytes: 5, offset: -1, prefixSha256: sha256 }, 'badMessage'],
    [{ kind: 'file', name: 'a', bytes: 5, offset: 1 }, 'badMessage'],
    [{ kind: 'file', name: 'a', bytes: 5, offset: 1, prefixSha256: 'a' }, 'badMessage'],
    [{ kind: 'file', name: 'a', bytes: 5, mode: 'rwx' }, 'badMessage'],
  ])('%j is refused as %s', (header, code) => {
    const fault = parseFileHeader(header);
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ code });
  });
});

describe('the digest of a file', () => {
  it('is 64 hexadecimal digits', () => {
    expect(parseDigest({ kind: 'digest', sha256 })).toEqual({ kind: 'digest', sha256 });
    for (const wrong of [sha256.toUpperCase(), `${sha256}a`, sha256.slice(1), `${sha256}\n`, 'g'.repeat(64)]) {
      expect(isSha256(wrong)).toBe(false);
    }
  });

  it.each([[null], [{ kind: 'digest' }], [{ kind: 'file', sha256 }], [{ kind: 'digest', sha256: 5 }]])(
    '%j is refused',
    (message) => {
      expect(parseDigest(message)).toBeInstanceOf(Fault);
    },
  );
});
