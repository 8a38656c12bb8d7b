// Tested by test/loopback/udp-mmsg.test.ts
// Tested by test/udp/mmsg/socket-addresses.test.ts
// Tested by test/loopback/udp-datapath.test.ts

import { isIPv4 } from 'node:net';
import type { Source } from '../datapath.js';
import type { PeerTable } from '../peer-table.js';
import { NAME_WORDS } from './message-vector.js';
import { Linux, type Native, SOCKADDR_BYTES, SOCKADDR_ROOM_BYTES } from './native.js';

/** Where the fields of `struct sockaddr_in` and `struct sockaddr_in6` are; port and address are big-endian. ip(7), ipv6(7) */
const Name = { family: 0, port: 2, address4: 4, address6: 8, scope: 24 } as const;
/** INET6_ADDRSTRLEN is 46, IF_NAMESIZE 16. */
const TEXT_BYTES = 64;

/** Addresses as text, in the form that Node gives them, and as the kernel's structures. Not for every datagram: see `SourceCache`. */
export class SocketNames {
  private readonly native: Native;
  private readonly text = new Uint8Array(TEXT_BYTES);

  constructor(native: Native) {
    this.native = native;
  }

  /** A structure with room for either family; null when the text is no address, such as one with an unknown zone. */
  bytesOf(address: string, port: number): Uint8Array | null {
    const bytes = new Uint8Array(SOCKADDR_ROOM_BYTES);
    const view = new DataView(bytes.buffer);
    const isFour = isIPv4(address);
    view.setUint16(Name.family, isFour ? Linux.AF_INET : Linux.AF_INET6, true);
    view.setUint16(Name.port, port);
    const [digits = '', zone] = address.split('%', 2);
    if (zone !== undefined) view.setUint32(Name.scope, this.zoneIndex(zone), true);
    const family = isFour ? Linux.AF_INET : Linux.AF_INET6;
    const at = bytes.subarray(isFour ? Name.address4 : Name.address6);
    return this.native.inet_pton(family, digits, at) === 1 ? bytes : null;
  }

  /** Reads a structure that the kernel filled in. */
  read(bytes: Uint8Array): Source {
    const view = new DataView(bytes.buffer, bytes.byteOffset, SOCKADDR_ROOM_BYTES);
    const family = view.getUint16(Name.family, true);
    const at = bytes.subarray(family === Linux.AF_INET ? Name.address4 : Name.address6);
    const digits = this.native.inet_ntop(family, at, this.text, TEXT_BYTES) ?? '';
    const scope = family === Linux.AF_INET ? 0 : view.getUint32(Name.scope, true);
    const zone = scope === 0 ? '' : `%${this.native.if_indextoname(scope, this.text) ?? scope}`;
    return { address: digits + zone, port: view.getUint16(Name.port) };
  }

  private zoneIndex(zone: string): number {
    return /^\d+$/.test(zone) ? Number(zone) : this.native.if_nametoindex(zone);
  }
}

/** Addresses that are remembered. Ours: a power of two, several times the hosts that one process talks to. */
const PLACES = 4_096;
/** The multiplier of the FNV-1a hash, http://www.isthe.com/chongo/tech/comp/fnv/ */
const FNV_PRIME = 0x01000193;

/** Texts of source addresses, a place for each hash, so that few are made anew. Collisions cost time only. */
export class SourceCache {
  private readonly words = new Int32Array(PLACES * NAME_WORDS);
  private readonly sources: (Source | null)[] = new Array<Source | null>(PLACES).fill(null);
  private readonly read: (name: Uint8Array) => Source;

  /** `read` makes the text of the structure that it gets. */
  constructor(read: (name: Uint8Array) => Source) {
    this.read = read;
  }

  /** The address in `names` from word `at` on; whatever its structure does not fill is 0. */
  source(names: Int32Array, at: number): Source {
    const place = placeOf(names, at);
    const known = this.sources[place];
    return known !== null && this.isAt(place, names, at) ? known : this.learn(place, names, at);
  }

  private isAt(place: number, names: Int32Array, at: number): boolean {
    const base = place * NAME_WORDS;
    for (let word = 0; word < NAME_WORDS; word++) if (this.words[base + word] !== names[at + word]) return false;
    return true;
  }

  private learn(place: number, names: Int32Array, at: number): Source {
    const name = names.subarray(at, at + NAME_WORDS);
    this.words.set(name, place * NAME_WORDS);
    const source = this.read(new Uint8Array(name.buffer, name.byteOffset, SOCKADDR_ROOM_BYTES));
    this.sources[place] = source;
    return source;
  }
}

function placeOf(names: Int32Array, at: number): number {
  let hash = 0;
  for (let word = 0; word < NAME_WORDS; word++) hash = Math.imul(hash ^ names[at + word], FNV_PRIME);
  return (hash ^ (hash >>> 15)) & (PLACES - 1);
}

/** Where a frame goes: the kernel's structure as words, and the level of control messages that goes with it. */
export interface Target {
  readonly words: Int32Array;
  readonly bytes: number;
  /** IPv4, also as `::ffff:1.2.3.4`. */
  readonly isFour: boolean;
}

interface Known {
  readonly address: string;
  readonly port: number;
  readonly target: Target;
}

/** The kernel's structures for the addresses of peers, by the peers' numbers. A number may come to stand for another address: then it is made anew. */
export class TargetTable {
  private readonly known: (Known | undefined)[] = [];
  private readonly peers: PeerTable;
  private readonly names: SocketNames;
  private readonly family: 4 | 6;

  constructor(peers: PeerTable, names: SocketNames, family: 4 | 6) {
    this.peers = peers;
    this.names = names;
    this.family = family;
  }

  /** Null when the peer's address is none that the kernel can read. */
  target(peer: number): Target | null {
    const address = this.peers.address(peer);
    const port = this.peers.port(peer);
    const known = this.known[peer];
    if (known !== undefined && known.port === port && known.address === address) return known.target;
    const bytes = this.names.bytesOf(address, port);
    if (bytes === null) return null;
    const target = {
      words: new Int32Array(bytes.buffer, 0, NAME_WORDS),
      bytes: SOCKADDR_BYTES[this.family],
      isFour: isFour(address),
    };
    this.known[peer] = { address, port, target };
    return target;
  }
}

/** Whether packets to this address are IPv4. */
export function isFour(address: string): boolean {
  return !address.includes(':') || address.startsWith('::ffff:');
}
