import { XpassError } from '../../base/errors.js';
import type { ValueKind } from '../../base/value-kind.js';
import { type Address, formatAddress, parseAddress } from '../../udp/address.js';

/** What `-L` and `-R` say: where to listen on TCP, and where each connection goes from the other side. */
export interface Forward {
  /** Port 0 is any free one. */
  readonly bind: Address;
  readonly target: Address;
}

/** As ssh's: only programs of the same machine get in unless an address is written. */
const DEFAULT_BIND = '127.0.0.1';
/** Every address of the machine, of IPv6 and, where the system has it so, of IPv4. */
const ANY_ADDRESS = '::';

/** `[bind:]port:host:hostport`. */
export const FORWARD: ValueKind<Forward> = {
  allowed:
    '[BIND:]PORT:HOST:HOSTPORT, IPv6 addresses in brackets, BIND * for all addresses, ports to 65535, PORT 0 for any free one',
  parse: (text) => {
    const parts = splitColons(text);
    if (parts === null || (parts.length !== 3 && parts.length !== 4)) return undefined;
    const [host, port] = parts.slice(-2);
    const bind = parseBind(parts.slice(0, -2));
    const target = host === '' ? undefined : readAddress(`${host}:${port}`, false);
    return bind === undefined || target === undefined ? undefined : { bind, target };
  },
  format: ({ bind, target }) => `${formatAddress(bind)}:${formatAddress(target)}`,
};

/** `[bind:]port`. */
export const BIND: ValueKind<Address> = {
  allowed: '[BIND:]PORT, an IPv6 address in brackets, BIND * for all addresses, ports to 65535, 0 for any free one',
  parse: (text) => {
    const parts = splitColons(text);
    return parts === null || parts.length > 2 ? undefined : parseBind(parts);
  },
  format: formatAddress,
};

/** One part is the port alone; ssh too takes an empty address and `*` for all. */
function parseBind(parts: readonly string[]): Address | undefined {
  const port = parts.at(-1) ?? '';
  const host = parts.length === 1 ? DEFAULT_BIND : parts[0]!;
  if (!/^\d+$/.test(port)) return undefined;
  return readAddress(host === '' || host === '*' ? `[${ANY_ADDRESS}]:${port}` : `${host}:${port}`, true);
}

function readAddress(text: string, anyPort: boolean): Address | undefined {
  try {
    return parseAddress(text, { anyPort });
  } catch (error) {
    if (error instanceof XpassError) return undefined;
    throw error;
  }
}

/** The parts between colons that stand outside brackets; null when brackets do not enclose a whole part. */
function splitColons(text: string): string[] | null {
  const parts = text.match(/\[[^\]]*\]|[^:[\]]+|:/g) ?? [];
  if (parts.join('') !== text) return null;
  const split = [''];
  for (const part of parts) {
    if (part === ':') split.push('');
    else if (split.at(-1) === '') split[split.length - 1] = part;
    else return null;
  }
  return split;
}
