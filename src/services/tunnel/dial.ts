// Tested by test/loopback/tunnel-dial.test.ts

import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { type Address, formatAddress } from '../../udp/address.js';
import { Fault, type FaultCode } from '../file/fault.js';
import {
  type AllowRule,
  allowsAddress,
  allowsName,
  type IpAddress,
  isUnspecified,
  mayCoverAddress,
  readIpAddress,
} from './allow.js';

/** Time for the look-up of a name and for all its addresses together (ours: twice ssh's default on the way to the far side). */
const CONNECT_TIMEOUT_MS = 10_000;
/** Addresses of one name that are tried (ours). */
const MAX_ADDRESSES = 8;

export interface DialOptions {
  /** What may be reached; null for anything. */
  readonly rules: readonly AllowRule[] | null;
  readonly timeoutMs?: number;
  /** All addresses of a name; tests pass their own. Rejects where there is none. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** A connection to the target, or why there is none. The connection goes to an address that was checked: nothing is looked up twice. */
export async function dial(target: Address, options: DialOptions): Promise<Socket | Fault> {
  const { rules, timeoutMs = CONNECT_TIMEOUT_MS, resolve = resolveName } = options;
  const deadlineMs = performance.now() + timeoutMs;
  const addresses = await addressesOf(target, { rules, resolve, timeoutMs });
  if (addresses instanceof Fault) return addresses;
  let fault = new Fault('unreachable', `${formatAddress(target)} has no address that can be reached`);
  for (const [at, address] of addresses.entries()) {
    // Each of those left has an equal part of the time left.
    const partMs = (deadlineMs - performance.now()) / (addresses.length - at);
    const outcome = await connectTo(target, address, Math.max(1, partMs));
    if (!(outcome instanceof Fault)) return outcome;
    fault = outcome;
  }
  return fault;
}

type Lookup = Required<Pick<DialOptions, 'rules' | 'resolve' | 'timeoutMs'>>;

/** The addresses that may be tried, in the system's order. */
async function addressesOf(
  target: Address,
  { rules, resolve, timeoutMs }: Lookup,
): Promise<readonly IpAddress[] | Fault> {
  const { host, port } = target;
  const literal = readIpAddress(host);
  const isNamed = literal === null && (rules === null || allowsName(rules, host, port));
  // A name that no rule can cover is not looked up, so that nobody asks our name server through us.
  if (literal === null && !isNamed && !mayCoverAddress(rules ?? [], port)) return notAllowed(target);
  const found = literal === null ? await lookUp(target, resolve, timeoutMs) : [literal];
  if (found instanceof Fault) return found;
  const allowed = found.filter(
    (address) => !isUnspecified(address) && (isNamed || rules === null || allowsAddress(rules, address, port)),
  );
  if (allowed.length > 0) return allowed.slice(0, MAX_ADDRESSES);
  return found.length > 0 && found.every(isUnspecified) ? noTarget(target) : notAllowed(target);
}

function notAllowed(target: Address): Fault {
  return new Fault(
    'notAllowed',
    `${formatAddress(target)} may not be reached through this host: its --tunnel has to allow it`,
  );
}

function noTarget(target: Address): Fault {
  return new Fault('notAllowed', `${formatAddress(target)} is no address to connect to: name one of a host`);
}

async function lookUp(
  target: Address,
  resolve: (name: string) => Promise<readonly string[]>,
  timeoutMs: number,
): Promise<readonly IpAddress[] | Fault> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Fault>((done) => {
    const fault = new Fault('timeout', `the address of ${target.host} was not found within ${timeoutMs / 1e3} s`);
    timer = setTimeout(() => done(fault), timeoutMs);
  });
  const answer = resolve(target.host).catch(
    (error: NodeJS.ErrnoException) =>
      new Fault('unknownHost', `the host name '${target.host}' does not resolve (${error.code ?? 'unknown error'})`),
  );
  const found = await Promise.race([answer, late]);
  clearTimeout(timer);
  if (found instanceof Fault) return found;
  return found.map(readIpAddress).filter((address) => address !== null);
}

async function resolveName(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

function connectTo(target: Address, { address }: IpAddress, timeoutMs: number): Promise<Socket | Fault> {
  return new Promise((done) => {
    const socket = connect({ host: address, port: target.port, allowHalfOpen: true, noDelay: true });
    const fail = (code: FaultCode, why: string): void => {
      clearTimeout(timer);
      socket.destroy();
      done(new Fault(code, `${formatAddress(target)} ${why}`));
    };
    const timer = setTimeout(
      () => fail('timeout', `did not answer within ${(timeoutMs / 1e3).toFixed(1)} s`),
      timeoutMs,
    );
    // Stays, so that an error after `fail` has a listener.
    socket.on('error', (error: NodeJS.ErrnoException) => fail(...(FAULTS[error.code ?? ''] ?? otherFault(error))));
    socket.once('connect', () => {
      clearTimeout(timer);
      done(socket);
    });
  });
}

const FAULTS: Readonly<Record<string, readonly [FaultCode, string]>> = {
  ECONNREFUSED: ['refused', 'refuses connections'],
  ETIMEDOUT: ['timeout', 'did not answer'],
  EHOSTUNREACH: ['unreachable', 'cannot be reached: there is no route to the host'],
  ENETUNREACH: ['unreachable', 'cannot be reached: there is no route to the network'],
  EHOSTDOWN: ['unreachable', 'cannot be reached: the host is down'],
  EADDRNOTAVAIL: ['unreachable', 'cannot be reached from an address of this machine'],
  ECONNRESET: ['refused', 'reset the connection at once'],
};

function otherFault({ code }: NodeJS.ErrnoException): readonly [FaultCode, string] {
  return ['io', `could not be connected to: the system reports ${code ?? 'an error'}`];
}
