// Tested by test/services/tunnel/allow.test.ts
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { ValueKind } from '../../base/value-kind.js';

/** An address in its one spelling: IPv6 shortened as in RFC 5952, and what is IPv4 inside IPv6 (RFC 4291 §2.5.5.2) as IPv4. */
export interface IpAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Null for what is no address, and for one with a zone (`fe80::1%eth0`), which means something on one machine only. */
export function readIpAddress(text: string): IpAddress | null {
  if (isIPv4(text)) return { address: text, family: 4 };
  if (!isIPv6(text) || text.includes('%')) return null;
  const address = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (mapped === null) return { address, family: 6 };
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return { address: `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`, family: 4 };
}

/** A connection to one of these goes to the machine that makes it (RFC 1122 §3.2.1.3 forbids them as destinations). */
export function isUnspecified({ address }: IpAddress): boolean {
  return address === '0.0.0.0' || address === '::';
}

/** One entry of what may be reached. docs/TUNNEL.md, "What may be reached" */
export interface AllowRule {
  /** As it was written. */
  readonly text: string;
  readonly host: '*' | RuleName | RuleAddresses;
  readonly lowestPort: number;
  readonly highestPort: number;
}

/** Matches the same name in a request. It is never looked up to match an address. */
interface RuleName {
  readonly name: string;
}

interface RuleAddresses {
  /** A BlockList takes every IPv4 address as part of ::/0 as well. */
  readonly family: 4 | 6;
  readonly addresses: BlockList;
}

const MAX_PORT = 65_535;
/** RFC 1035 §2.3.4 */
const MAX_NAME_CHARACTERS = 253;

/** An entry as a value of an option. */
export const ALLOW_RULE: ValueKind<AllowRule> = {
  allowed:
    'HOST:PORTS, where HOST is a name, an address, ADDRESS/BITS, [IPV6], [IPV6/BITS] or *, and PORTS a port from 1 to 65535, LOWEST-HIGHEST or *',
  parse: (text) => {
    const parts = /^(\*|\[[0-9A-Fa-f:.]+(?:\/\d{1,3})?\]|[^:[\]*]+):([\d*-]+)$/.exec(text);
    if (parts === null) return undefined;
    const host = parseHost(parts[1]!);
    const ports = parsePorts(parts[2]!);
    return host === null || ports === null ? undefined : { text, host, ...ports };
  },
  format: ({ text }) => text,
};

/** Whether a name may be reached because an entry names it, wherever it leads. */
export function allowsName(rules: readonly AllowRule[], name: string, port: number): boolean {
  const wanted = plainName(name);
  return rules.some((rule) => {
    if (!hasPort(rule, port)) return false;
    return rule.host === '*' || ('name' in rule.host && rule.host.name === wanted);
  });
}

/** Whether an entry covers the address. */
export function allowsAddress(rules: readonly AllowRule[], { address, family }: IpAddress, port: number): boolean {
  return rules.some((rule) => {
    if (!hasPort(rule, port)) return false;
    if (rule.host === '*') return true;
    return (
      'addresses' in rule.host && rule.host.family === family && rule.host.addresses.check(address, `ipv${family}`)
    );
  });
}

/** Whether an entry covers any addresses at this port. */
export function mayCoverAddress(rules: readonly AllowRule[], port: number): boolean {
  return rules.some((rule) => hasPort(rule, port) && rule.host !== '*' && 'addresses' in rule.host);
}

/** Names are equal without regard to case and to the dot that ends a full name. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** A name of the DNS, or what a hosts file may have. Digits and dots alone would be read as an address by the system. */
export function isHostName(text: string): boolean {
  if (text.length > MAX_NAME_CHARACTERS || /^[\d.]+$/.test(text)) return false;
  return /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$/.test(text);
}

function parseHost(text: string): AllowRule['host'] | null {
  if (text === '*') return '*';
  const inside = text.startsWith('[') ? text.slice(1, -1) : text;
  const [written, bits, ...more] = inside.split('/');
  const address = readIpAddress(written!);
  if (address === null) return !text.startsWith('[') && isHostName(text) ? { name: plainName(text) } : null;
  if (more.length > 0 || text.startsWith('[') !== written!.includes(':')) return null;
  return parseSubnet(address, { bits, isMapped: address.family === 4 && text.startsWith('[') });
}

function parseSubnet(
  { address, family }: IpAddress,
  { bits, isMapped }: { bits: string | undefined; isMapped: boolean },
): RuleAddresses | null {
  const most = family === 4 ? 32 : 128;
  // 96 bits of `::ffff:192.0.2.1` are the prefix that says IPv4.
  const prefix = bits === undefined ? most : /^\d+$/.test(bits) ? Number(bits) - (isMapped ? 96 : 0) : -1;
  if (prefix < 0 || prefix > most) return null;
  const addresses = new BlockList();
  addresses.addSubnet(address, prefix, `ipv${family}`);
  return { family, addresses };
}

function parsePorts(text: string): { lowestPort: number; highestPort: number } | null {
  if (text === '*') return { lowestPort: 1, highestPort: MAX_PORT };
  const parts = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text);
  if (parts === null) return null;
  const lowestPort = Number(parts[1]);
  const highestPort = parts[2] === undefined ? lowestPort : Number(parts[2]);
  if (lowestPort < 1 || highestPort > MAX_PORT || lowestPort > highestPort) return null;
  return { lowestPort, highestPort };
}

function hasPort({ lowestPort, highestPort }: AllowRule, port: number): boolean {
  return port >= lowestPort && port <= highestPort;
}
