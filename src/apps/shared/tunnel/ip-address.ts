// Tested by test/apps/shared/tunnel/allow.test.ts

import { isIPv4, isIPv6 } from 'node:net';

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
