// Tested by test/loopback/net-conformance.test.ts

import { createSocket } from 'node:dgram';
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import { XpassError } from '../../base/errors.js';
import { bindAddressFor, formatAddress, type UdpAddress } from '../../udp/address.js';
import type { Stream } from '../stream.js';
import type { ConnectTarget } from './arguments.js';
import { codedError, nodeError } from './errors.js';
import { connectingHost, type SharedHost } from './shared-host.js';

/** Ours: a peer on loopback or in the same rack has answered by then, so that only few connections need a probe. */
const PROBE_AFTER_MS = 10;
/** Ours: far apart enough for the kernels' limits on ICMP (net.ipv4.icmp_ratelimit is one a second for a peer, but not on loopback). */
const PROBE_EVERY_MS = 300;
/** Shorter than any frame: who has the port drops it. */
const PROBE = Uint8Array.of(0);

/**
 * Asks whether anybody has a UDP port. The kernel tells only a connected socket of ICMP's "port unreachable", and a host's socket has many peers; so the
 * probe is a connected socket of its own. Returns a function that stops it.
 */
function probeRefusal(remote: UdpAddress, onRefused: () => void): () => void {
  let stopProbe = (): void => {};
  const timer = setTimeout(() => {
    stopProbe = startProbe(remote, onRefused);
  }, PROBE_AFTER_MS);
  return () => {
    clearTimeout(timer);
    stopProbe();
  };
}

function startProbe(remote: UdpAddress, onRefused: () => void): () => void {
  const socket = createSocket(remote.family === 6 ? 'udp6' : 'udp4').unref();
  let repeat: NodeJS.Timeout | undefined;
  let isStopped = false;
  const stop = (): void => {
    if (isStopped) return;
    isStopped = true;
    clearInterval(repeat);
    socket.close();
  };
  socket.on('error', (error: NodeJS.ErrnoException) => {
    const isRefused = error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET';
    if (!isStopped && isRefused) onRefused();
    stop();
  });
  socket.connect(remote.port, remote.address, () => {
    if (isStopped) return;
    socket.send(PROBE);
    repeat = setInterval(() => socket.send(PROBE), PROBE_EVERY_MS).unref();
  });
  return stop;
}

/** What a dial tells its socket. None comes after `stop`. */
export interface DialEvents {
  onLookup(error: Error | null, address?: string, family?: number, host?: string): void;
  /** The stream that connects, or has connected already; from now on it is the socket's. */
  onStream(stream: Stream, shared: SharedHost, remote: UdpAddress): void;
  onFailed(error: Error): void;
}

interface Opened {
  readonly stream: Stream;
  readonly shared: SharedHost;
}

/** Of node:net: net.getDefaultAutoSelectFamilyAttemptTimeout(). */
const NEXT_ADDRESS_MS = 250;

/** Finds the peer's addresses and opens a stream to the first of them that answers. */
export class Dial {
  private readonly target: ConnectTarget;
  private readonly events: DialEvents;
  private isStopped = false;
  private stopAttempt: () => void = () => {};

  constructor(target: ConnectTarget, events: DialEvents) {
    this.target = target;
    this.events = events;
  }

  async start(): Promise<void> {
    try {
      const addresses = await this.addresses();
      for (const [at, address] of addresses.entries()) {
        if (this.isStopped) return;
        if (at === addresses.length - 1) return await this.last(address);
        if (await this.tried(address)) return;
      }
      // A look-up of the program's own may find nothing without an error.
      throw codedError('ENOTFOUND', `${this.target.host ?? 'localhost'} has no address`);
    } catch (error) {
      if (!this.isStopped) this.events.onFailed(error as Error);
    }
  }

  stop(): void {
    this.isStopped = true;
    this.stopAttempt();
  }

  private async addresses(): Promise<UdpAddress[]> {
    const host = this.target.host ?? 'localhost';
    const port = this.target.port as number;
    const numeric = isIP(host);
    if (numeric !== 0) return [{ address: host, port, family: numeric as 4 | 6 }];
    const found = await this.lookup(host);
    return found.map(({ address, family }) => ({ address, port, family: family === 6 ? 6 : 4 }));
  }

  private lookup(host: string): Promise<LookupAddress[]> {
    const { family, hints, localAddress, autoSelectFamily, lookup = systemLookup } = this.target;
    const isOpen = autoSelectFamily !== false && family !== 4 && family !== 6 && localAddress === undefined;
    const options: LookupOptions = {
      ...(family !== undefined && { family }),
      ...(hints !== undefined && { hints }),
      ...(isOpen && { all: true }),
    };
    return new Promise((resolve, reject) => {
      lookup(host, options, (error, found, foundFamily) => {
        if (this.isStopped) return;
        if (error !== null && error !== undefined) {
          this.events.onLookup(error, undefined, undefined, host);
          reject(error);
          return;
        }
        const all = typeof found === 'string' ? [{ address: found, family: foundFamily ?? isIP(found) }] : found;
        for (const each of all) this.events.onLookup(null, each.address, each.family, host);
        resolve(all);
      });
    });
  }

  /** An address behind which there are no others. */
  private async last(remote: UdpAddress): Promise<void> {
    const opened = await this.open(remote);
    if (opened === null) return;
    this.give(opened, remote);
  }

  private give({ stream, shared }: Opened, remote: UdpAddress): void {
    this.stopAttempt = () => {};
    this.events.onStream(stream, shared, remote);
  }

  /** An address behind which there are others: whether it answered soon. */
  private async tried(remote: UdpAddress): Promise<boolean> {
    const opened = await this.open(remote);
    if (opened === null) return true;
    const { stream } = opened;
    const isThere = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), NEXT_ADDRESS_MS);
      stream.once('connect', () => resolve(true));
      stream.on('error', () => resolve(false));
      stream.once('close', () => {
        clearTimeout(timer);
        resolve(false);
      });
    });
    if (isThere && !this.isStopped) this.give(opened, remote);
    else stream.destroy();
    return isThere || this.isStopped;
  }

  private async open(remote: UdpAddress): Promise<Opened | null> {
    const { xpass = {} } = this.target;
    const shared = await connectingHost(this.local(remote), xpass).catch((error: Error) => {
      throw nodeError(error, { syscall: 'connect', address: remote.address, port: remote.port });
    });
    if (this.isStopped) return null;
    const stream = shared.host.createStream(
      { host: remote.address, port: remote.port },
      {
        allowHalfOpen: true,
        ...(xpass.weight !== undefined && { weight: xpass.weight }),
        ...(xpass.class !== undefined && { class: xpass.class }),
      },
    );
    const stopProbe = probeRefusal(remote, () => {
      if (!stream.connecting) return;
      stream.destroy(new XpassError('refused', `nobody listens at ${formatAddress(remote)} (ECONNREFUSED)`));
    });
    stream.once('connect', stopProbe);
    stream.once('close', stopProbe);
    this.stopAttempt = () => stream.destroy();
    return { stream, shared };
  }

  /** Where the stream comes from: loopback for loopback, else any interface, unless the options say it. */
  private local(remote: UdpAddress): UdpAddress {
    const { localAddress, localPort } = this.target;
    const usual = bindAddressFor(remote);
    return { ...usual, ...(localAddress !== undefined && { address: localAddress }), port: localPort ?? usual.port };
  }
}
