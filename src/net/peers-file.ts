import { ConfigError } from '../base/config-error.js';
import { formatKey, KEY_TEXT, parseKey } from './key-file.js';
import { readSmallFile } from './small-file.js';

/** As many lines as fit: 65,534 host ids, names of 15 characters and keys of 44 (ours). */
const MAX_FILE_BYTES = 4 * 2 ** 20;

/** Modes of the group and of others. */
const OTHERS_WRITE = 0o022;

/** Who may speak with this host: public keys by name, as ssh's known hosts. */
export class Peers {
  private readonly keys = new Map<string, Uint8Array>();
  private readonly names = new Map<string, string>();

  /** Adds a peer; false where the name has another key. */
  add(name: string, publicKey: Uint8Array): boolean {
    const known = this.keyOf(name);
    if (known !== undefined) return formatKey(known) === formatKey(publicKey);
    this.keys.set(name.toLowerCase(), publicKey);
    const text = formatKey(publicKey);
    if (!this.names.has(text)) this.names.set(text, name);
    return true;
  }

  get size(): number {
    return this.keys.size;
  }

  /** The public key of a host that is about to be called, as the caller names it. */
  keyOf(name: string): Uint8Array | undefined {
    return this.keys.get(name.toLowerCase());
  }

  /** The first name of a host that calls and shows this public key; undefined for a stranger. */
  nameOf(publicKey: Uint8Array): string | undefined {
    return this.names.get(formatKey(publicKey));
  }
}

/**
 * The peers of `--peers FILE`: lines `name-or-address public-key`, and comments from # on. Throws a ConfigError or a Failure that names the file, and
 * the line.
 */
export async function readPeersFile(path: string, platform: NodeJS.Platform = process.platform): Promise<Peers> {
  const what = `peers file '${path}'`;
  const { text, mode } = await readSmallFile(path, what, MAX_FILE_BYTES);
  if (platform !== 'win32' && (mode & OTHERS_WRITE) !== 0) {
    throw new ConfigError(`${what} can be changed by others, who would let themselves in: run chmod go-w '${path}'`);
  }
  return parsePeers(text, what);
}

/** As `readPeersFile`, of text; `what` begins the sentence of an error. */
export function parsePeers(text: string, what: string): Peers {
  const peers = new Peers();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const words = line.replace(/#.*/, '').trim().split(/\s+/);
    if (words[0] === '') continue;
    const problem = words.length === 2 ? addPeer(peers, words[0]!, words[1]!) : FORM;
    if (problem !== null) throw new ConfigError(`${what}, line ${index + 1}: ${problem}`);
  }
  return peers;
}

const FORM = 'has to be a name or address, a space and a public key';

function addPeer(peers: Peers, name: string, written: string): string | null {
  const publicKey = parseKey(written);
  if (publicKey === undefined) return `the public key of ${name} has to be ${KEY_TEXT}`;
  return peers.add(name, publicKey) ? null : `${name} has another public key in a line before: one is allowed`;
}
