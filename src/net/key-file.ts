import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { ConfigError } from '../base/config-error.js';
import { failureOf } from '../base/failure.js';
import type { NoiseKeyPair } from '../core/noise-state.js';
import { keyPairOf } from '../udp/noise-primitives.js';
import { readSmallFile } from './small-file.js';

/** Bytes of a shared secret and of either key of X25519. */
const KEY_BYTES = 32;
/** Longer than any key file of ours with its comments (ours). */
const MAX_FILE_BYTES = 4_096;
/** Of a file's mode: what its group and all others may do with it. */
const OTHERS = 0o077;
/** Its owner alone reads and writes it. */
const OWNER_ONLY = 0o600;
const PERMISSIONS = 0o777;

/** First line of a key file, by what it holds. */
const HEADERS = {
  secret: 'xpass shared secret, version 1: whoever has this file can speak to all who have it',
  identity: 'xpass identity, version 1: whoever has this file can pretend to be this host',
} as const;

/** What a key file holds. */
export type HostKey =
  | { readonly kind: 'secret'; readonly secret: Uint8Array }
  | { readonly kind: 'identity'; readonly identity: NoiseKeyPair };

/** A new key: a secret that all hosts share, or an identity of one host. */
export function makeKey(kind: HostKey['kind']): HostKey {
  const bytes = new Uint8Array(randomBytes(KEY_BYTES));
  return kind === 'secret' ? { kind, secret: bytes } : { kind, identity: keyPairOf(bytes) };
}

/** Writes a file that only its owner may read. Throws a Failure where the file is there already, whatever it is. */
export async function writeKeyFile(path: string, key: HostKey): Promise<void> {
  const bytes = key.kind === 'secret' ? key.secret : key.identity.secret;
  let file: FileHandle | null = null;
  try {
    file = await open(path, 'wx', OWNER_ONLY);
    await file.writeFile(`${HEADERS[key.kind]}\n${formatKey(bytes)}\n`);
  } catch (error) {
    throw failureOf(error, `key file '${path}'`) ?? error;
  } finally {
    await file?.close();
  }
}

/** The key of `--key FILE`. Throws a ConfigError or a Failure that names the file, and the line; `platform`: Windows has no modes. */
export async function readKeyFile(path: string, platform: NodeJS.Platform = process.platform): Promise<HostKey> {
  const what = `key file '${path}'`;
  const { text, mode } = await readSmallFile(path, what, MAX_FILE_BYTES);
  if (platform !== 'win32' && (mode & OTHERS) !== 0) {
    const octal = (mode & PERMISSIONS).toString(8).padStart(3, '0');
    throw new ConfigError(`${what} can be used by others (mode ${octal}): run chmod 600 '${path}'`);
  }
  const [header = '', written = '', ...rest] = text.split(/\r?\n/);
  const kind = (Object.keys(HEADERS) as HostKey['kind'][]).find((name) => HEADERS[name] === header.trim());
  if (kind === undefined) {
    throw new ConfigError(`${what}, line 1: is not the first line of a key file: make one with xpass key new`);
  }
  const bytes = parseKey(written.trim());
  if (bytes === undefined) throw new ConfigError(`${what}, line 2: has to be ${KEY_TEXT}`);
  const extra = rest.findIndex((line) => line.trim() !== '');
  if (extra >= 0) throw new ConfigError(`${what}, line ${extra + 3}: a key file has two lines`);
  return kind === 'secret' ? { kind, secret: bytes } : { kind, identity: keyPairOf(bytes) };
}

/** What may be shown of a key: 128 bits that tell it from others and do not lead back to it. */
export function fingerprint(key: HostKey): string {
  const bytes = key.kind === 'secret' ? key.secret : key.identity.public;
  const digest = createHash('sha256').update(`xpass fingerprint of ${key.kind} `).update(bytes).digest('hex');
  return digest.slice(0, 32).replace(/(.{4})(?=.)/g, '$1-');
}

/** What a key is as text, for errors. */
export const KEY_TEXT = `${KEY_BYTES} bytes in base64, 44 characters`;

export function formatKey(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Undefined for what is no key as `formatKey` writes it. */
export function parseKey(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === KEY_BYTES && bytes.toString('base64') === text ? Uint8Array.from(bytes) : undefined;
}
