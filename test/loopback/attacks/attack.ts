import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import type { Address } from '../../../src/udp/address.js';
import { portOf } from '../switch-lab.js';
import type { Wire } from './wire.js';

/** What came of an attack. */
export interface Outcome {
  /** UDP payload that the attacker spent. */
  readonly sentBytes: number;
  /** And what that drew to the address it was aimed at; null where it was aimed at none. */
  readonly drawnBytes: number | null;
  /** The figure that took the place of the one before. */
  readonly now: string;
  /** In words; nothing where the attack came to nothing. */
  readonly wrong: readonly string[];
}

/** One line of the table. docs/SECURITY.md */
export interface Attack {
  readonly number: number;
  readonly name: string;
  /** Measured on version 1 of the protocol. */
  readonly before: string;
  /** Needs raw sockets; without them the others are played on the machine's loopback. */
  readonly isSpoofed: boolean;
  /** Of the set that every `npm test` plays: a few seconds at most. */
  readonly isUsual: boolean;
  play(wire: Wire | null): Promise<Outcome>;
}

/** The sentences of what does not hold. */
export function wrongOf(...checks: readonly (readonly [isRight: boolean, sentence: string])[]): string[] {
  return checks.filter(([isRight]) => !isRight).map(([, sentence]) => sentence);
}

export function addressOf(text: string): Address {
  return { host: text.slice(0, text.lastIndexOf(':')), port: portOf(text) };
}

/** A host that minds its own business; counts what comes to it. */
export class Bystander {
  bytes = 0;
  readonly address: Address;

  private constructor(address: Address) {
    this.address = address;
  }

  static async at(host: string): Promise<Bystander> {
    const socket = createSocket('udp4').bind(0, host);
    await once(socket, 'listening');
    onTestFinished(() => void socket.close());
    const bystander = new Bystander({ host, port: socket.address().port });
    socket.on('message', ({ length }) => {
      bystander.bytes += length;
    });
    return bystander;
  }
}

const TICKS_PER_S = 100;

/** Processor time of a process so far, s: user and system, proc_pid_stat(5). */
export function cpuSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

/** Resident memory of a process, now and at its peak, bytes. */
export function residentBytes(pid: number | undefined): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => 1_024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

/** `2.9 MB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1e4) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
