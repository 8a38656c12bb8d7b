// Tested by test/loopback/udp-datapath.test.ts
import type { Bundler } from './bundler.js';
import type { FrameCheck } from './crc.js';
import type { Datapath, DatapathCounters } from './datapath.js';
import type { KernelDrops } from './kernel-drops.js';
import type { LatenessSnapshot } from './lateness.js';
import type { MachineLoop } from './machine-loop.js';
import type { PeerTable } from './peer-table.js';
import type { WakePolicy } from './wake-policy.js';

/** Everything that a driver counts, as of the moment it was asked for; all counts since its start. */
export interface DriverStatistics extends DatapathCounters {
  /** Who computes the check of frames. */
  frameCheck: FrameCheck['kind'];
  /** Datagrams with several small frames that were sent. PROTOCOL §2.8 */
  bundlesOut: number;
  /** Frames in those datagrams. */
  bundledFramesOut: number;
  /** Errors of the sockets by their system's codes. */
  problems: Record<string, number>;
  /** Datagrams that the kernel dropped for want of buffer; null where the system does not tell. */
  kernelDrops: number | null;
  /** How late the event loop woke for deadlines. */
  lateness: LatenessSnapshot;
  /** Times that `--spin auto` found other processes on its core. */
  contentions: number;
  /** Frames that wait for their time. */
  heldFrames: number;
  /** Frames dropped because too many waited. */
  holdOverflows: number;
  /** UDP addresses known; 0 with a connected socket. */
  peers: number;
  /** Datagrams dropped because their source found the table of peers full. */
  peersRefused: number;
  /** Frames dropped because the peer they were meant for is forgotten. */
  unknownPeers: number;
}

/** Where the figures come from. */
export interface StatisticsSources {
  datapaths: readonly Datapath[];
  frameCheck: FrameCheck;
  bundlers: readonly Bundler[];
  loop: MachineLoop;
  policy: WakePolicy;
  kernelDrops: KernelDrops;
  peers: PeerTable | null;
  unknownPeers: number;
}

/** One snapshot over all sockets of a driver. */
export function driverStatistics(sources: StatisticsSources): DriverStatistics {
  const { datapaths, frameCheck, bundlers, loop, policy, kernelDrops, peers, unknownPeers } = sources;
  const sum = (field: keyof DatapathCounters) => datapaths.reduce((total, { counters }) => total + counters[field], 0);
  return {
    frameCheck: frameCheck.kind,
    datagramsIn: sum('datagramsIn'),
    bytesIn: sum('bytesIn'),
    datagramsOut: sum('datagramsOut'),
    bytesOut: sum('bytesOut'),
    receiveCalls: sum('receiveCalls'),
    sendCalls: sum('sendCalls'),
    sendQueueFull: sum('sendQueueFull'),
    congestionMarks: sum('congestionMarks'),
    bundlesOut: bundlers.reduce((total, { bundles }) => total + bundles, 0),
    bundledFramesOut: bundlers.reduce((total, { bundledFrames }) => total + bundledFrames, 0),
    problems: sumByCode(datapaths.map((datapath) => datapath.problems())),
    kernelDrops: kernelDrops.read(),
    lateness: loop.lateness.snapshot(),
    contentions: policy.contentions,
    heldFrames: loop.held.length,
    holdOverflows: loop.held.overflows,
    peers: peers?.size ?? 0,
    peersRefused: peers?.refused ?? 0,
    unknownPeers,
  };
}

function sumByCode(counts: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [code, count] of counts.flatMap(Object.entries<number>)) sums[code] = (sums[code] ?? 0) + count;
  return sums;
}
