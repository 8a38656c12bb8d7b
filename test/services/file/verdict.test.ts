import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/services/file/fault.js';
import { encodeMessage } from '../../../src/services/file/message.js';
import { TransferReader } from '../../../src/services/file/transfer-reader.js';
import {
  badVerdict,
  goodVerdict,
  parseVerdict,
  type Verdict,
  VerdictBody,
} from '../../../src/services/file/verdict.js';

const sha256 = '0'.repeat(64);

describe('a verdict', () => {
  it('says the same at the other end', () => {
    for (const verdict of [goodVerdict("'a' is complete", sha256), badVerdict(new Fault('noSpace', 'full'))]) {
      expect(parseVerdict(JSON.parse(JSON.stringify(verdict)))).toEqual(verdict);
    }
    expect(badVerdict(new Fault('badDigest', 'x'), sha256)).toMatchObject({ ok: false, code: 'badDigest', sha256 });
  });

  it('may have a word that only a newer peer knows', () => {
    expect(parseVerdict({ kind: 'verdict', ok: false, code: 'moonPhase', message: 'x' })).toMatchObject({
      code: 'moonPhase',
    });
  });

  it('cannot reach the terminal of the one who reads it', () => {
    const parsed = parseVerdict({
      kind: 'verdict',
      ok: false,
      code: 'io',
      message: `\u001b]0;x\u0007${'y'.repeat(5000)}`,
    });
    expect((parsed as Verdict).message).toMatch(/^\\u001b\]0;x\\u0007y+$/);
    expect((parsed as Verdict).message.length).toBeLessThan(1_100);
  });

  it.each([
    [{ kind: 'file', ok: true, code: 'ok', message: 'x' }, 'unsupported'],
    [{ kind: 'verdict', ok: 1, code: 'ok', message: 'x' }, 'badMessage'],
    [{ kind: 'verdict', ok: true, code: 'o k', message: 'x' }, 'badMessage'],
    [{ kind: 'verdict', ok: true, code: 'ok' }, 'badMessage'],
    [{ kind: 'verdict', ok: true, code: 'ok', message: 'x', sha256: 'abc' }, 'badMessage'],
  ])('%j is refused as %s', (message, code) => {
    expect(parseVerdict(message)).toMatchObject({ code });
    expect(parseVerdict(message)).toBeInstanceOf(Fault);
  });

  it('is told as soon as its last byte is there', () => {
    const heard: Verdict[] = [];
    const reader = new TransferReader({
      accept: (header) => {
        const verdict = parseVerdict(header);
        return verdict instanceof Fault ? verdict : new VerdictBody(verdict, (told) => heard.push(told));
      },
      onRefused: () => expect.unreachable(),
      onFraming: () => undefined,
    });
    const bytes = encodeMessage(goodVerdict('done', sha256));
    reader.push(bytes.subarray(0, -1));
    expect(heard).toEqual([]);
    reader.push(bytes.subarray(-1));
    expect(heard).toEqual([goodVerdict('done', sha256)]);
  });
});
