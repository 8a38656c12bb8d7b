// Tested by test/apps/key/key.test.ts
import { hostname } from 'node:os';
import { fingerprint, formatKey, type HostKey } from '../../net/key-file.js';
import type { Results } from '../shared/results.js';

interface KeyOfFile {
  readonly file: string;
  readonly key: HostKey;
}

/** What others may know of the key, for people or as JSON. The line of an identity is ready for a peers file, under this machine's name. */
export function printKey({ file, key }: KeyOfFile, { results, isJson }: { results: Results; isJson: boolean }): void {
  const shown = { file, kind: key.kind, fingerprint: fingerprint(key) };
  const publicKey = key.kind === 'identity' ? formatKey(key.identity.public) : undefined;
  if (isJson) results.json(publicKey === undefined ? shown : { ...shown, publicKey });
  else if (publicKey === undefined) results.line(`shared secret ${shown.fingerprint} in ${file}`);
  else results.line(`# identity ${shown.fingerprint} in ${file}\n${hostname()} ${publicKey}`);
}
