import { ConfigError } from '../../../src/base/config-error.js';
import { formatKey, parseKey } from '../../../src/net/key-file.js';
import { parsePeers } from '../../../src/net/peers-file.js';
import { bytesOf, must, type Target, textOf } from '../engine/target.js';

const KEYS = [1, 2].map((byte) => formatKey(new Uint8Array(32).fill(byte)));

/** Texts of keys and of files of peers: what is taken writes back the same, and a refusal names the line. */
export const keys: Target = {
  name: 'keys',
  seeds: () =>
    [
      KEYS[0]!,
      `# who may come\nh1 ${KEYS[0]}\n10.0.0.2 ${KEYS[1]} # the second\r\n`,
      `h1 ${KEYS[0]}\nH1 ${KEYS[1]}\n`,
      `h1 ${KEYS[0]} more\n`,
    ].map(bytesOf),
  words: ['\n', '\r\n', '#', ' ', '\t', '=', '__proto__', ...KEYS],
  run: (input) => {
    const text = textOf(input);
    const key = parseKey(text);
    if (key !== undefined) must(key.length === 32 && formatKey(key) === text, 'a key writes back the same');
    try {
      checkPeers(text);
    } catch (error) {
      must(error instanceof ConfigError, `a refusal is none, but ${String(error)}`);
      const line = Number(/^peers, line (\d+): /.exec(error.message)?.[1]);
      must(line >= 1 && line <= text.split('\n').length, `'${error.message}' names no line`);
    }
  },
};

/** Each line that says something is in what is read. */
function checkPeers(text: string): void {
  const read = parsePeers(text, 'peers');
  const names = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const [name = '', key = ''] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (name === '') continue;
    names.add(name.toLowerCase());
    const publicKey = read.keyOf(name);
    must(publicKey !== undefined && formatKey(publicKey) === key, `${name} has its key`);
    must(read.nameOf(publicKey) !== undefined, `the key of ${name} has a name`);
  }
  must(read.size === names.size, `${read.size} peers of ${names.size} names`);
}
