import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatKey } from '../../src/net/key-file.js';
import { parsePeers, readPeersFile } from '../../src/net/peers-file.js';

const [first, second] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const [firstText, secondText] = [formatKey(first), formatKey(second)];

describe('a peers file', () => {
  it('has names, addresses and comments', () => {
    const peers = parsePeers(
      `# of the lab\n\nAlpha.example  ${firstText} # rack 3\r\n\t10.0.0.2\t${secondText}\n10.0.0.2:7000 ${secondText}\n`,
      'peers',
    );
    expect(peers.size).toBe(3);
    expect(peers.keyOf('alpha.EXAMPLE')).toEqual(first);
    expect(peers.keyOf('10.0.0.2:7000')).toEqual(second);
    expect(peers.keyOf('10.0.0.3')).toBeUndefined();
    expect(peers.nameOf(second)).toBe('10.0.0.2');
    expect(peers.nameOf(new Uint8Array(32))).toBeUndefined();
  });

  it.each([
    [`alpha`, 'has to be a name or address, a space and a public key'],
    [`alpha ${firstText} more`, 'has to be a name or address, a space and a public key'],
    [`alpha ${firstText.slice(4)}`, 'the public key of alpha has to be 32 bytes in base64, 44 characters'],
    [`beta ${secondText}`, 'beta has another public key in a line before: one is allowed'],
  ])('with the line %s is refused by file and line', (line, why) => {
    expect(() => parsePeers(`# names\nbeta ${firstText}\n${line}\n`, "peers file 'p'")).toThrow(
      `peers file 'p', line 3: ${why}`,
    );
  });

  it('may say the same twice', () => {
    expect(parsePeers(`a ${firstText}\na ${firstText}`, 'peers').size).toBe(1);
  });

  it('is read from disk, and named where it is not there', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'xpass-peers-'));
    const file = join(directory, 'peers');
    await expect(readPeersFile(file)).rejects.toThrow(`peers file '${file}' does not exist`);
    await writeFile(file, `a ${firstText}\n`);
    expect((await readPeersFile(file)).keyOf('a')).toEqual(first);
    await chmod(file, 0o664);
    await expect(readPeersFile(file, 'linux')).rejects.toThrow(`peers file '${file}' can be changed by others`);
    expect((await readPeersFile(file, 'win32')).size).toBe(1);
    await rm(directory, { recursive: true });
  });
});
