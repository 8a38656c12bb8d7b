import { isIPv4 } from 'node:net';
import type { Address } from '../../udp/address.js';
import { isHostName, readIpAddress } from './allow.js';

/** SOCKS version 5 without authentication, as RFC 1928 has it: what a proxy reads and answers. CONNECT alone is served. */

const VERSION = 5;
/** RFC 1928 §3 */
const NO_AUTHENTICATION = 0;
const NO_ACCEPTABLE_METHOD = 0xff;
/** RFC 1928 §4 */
const COMMAND_CONNECT = 1;
const AddressType = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** RFC 1928 §6 */
export const SocksReply = {
  succeeded: 0,
  generalFailure: 1,
  notAllowed: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  connectionRefused: 5,
  ttlExpired: 6,
  commandNotSupported: 7,
  addressTypeNotSupported: 8,
} as const;

export type SocksReply = (typeof SocksReply)[keyof typeof SocksReply];

/** Version, count and 255 methods; version, command, reserved, type, length, a name of 255 bytes and a port. RFC 1928 §3 and §4 */
const MAX_GREETING_BYTES = 257;
const MAX_REQUEST_BYTES = 262;

/** What a client's bytes come to. `answer` goes back to it in any case but where it is empty. */
export type SocksStep =
  | { readonly kind: 'more' }
  | { readonly kind: 'greeted'; readonly answer: Uint8Array }
  | { readonly kind: 'connect'; readonly target: Address; readonly rest: Uint8Array }
  | { readonly kind: 'refused'; readonly answer: Uint8Array; readonly reason: string };

const MORE: SocksStep = { kind: 'more' };

/** Reads a client's side, split anywhere. Never throws, whatever arrives; holds at most one greeting, one request and what came in the greeting's chunk. */
export class SocksReader {
  private state: 'greeting' | 'request' | 'over' = 'greeting';
  private readonly held = new Uint8Array(MAX_GREETING_BYTES + MAX_REQUEST_BYTES);
  private filled = 0;
  /** What came with the greeting and did not fit: for the next call, which takes it. At most one chunk. */
  private beyond = new Uint8Array(0);

  /** The next bytes. Call it again without any after `greeted`: the request may have come with the greeting. */
  push(chunk: Uint8Array): SocksStep {
    if (this.state === 'over') return MORE;
    const arrived = this.beyond.length === 0 ? chunk : Buffer.concat([this.beyond, chunk]);
    const count = Math.min(arrived.length, this.held.length - this.filled);
    this.held.set(arrived.subarray(0, count), this.filled);
    this.filled += count;
    this.beyond = Uint8Array.from(arrived.subarray(count));
    const bytes = this.held.subarray(0, this.filled);
    const step = this.state === 'greeting' ? this.greet(bytes) : this.request(bytes, this.beyond);
    if (step.kind === 'refused' || step.kind === 'connect') this.state = 'over';
    return step;
  }

  private greet(bytes: Uint8Array): SocksStep {
    if (bytes.length >= 1 && bytes[0] !== VERSION) {
      return {
        kind: 'refused',
        answer: new Uint8Array(0),
        reason: `version ${bytes[0]} of SOCKS; allowed: ${VERSION}`,
      };
    }
    if (bytes.length < 2 || bytes.length < 2 + bytes[1]!) return MORE;
    const length = 2 + bytes[1]!;
    if (!bytes.subarray(2, length).includes(NO_AUTHENTICATION)) {
      const answer = Uint8Array.of(VERSION, NO_ACCEPTABLE_METHOD);
      return { kind: 'refused', answer, reason: 'the client offers no access without authentication' };
    }
    this.drop(length);
    this.state = 'request';
    return { kind: 'greeted', answer: Uint8Array.of(VERSION, NO_AUTHENTICATION) };
  }

  /** `beyond` is what did not fit: bytes for the target that came early. */
  private request(bytes: Uint8Array, beyond: Uint8Array): SocksStep {
    if (bytes.length >= 1 && bytes[0] !== VERSION)
      return refusal(SocksReply.generalFailure, 'a request of another version');
    if (bytes.length < 5) return MORE;
    const [, command, , type, first] = bytes;
    if (command !== COMMAND_CONNECT)
      return refusal(SocksReply.commandNotSupported, `command ${command}; allowed: 1 (CONNECT)`);
    const hostBytes = hostLength(type!, first!);
    if (hostBytes === null)
      return refusal(SocksReply.addressTypeNotSupported, `address type ${type}; allowed: 1, 3, 4`);
    const length = 4 + hostBytes + 2;
    if (bytes.length < length) return MORE;
    const host = readHost(type!, bytes.subarray(4, 4 + hostBytes));
    const port = bytes[length - 2]! * 256 + bytes[length - 1]!;
    if (host === null) return refusal(SocksReply.generalFailure, 'the request names no host');
    if (port === 0) return refusal(SocksReply.generalFailure, 'port 0; allowed: 1 to 65535');
    const rest = new Uint8Array(bytes.length - length + beyond.length);
    rest.set(bytes.subarray(length));
    rest.set(beyond, bytes.length - length);
    return { kind: 'connect', target: { host, port }, rest };
  }

  private drop(count: number): void {
    this.held.copyWithin(0, count, this.filled);
    this.filled -= count;
  }
}

/** The proxy's word on a request. The bound address is left at 0.0.0.0:0: it is the far side's, and no client needs it for CONNECT. */
export function encodeSocksReply(reply: SocksReply): Uint8Array {
  return Uint8Array.of(VERSION, reply, 0, AddressType.ipv4, 0, 0, 0, 0, 0, 0);
}

/** The reply for a code of docs/TUNNEL.md, "Codes". */
export function socksReplyOf(code: string): SocksReply {
  return REPLIES.get(code) ?? SocksReply.generalFailure;
}

const REPLIES: ReadonlyMap<string, SocksReply> = new Map([
  ['notAllowed', SocksReply.notAllowed],
  ['unreachable', SocksReply.hostUnreachable],
  ['unknownHost', SocksReply.hostUnreachable],
  ['refused', SocksReply.connectionRefused],
  ['timeout', SocksReply.ttlExpired],
]);

function refusal(reply: SocksReply, reason: string): SocksStep {
  return { kind: 'refused', answer: encodeSocksReply(reply), reason };
}

/** Bytes of the address, a name's length byte included; null for a type that RFC 1928 §5 does not have. */
function hostLength(type: number, first: number): number | null {
  if (type === AddressType.ipv4) return 4;
  if (type === AddressType.ipv6) return 16;
  return type === AddressType.name ? 1 + first : null;
}

function readHost(type: number, bytes: Uint8Array): string | null {
  if (type === AddressType.ipv4) return bytes.join('.');
  if (type === AddressType.ipv6) return readIpv6(bytes);
  const text = String.fromCharCode(...bytes.subarray(1));
  // Some clients write an address as a name.
  return isIPv4(text) || isHostName(text) ? text : (readIpAddress(text)?.address ?? null);
}

function readIpv6(bytes: Uint8Array): string | null {
  const groups = Array.from({ length: 8 }, (_, at) => (bytes[2 * at]! * 256 + bytes[2 * at + 1]!).toString(16));
  return readIpAddress(groups.join(':'))?.address ?? null;
}
