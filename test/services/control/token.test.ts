import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isSameToken, makeToken, readTokenFile } from '../../../src/services/control/token.js';

describe('the token of a control', () => {
  it('has 128 bits, other ones each time', () => {
    expect(makeToken()).toMatch(/^[0-9a-f]{32}$/);
    expect(makeToken()).not.toBe(makeToken());
  });

  it('is the first line of its file, of 16 to 256 characters', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'xpass-token-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'token');
    writeFileSync(path, '0123456789abcdef\r\nmore\n', { mode: 0o600 });
    expect(await readTokenFile(path)).toBe('0123456789abcdef');
    writeFileSync(path, 'short\n');
    await expect(readTokenFile(path)).rejects.toThrow('has 5 characters; allowed: 16 to 256');
    chmodSync(path, 0o640);
    await expect(readTokenFile(path, 'linux')).rejects.toThrow(`'${path}' can be used by others: run chmod 600`);
    await expect(readTokenFile(join(folder, 'none'))).rejects.toThrow(`the token file '${join(folder, 'none')}'`);
  });

  it('is compared whole, whatever is given', () => {
    const token = makeToken();
    expect(isSameToken(token, token)).toBe(true);
    for (const wrong of ['', `${token}0`, token.slice(1), null, 5, undefined])
      expect(isSameToken(wrong, token)).toBe(false);
  });
});
