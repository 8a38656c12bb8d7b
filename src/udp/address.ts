import { lookup } from 'node:dns/promises';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { XpassError } from '../base/errors.js';
import type { ValueKind } from '../base/value-kind.js';

/** Where somebody is said to be: as people write it. */
export interface Address {
  /** A host name or a numeric IP address without brackets. */
  readonly host: string;
  /** 0 to 65,535; 0 only where the system may choose. */
  readonly port: number;
}

/** Where a datagram goes or comes from. */
export interface UdpAddress {
  /** Numeric, without brackets. */
  readonly address: string;
  /** 1 to 65,535. */
  readonly port: number;
  /** 4 or 6, for IPv4 and IPv6. */
  readonly family: 4 | 6;
}

/** One end of a trunk. PROTOCOL §8.4 */
export interface TrunkAddresses {
  /** The trunk's name in the topology. */
  name: string;
  /** Where this end receives: its own port, which the other process names. */
  bind: Address;
  remote: Address;
}

/** What stands in for parts that are left out; a part without a default must be there. */
export interface AddressDefaults {
  readonly host?: string;
  readonly port?: number;
  /** Port 0, "any free one", is allowed: for an address to bind to. */
  readonly anyPort?: boolean;
}

const FORMS = 'write HOST:PORT, [IPV6]:PORT or :PORT';
/** RFC 1035 §2.3.4 */
const MAX_NAME_CHARACTERS = 253;
const MAX_PORT = 65_535;

/**
 * Reads `host:port`, `1.2.3.4:port`, `[::1]:port`, and, where the defaults allow it, `:port`, `host` and `::1`.
 * Throws XpassError `config` that quotes the text and says what is allowed.
 */
export function parseAddress(text: string, defaults: AddressDefaults = {}): Address {
  const { host, port } = split(text.trim());
  return { host: checkedHost(text, host, defaults), port: checkedPort(text, port, defaults) };
}

/** Both parts as text; empty where left out. */
function split(text: string): { host: string; port: string } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  if (bracketed !== null) {
    if (!isIPv6(bracketed[1]!)) throw unreadable(text, 'what stands in brackets is no IPv6 address');
    return { host: bracketed[1]!, port: bracketed[2] ?? '' };
  }
  if (isIPv6(text)) return { host: text, port: '' };
  const colon = text.lastIndexOf(':');
  if (colon < 0) return { host: text, port: '' };
  if (text.indexOf(':') !== colon) throw unreadable(text, 'an IPv6 address stands in brackets');
  return { host: text.slice(0, colon), port: text.slice(colon + 1) };
}

function checkedHost(text: string, host: string, defaults: AddressDefaults): string {
  if (host === '') {
    if (defaults.host === undefined) throw unreadable(text, 'the host is missing');
    return defaults.host;
  }
  if (isIP(host) !== 0) return host;
  const isName = /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$/.test(host) && host.length <= MAX_NAME_CHARACTERS;
  if (!isName) throw unreadable(text, `'${host}' is no host name`);
  // The system's resolver takes 9000 as 0.0.35.40 and 10.1 as 10.0.0.1; nobody who writes that means it.
  if (/^[\d.]+$/.test(host)) throw unreadable(text, `'${host}' is neither a host name nor an IPv4 address`);
  return host;
}

function checkedPort(text: string, port: string, defaults: AddressDefaults): number {
  if (port === '') {
    if (defaults.port === undefined) throw unreadable(text, 'the port is missing');
    return defaults.port;
  }
  const least = defaults.anyPort === true ? 0 : 1;
  const value = /^\d{1,5}$/.test(port) ? Number(port) : -1;
  if (value < least || value > MAX_PORT) throw unreadable(text, `a port is a number from ${least} to ${MAX_PORT}`);
  return value;
}

function unreadable(text: string, why: string): XpassError {
  return new XpassError('config', `'${text}' is not an address: ${why}; ${FORMS}`);
}

/** `host:port`, with brackets around IPv6. */
export function formatAddress(address: Address | UdpAddress): string {
  const host = 'host' in address ? address.host : address.address;
  return isIPv6(host) ? `[${host}]:${address.port}` : `${host}:${address.port}`;
}

/**
 * The numeric address, asked of the system's resolver when it is a name: at start only, never while frames flow. `family` asks for an address
 * that a socket of that family can reach; 6 makes `::ffff:1.2.3.4` of IPv4. Throws XpassError `config` for a name that does not resolve.
 */
export async function resolveAddress(address: Address, family: 0 | 4 | 6 = 0): Promise<UdpAddress> {
  const numeric = isIP(address.host) === 0 ? await resolveName(address.host, family) : address.host;
  if (isIPv4(numeric) && family === 6) return { address: `::ffff:${numeric}`, port: address.port, family: 6 };
  if (isIPv6(numeric) && family === 4) {
    throw new XpassError(
      'config',
      `${formatAddress(address)} is IPv6, which an IPv4 socket does not reach: bind to [::]`,
    );
  }
  return { address: numeric, port: address.port, family: isIPv6(numeric) ? 6 : 4 };
}

async function resolveName(host: string, family: 0 | 4 | 6): Promise<string> {
  try {
    // A socket of family 6 reaches IPv4 hosts too, so only family 4 narrows the question.
    const found = await lookup(host, { family: family === 4 ? 4 : 0 });
    return found.address;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new XpassError('config', `the host name '${host}' does not resolve (${code})`);
  }
}

/** Where a socket that only talks to `remote` binds: loopback for loopback, else any interface; a free port. */
export function bindAddressFor(remote: UdpAddress): UdpAddress {
  const { family } = remote;
  if (family === 4) return { address: remote.address.startsWith('127.') ? '127.0.0.1' : '0.0.0.0', port: 0, family };
  return { address: remote.address === '::1' ? '::1' : '::', port: 0, family };
}

/** A UDP address as an option's value; the grammar is that of udp/address.ts. A part that has a default may be left out. */
export function address(defaults: AddressDefaults = {}): ValueKind<Address> {
  const forms = ['HOST:PORT', '[IPV6]:PORT'];
  if (defaults.host !== undefined) forms.push(`:PORT (of ${defaults.host})`);
  if (defaults.port !== undefined) forms.push(`HOST (port ${defaults.port})`);
  const ports = `ports ${defaults.anyPort === true ? '0 (any free one)' : '1'} to 65535`;
  return {
    allowed: `${forms.join(', ')}; ${ports}`,
    parse: (text) => {
      if (text === '') return undefined;
      try {
        return parseAddress(text, defaults);
      } catch (error) {
        if (error instanceof XpassError) return undefined;
        throw error;
      }
    },
    format: formatAddress,
  };
}

/** Whether only processes of this machine reach it. */
export function isLoopback({ host }: Address): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** What one owner of addresses has at the least: an IPv4 address, and of an IPv6 address the 64 bits of its network. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  // An IPv4 address that a socket of IPv6 shows.
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [front = '', back] = address.split('%', 1)[0]!.split('::');
  const groups = front === '' ? [] : front.split(':');
  const behind = back === undefined || back === '' ? [] : back.split(':');
  const zeros = new Array<string>(back === undefined ? 0 : Math.max(0, 8 - groups.length - behind.length)).fill('0');
  return [...groups, ...zeros, ...behind].slice(0, 4).join(':');
}
