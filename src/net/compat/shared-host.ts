// Tested by test/loopback/net-conformance.test.ts
import type { UdpAddress } from '../../udp/address.js';
import { formatAddress } from '../../udp/address.js';
import { type Host, openHost } from '../host.js';
import type { HostStatistics } from '../host-statistics.js';
import type { XpassOptions } from './arguments.js';

/** A host that sockets and at most one server of this process have together. It keeps the process alive while one of them does. */
export class SharedHost {
  readonly host: Host;
  private holds = 0;
  private users = 0;
  private isServing = false;
  /** Sockets of clients come again; what a server listened at is given back. */
  private readonly isKept: boolean;
  private readonly onUnused: (shared: SharedHost) => void;

  constructor(host: Host, isKept: boolean, onUnused: (shared: SharedHost) => void) {
    this.host = host.unref();
    this.isKept = isKept;
    this.onUnused = onUnused;
  }

  get isFree(): boolean {
    return !this.isServing;
  }

  serve(listener: Parameters<Host['serve']>[0]): void {
    this.isServing = listener !== null;
    this.host.serve(listener, { allowHalfOpen: true });
  }

  enter(): void {
    this.users++;
  }

  /** Closes the host behind its last user, unless it is kept. */
  leave(): void {
    if (--this.users === 0 && !this.isKept) this.onUnused(this);
  }

  hold(): void {
    if (this.holds++ === 0) this.host.ref();
  }

  release(): void {
    if (--this.holds === 0) this.host.unref();
  }
}

/** Ours: what was written last gets this long to arrive when the process ends by itself. */
const LAST_WORDS_MS = 1_000;

/** Hosts that connect, by what they are bound to and their options. */
const connecting = new Map<string, Promise<SharedHost>>();
/** Hosts at which servers listen or listened, by their address. */
const listening = new Map<string, SharedHost>();
/** Hosts that are being closed: their port is taken until then. */
const closing = new Map<string, Promise<void>>();

/** The host that connects from `local`: opened by the first that asks. Rejects with XpassError `config` where it cannot be bound. */
export async function connectingHost(local: UdpAddress, options: XpassOptions = {}): Promise<SharedHost> {
  const key = `${formatAddress(local)} ${JSON.stringify(hostOptions(options))}`;
  let opening = connecting.get(key);
  if (opening === undefined) {
    opening = open(local, options, true);
    connecting.set(key, opening);
    opening.catch(() => connecting.delete(key));
  }
  return opening;
}

/** A host that listens at `local` and serves nobody: a new one, or one whose server was closed and whose connections are still open. */
export async function listeningHost(local: UdpAddress, options: XpassOptions = {}): Promise<SharedHost> {
  const key = formatAddress(local);
  const known = listening.get(key);
  if (known?.isFree) return known;
  await closing.get(key);
  const shared = await open(local, options, false);
  listening.set(formatAddress(shared.host.local), shared);
  return shared;
}

/** Closes a host that nobody uses any more; resolves when its port is free. */
function closeUnused(shared: SharedHost): Promise<void> {
  const key = formatAddress(shared.host.local);
  listening.delete(key);
  const closed = shared.host.close().then(() => void closing.delete(key));
  closing.set(key, closed);
  return closed;
}

/** Resolves when no host of this process has the address any more, unless somebody uses it. */
export async function addressFreed(local: UdpAddress): Promise<void> {
  await closing.get(formatAddress(local));
}

/** What the hosts of this process count. */
export async function hostStatistics(): Promise<HostStatistics[]> {
  const hosts = [...(await Promise.all(connecting.values())), ...listening.values()];
  return hosts.map(({ host }) => host.statistics());
}

async function open(local: UdpAddress, options: XpassOptions, isKept: boolean): Promise<SharedHost> {
  endWithProcess();
  const listen = { host: local.address, port: local.port };
  // As servers of node:net, which ask for no key either; a program gives one in its options.
  const host = await openHost({ insecure: true, ...hostOptions(options), listen });
  return new SharedHost(host, isKept, (shared) => void closeUnused(shared));
}

function hostOptions({ weight: _, class: __, ...options }: XpassOptions): Omit<XpassOptions, 'weight' | 'class'> {
  return options;
}

let willEnd = false;

/** Streams of sockets that nobody waits for end in order where there is time for it; what is still open then is reset. */
function endWithProcess(): void {
  if (willEnd) return;
  willEnd = true;
  process.once('beforeExit', () => void closeAll());
}

async function closeAll(): Promise<void> {
  willEnd = false;
  const opened = await Promise.all(connecting.values());
  const all = [...opened, ...listening.values()].map(({ host }) => host);
  connecting.clear();
  listening.clear();
  await Promise.all(all.map(closeSoon));
}

async function closeSoon(host: Host): Promise<void> {
  const tooLate = setTimeout(() => void host.destroy(), LAST_WORDS_MS);
  if (host.statistics().streams > 0) await host.destroy();
  else await host.close();
  clearTimeout(tooLate);
}
