// Tested by test/loopback/udp-mmsg.test.ts
import { isIPv4 } from 'node:net';
import type { Source } from '../datapath.js';
import { Linux, SOCKADDR_ROOM_BYTES } from './linux.js';
import type { Native } from './native.js';

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
