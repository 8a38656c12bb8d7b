import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { isLoopbackAddress, type UdpAddress } from './address.js';

/** IP and UDP headers without options: RFC 791, RFC 8200, RFC 768. */
const HEADER_BYTES = { 4: 28, 6: 48 } as const;

/** Of Ethernet: nearly every path carries it, and the others are found by discovery (PROTOCOL §7.9). RFC 894 */
const ETHERNET_MTU_BYTES = 1_500;

/** An interface of this machine. */
export interface Interface {
  readonly name: string;
  readonly mtuBytes: number;
}

/** The interface that has this address; null where the address is a wildcard or the system does not tell (only Linux does, in /sys). */
export type FindInterface = (address: string) => Interface | null;

/** UDP payload of frames that may go to a peer before a probe has shown that they pass: what Ethernet carries, or the interface if that is less. */
export function unprobedBytes(local: UdpAddress, find: FindInterface = findInterface): number {
  const mtuBytes = Math.min(ETHERNET_MTU_BYTES, find(local.address)?.mtuBytes ?? ETHERNET_MTU_BYTES);
  return mtuBytes - HEADER_BYTES[local.family];
}

/** Warning for a host whose sockets cannot keep the system from cutting frames; null where frames are as short as Ethernet's, or stay on this machine. */
export function unseenFragmentsWarning(local: UdpAddress, frameBytes: number): string | null {
  const fittingBytes = ETHERNET_MTU_BYTES - HEADER_BYTES[local.family];
  if (isLoopbackAddress(local.address) || frameBytes <= fittingBytes) return null;
  return (
    `dgram cannot find out whether the path carries frames of ${frameBytes} bytes or cuts them into fragments: ` +
    `use --datapath mmsg, or give both hosts --frame-size ${fittingBytes}`
  );
}

/** Warning for a frame above the MTU of the local interface, whose fragments are lost together; null where it fits or nothing is known. */
export function mtuWarning(local: UdpAddress, frameBytes: number, find: FindInterface = findInterface): string | null {
  const found = find(local.address);
  if (found === null) return null;
  const fittingBytes = found.mtuBytes - HEADER_BYTES[local.family];
  if (frameBytes <= fittingBytes) return null;
  return (
    `frames of ${frameBytes} bytes do not fit the MTU of ${found.mtuBytes} of interface ${found.name} and are sent in fragments: ` +
    `give both hosts --frame-size ${fittingBytes}`
  );
}

/** The same where the kernel found it out while sending. `mtuBytes` is 0 where it does not say what the path takes. */
export function fragmentsMessage(frameBytes: number, mtuBytes: number, family: 4 | 6): string {
  const advice =
    mtuBytes > 0 ? `give both hosts --frame-size ${mtuBytes - HEADER_BYTES[family]}` : 'choose a smaller --frame-size';
  const size = mtuBytes > 0 ? ` of ${mtuBytes}` : '';
  return `frames of ${frameBytes} bytes do not fit the path's MTU${size} and are sent in fragments from now on: ${advice}`;
}

function findInterface(address: string): Interface | null {
  const [name] = Object.entries(networkInterfaces()).find(([, addresses]) =>
    addresses?.some((each) => each.address === address),
  ) ?? [null];
  if (name === null) return null;
  try {
    const mtuBytes = Number(readFileSync(`/sys/class/net/${name}/mtu`, 'latin1'));
    return Number.isInteger(mtuBytes) && mtuBytes > 0 ? { name, mtuBytes } : null;
  } catch {
    // Not Linux, or /sys is not mounted.
    return null;
  }
}
