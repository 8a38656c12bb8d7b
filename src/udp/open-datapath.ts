// Tested by test/loopback/udp-datapath.test.ts
import type { Datapath, DatapathKind, DatapathOptions } from './datapath.js';
import { openDgramDatapath } from './dgram-datapath.js';
import { openMmsgDatapath } from './mmsg/mmsg-datapath.js';
import { loadNative } from './mmsg/native.js';

/**
 * Opens a socket. Where the kind that is wanted cannot be had here, it is `dgram`, and the datapath's `info.fallback` says why. Throws XpassError
 * `config` or `unreachable` that names the address when it cannot be bound or connected.
 */
export async function openDatapath(
  options: DatapathOptions,
  kind: DatapathKind = 'dgram',
  load = loadNative,
): Promise<Datapath> {
  if (kind === 'dgram') return openDgramDatapath(options);
  const native = await load();
  if (typeof native !== 'string') return openMmsgDatapath(options, native);
  return openDgramDatapath(options, `--datapath mmsg is not to be had here, dgram is used: ${native}`);
}
