// Tested by test/udp/host-driver.test.ts, test/loopback/udp-switch.test.ts and test/loopback/udp-datapath.test.ts
import { BundleReader } from '../wire/bundle.js';
import type { Frame } from '../wire/frame.js';
import { Bundler } from './bundler.js';
import type { FrameCheck } from './crc.js';
import type { Datapath, DatapathChoice, DatapathOptions } from './datapath.js';
import { openDgramDatapath } from './dgram-datapath.js';
import { KernelDrops } from './kernel-drops.js';
import { type FrameSink, type LoopMachine, MachineLoop } from './machine-loop.js';
import { openMmsgDatapath } from './mmsg/mmsg-datapath.js';
import { loadNative } from './mmsg/native.js';
import type { PeerTable } from './peer-table.js';
import type { SocketProblem } from './socket-errors.js';
import { type DriverStatistics, driverStatistics } from './statistics.js';
import { type EventLoop, prepareWaiting, type WaitOptions } from './wake.js';
import type { WakePolicy } from './wake-policy.js';

/** Options of every driver. */
export interface DriverOptions extends WaitOptions {
  /** Wanted size of each socket's buffers; `DEFAULT_BUFFER_BYTES` by default. */
  socketBufferBytes?: number;
  /** `auto` by default. */
  datapath?: DatapathChoice;
  /** A socket error that the protocol's timeouts will deal with: for a log. */
  onProblem?(problem: SocketProblem): void;
}

/** What a driver is made of. */
export interface DriverParts {
  /** Those after the first are connected sockets. */
  readonly datapaths: readonly Datapath[];
  /** Null where the first socket is connected too. */
  readonly peers: PeerTable | null;
  readonly frameCheck: FrameCheck;
}

/**
 * Opens a socket. Where `mmsg` is unavailable it is `dgram`, and `info.fallback` says why if `mmsg` was asked for. Throws XpassError `config` or
 * `unreachable` that names the address when it cannot be bound or connected.
 */
export async function openDatapath(
  options: DatapathOptions,
  choice: DatapathChoice = 'auto',
  load = loadNative,
): Promise<Datapath> {
  if (choice === 'dgram') return openDgramDatapath(options);
  const native = await load();
  if (typeof native !== 'string') return openMmsgDatapath(options, native);
  return openDgramDatapath(options, choice === 'auto' ? undefined : `mmsg is unavailable; using dgram: ${native}`);
}

export async function closeAll(datapaths: readonly Datapath[]): Promise<void> {
  await Promise.all(datapaths.map((datapath) => datapath.close()));
}

/** The sockets of a machine and the loop that runs it: what the drivers of hosts and switches share. */
export abstract class SocketDriver implements FrameSink {
  readonly datapaths: readonly Datapath[];
  /** Who computes the check of frames. */
  readonly frameCheck: FrameCheck;
  readonly loop: MachineLoop;
  protected readonly peers: PeerTable | null;
  protected readonly eventLoop: EventLoop;
  protected readonly bundlers: readonly Bundler[];
  protected readonly unbundled = new BundleReader();
  protected unknownPeers = 0;
  protected closing: Promise<void> | null = null;
  private readonly policy: WakePolicy;
  private readonly kernelDrops: KernelDrops;

  protected constructor(
    machine: LoopMachine,
    { datapaths, peers, frameCheck }: DriverParts,
    { earlyNs, ...wait }: WaitOptions,
  ) {
    this.datapaths = datapaths;
    this.peers = peers;
    this.frameCheck = frameCheck;
    const { policy, loop } = prepareWaiting(wait);
    this.policy = policy;
    this.eventLoop = loop;
    this.kernelDrops = new KernelDrops(datapaths.map(({ info }) => info.local.port));
    this.bundlers = datapaths.map(
      (datapath, index) => new Bundler(datapath, peers === null || index > 0, (frame) => this.drop(frame)),
    );
    this.loop = new MachineLoop(machine, { policy, loop, sink: this, ...(earlyNs !== undefined && { earlyNs }) });
  }

  abstract send(frame: Frame): boolean;

  /** Gives a frame back to its pool. */
  abstract drop(frame: Frame): void;

  get isHolding(): boolean {
    for (const bundler of this.bundlers) if (bundler.isHolding) return true;
    return false;
  }

  flush(): void {
    for (const bundler of this.bundlers) bundler.flush();
  }

  noteWake(): void {
    for (const datapath of this.datapaths) datapath.checkNext();
  }

  /** The driver's time, ns. */
  now(): number {
    return this.eventLoop.now();
  }

  statistics(): DriverStatistics {
    const { datapaths, frameCheck, bundlers, loop, policy, kernelDrops, peers, unknownPeers } = this;
    return driverStatistics({ datapaths, frameCheck, bundlers, loop, policy, kernelDrops, peers, unknownPeers });
  }

  /** Sends what is left at once and closes the sockets. */
  close(): Promise<void> {
    this.closing ??= this.shut();
    return this.closing;
  }

  /** Waits first for what runs at the moment: an application may close from inside one of its own calls. */
  private async shut(): Promise<void> {
    await null;
    this.loop.close();
    await closeAll(this.datapaths);
  }
}
