// Tested by test/loopback/tunnel.test.ts

import type { Address } from '../../udp/address.js';
import { Fault } from '../file/fault.js';
import type { Message } from '../file/message.js';
import { isHostName, readIpAddress } from './allow.js';

/** Headers and answers of tunnels. docs/TUNNEL.md */
export const TunnelKind = {
  /** Header: connect to a host. */
  connect: 'tunnel',
  /** Answer: the connection stands. */
  open: 'tunnel-open',
  /** Header: listen, and open a stream for each connection. */
  listen: 'tunnel-listen',
  /** Answer: connections are taken. */
  listening: 'tunnel-listening',
  /** Header: a connection came to a listener of the peer's. */
  accepted: 'tunnel-accepted',
} as const;

/** A peer that was asked to listen. `token` goes back with each connection, so that nobody else can pretend to have one. */
export interface ListenRequest {
  readonly bind: Address;
  readonly token: string;
}

/** A connection that came to a listener, and from where. */
export interface Accepted {
  readonly token: string;
  readonly from: Address;
}

export function connectHeader({ host, port }: Address): Message {
  return { kind: TunnelKind.connect, host, port };
}

export function listenHeader({ bind: { host, port }, token }: ListenRequest): Message {
  return { kind: TunnelKind.listen, host, port, token };
}

export function acceptedHeader({ token, from: { host, port } }: Accepted): Message {
  return { kind: TunnelKind.accepted, token, host, port };
}

export function listeningAnswer({ host, port }: Address): Message {
  return { kind: TunnelKind.listening, host, port };
}

/** Where a header wants to go. */
export function parseConnect(header: Message): Address | Fault {
  return parseAddressFields(header, 1);
}

export function parseListen(header: Message): ListenRequest | Fault {
  const bind = parseAddressFields(header, 0);
  const token = parseToken(header);
  if (bind instanceof Fault) return bind;
  return token instanceof Fault ? token : { bind, token };
}

export function parseAccepted(header: Message): Accepted | Fault {
  const from = parseAddressFields(header, 1);
  const token = parseToken(header);
  if (from instanceof Fault) return from;
  return token instanceof Fault ? token : { token, from };
}

/** Where a peer listens, by its answer. */
export function parseListening(answer: Message): Address | Fault {
  return parseAddressFields(answer, 1);
}

function parseAddressFields({ host, port }: Message, lowestPort: number): Address | Fault {
  if (typeof port !== 'number' || !Number.isInteger(port) || port < lowestPort || port > 65_535) {
    return new Fault('badMessage', `the port of a tunnel is a whole number from ${lowestPort} to 65535`);
  }
  if (typeof host !== 'string') return new Fault('badMessage', 'the host of a tunnel is a text');
  const address = readIpAddress(host);
  if (address !== null) return { host: address.address, port };
  return isHostName(host) ? { host, port } : new Fault('badMessage', 'the host of a tunnel is a name or an address');
}

/** 128 bits, so that it cannot be guessed. */
function parseToken({ token }: Message): string | Fault {
  if (typeof token === 'string' && /^[0-9a-f]{32}$/.test(token)) return token;
  return new Fault('badMessage', 'the token of a tunnel has 32 hexadecimal digits');
}
