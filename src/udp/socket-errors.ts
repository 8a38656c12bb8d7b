import { XpassError } from '../base/errors.js';
import { formatAddress, type UdpAddress } from './address.js';
import type { PeerTable } from './peer-table.js';

/** Trouble that the kernel reported while a socket was in use. The network's fault: counted and told, never thrown. */
export interface SocketProblem {
  /** The system's name for it: `ECONNREFUSED`. */
  readonly code: string;
  /** One sentence for people. */
  readonly message: string;
  /** Times that this code has been seen on this socket, this one included. */
  readonly count: number;
}

/** Where a socket is bound, and whom it talks to. */
export interface SocketEnds {
  bind: UdpAddress;
  /** The only peer there is: the socket is connected to it, which saves 0.6 us a send and lets the kernel turn everyone else away. */
  remote?: UdpAddress;
  /** Numbers for the addresses of peers; needed unless connected. */
  peers: PeerTable | null;
}

/** Codes that get a counter of their own; the rest share `other`, so that the table stays small whatever comes. */
const MAX_CODES = 32;

/** Counts problems by code. */
export class ProblemCounts {
  private readonly byCode = new Map<string, number>();

  /** Returns how often this code has been seen. */
  add(code: string): number {
    const key = this.byCode.has(code) || this.byCode.size < MAX_CODES ? code : 'other';
    const count = (this.byCode.get(key) ?? 0) + 1;
    this.byCode.set(key, count);
    return count;
  }

  /** A copy, code to count. */
  snapshot(): Record<string, number> {
    return Object.fromEntries(this.byCode);
  }
}

/** The code of an error from a socket call. */
export function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.name;
}

/** Nobody listens at the peer's port (ICMP port unreachable): ECONNREFUSED, or ECONNRESET on Windows. */
export function isRefusal(code: string): boolean {
  return code === 'ECONNREFUSED' || code === 'ECONNRESET';
}

/** What an error of sending or receiving means. `peer` names the other end where it is known; `frameBytes` is the UDP payload's size. */
export function explainProblem(code: string, peer: string, frameBytes: number): string {
  const to = peer === '' ? '' : ` to ${peer}`;
  if (isRefusal(code)) return `nobody listens${peer === '' ? '' : ` at ${peer}`} (${code})`;
  switch (code) {
    case 'EMSGSIZE':
      return `a frame of ${frameBytes} bytes is too large to send${to}: choose a smaller --frame-size`;
    case 'ENOBUFS':
      return `the network device's queue is full (ENOBUFS): a frame${to} was not sent`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no route${to} (${code})`;
    case 'EPERM':
    case 'EACCES':
      return `this system's firewall or permissions do not allow sending${to} (${code})`;
    case 'EINVAL':
      return `the socket's own address cannot reach${peer === '' ? ' the peer' : ` ${peer}`} (EINVAL): bind to another one`;
    default:
      return `the socket reported ${code}${peer === '' ? '' : ` for ${peer}`}`;
  }
}

/** Why a socket could not be bound, as the caller's mistake: XpassError `config` that names address and port. */
export function bindError(error: Error, address: UdpAddress, platform = process.platform): XpassError {
  return new XpassError('config', bindSentence(codeOf(error), address, platform), { cause: error });
}

function bindSentence(code: string, address: UdpAddress, platform: NodeJS.Platform): string {
  const name = formatAddress(address);
  switch (code) {
    case 'EADDRINUSE':
      return `UDP port ${address.port} is in use: another process is bound to ${name}`;
    case 'EADDRNOTAVAIL':
      return `cannot bind to ${name}: this host has no address ${address.address}`;
    case 'EACCES':
      return `cannot bind to ${name}: ${deniedPort(platform)}`;
    default:
      return `cannot bind to ${name} (${code})`;
  }
}

function deniedPort(platform: NodeJS.Platform): string {
  return platform === 'win32'
    ? 'Windows reserves the port, or another process has it for itself (netsh int ipv4 show excludedportrange udp)'
    : 'ports below 1024 need more rights';
}

/** Why a socket could not be connected, as XpassError: `unreachable` where there is no route, else `config`. */
export function connectError(error: Error, remote: UdpAddress): XpassError {
  const code = codeOf(error);
  const isRouteless = code === 'ENETUNREACH' || code === 'EHOSTUNREACH';
  return new XpassError(isRouteless ? 'unreachable' : 'config', explainProblem(code, formatAddress(remote), 0));
}

/** Counts the errors of one socket and puts them into words that name the peer. */
export class ProblemReport {
  private readonly counts = new ProblemCounts();
  private readonly options: SocketEnds;

  constructor(options: SocketEnds) {
    this.options = options;
  }

  /** An error with this code came; when it is one of sending, it may have been for `peer` and a frame of `frameBytes`. */
  problem(code: string, peer: number, frameBytes: number): SocketProblem {
    return { code, message: explainProblem(code, this.nameOf(peer), frameBytes), count: this.counts.add(code) };
  }

  /** Code to count. */
  snapshot(): Record<string, number> {
    return this.counts.snapshot();
  }

  private nameOf(peer: number): string {
    const { remote, peers, bind } = this.options;
    if (remote !== undefined) return formatAddress(remote);
    if (peers === null || !peers.has(peer)) return '';
    return formatAddress({ address: peers.address(peer), port: peers.port(peer), family: bind.family });
  }
}
