// Tested by test/loopback/udp-datapath.test.ts
import {
  counter,
  counters,
  gauge,
  group,
  initialValues,
  label,
  nullable,
  sumValues,
  type Values,
} from '../base/metric.js';
import type { Bundler } from './bundler.js';
import type { FrameCheck } from './crc.js';
import { DATAPATH_METRICS, type Datapath } from './datapath.js';
import type { KernelDrops } from './kernel-drops.js';
import { LATENESS_METRICS, type MachineLoop } from './machine-loop.js';
import type { PeerTable } from './peer-table.js';
import type { WakePolicy } from './wake-policy.js';

const SOCKET_METRICS = {
  ...DATAPATH_METRICS,
  problems: counters('errors', 'code', 'Errors of the sockets by the codes of their system'),
};

/** What a driver counts, over all its sockets. */
export const DRIVER_METRICS = {
  frameCheck: label<FrameCheck['kind']>('Who computes the check of frames', 'zlib'),
  ...SOCKET_METRICS,
  bundlesOut: counter('datagrams', 'Datagrams sent with several small frames (PROTOCOL §2.8)'),
  bundledFramesOut: counter('frames', 'Frames in those datagrams'),
  kernelDrops: nullable(
    counter('datagrams', 'Dropped by the kernel for want of buffer; null where the system does not tell'),
  ),
  lateness: group('How late the event loop came to its deadlines', LATENESS_METRICS),
  contentions: counter('events', 'Times that `--spin auto` found other processes on its core'),
  heldFrames: gauge('frames', 'Frames waiting for their time'),
  holdOverflows: counter('frames', 'Frames dropped because too many waited'),
  peers: gauge('peers', 'Known UDP addresses; 0 with a connected socket'),
  peersRefused: counter('datagrams', 'Datagrams dropped because the table of peers was full'),
  unknownPeers: counter('frames', 'Frames dropped because the peer they were meant for is forgotten'),
};

/** Counts of a driver since its start. docs/METRICS.md, "Driver", has the meaning of each. */
export type DriverStatistics = Values<typeof DRIVER_METRICS>;

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
  const sockets = datapaths.map((datapath) => ({ ...datapath.counters, problems: datapath.problems() }));
  return {
    frameCheck: frameCheck.kind,
    ...sockets.reduce((sum, each) => sumValues(SOCKET_METRICS, sum, each), initialValues(SOCKET_METRICS)),
    bundlesOut: bundlers.reduce((total, { bundles }) => total + bundles, 0),
    bundledFramesOut: bundlers.reduce((total, { bundledFrames }) => total + bundledFrames, 0),
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
