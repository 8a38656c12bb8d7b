// Tested by test/apps/key/key.test.ts

import { text } from '../../base/value-kind.js';
import { fingerprint, formatKey, type HostKey } from '../../net/key-file.js';
import { optionalOption } from '../shared/options.js';
import type { Results } from '../shared/results.js';

interface KeyOfFile {
  readonly file: string;
  readonly key: HostKey;
  /** How others dial the host. */
  readonly name?: string | undefined;
}

/** What has to be written in its place. */
const NAMELESS = 'ADDRESS:PORT';
const HINT = `# For ${NAMELESS} write how others dial this host: 192.0.2.7:28400, or host-3`;

/** What others may know of the key, for people or as JSON. The line of an identity is ready for a peers file where `name` is how they dial the host. */
export function printKey(
  { file, key, name }: KeyOfFile,
  { results, isJson }: { results: Results; isJson: boolean },
): void {
  const shown = { file, kind: key.kind, fingerprint: fingerprint(key) };
  const publicKey = key.kind === 'identity' ? formatKey(key.identity.public) : undefined;
  if (isJson) results.json(publicKey === undefined ? shown : { ...shown, publicKey });
  else if (publicKey === undefined) results.line(`shared secret ${shown.fingerprint} in ${file}`);
  else {
    results.line(`# identity ${shown.fingerprint} in ${file}`);
    if (name === undefined) results.line(HINT);
    results.line(`${name ?? NAMELESS} ${publicKey}`);
  }
}

/** Option `--name` of the commands. */
export const NAME = optionalOption(text('an address with its port, or host-ID behind a switch'), {
  describe: 'how others dial this host: the name in its line for their peers files',
});
