// Tested by test/apps/shared/web/live-switch.test.ts
/** What a switch says of itself as its live page has it. */
import type { LiveDirection, LiveFlow, LiveNode, PortNumbers } from '../../../report/live-data.js';
import { PORT_NUMBERS } from '../../../report/live-data.js';
import type { DirectionSnapshot } from '../../../switch/link-direction.js';
import type { PortSnapshot } from '../../../switch/port-statistics.js';
import type { SwitchStatistics } from '../../../switch/switch.js';

/** Hosts and switches, by the links between them. */
export function liveNodes({ ports, hosts }: Pick<SwitchStatistics, 'ports' | 'hosts'>): LiveNode[] {
  const attached = new Map(hosts.map(({ name, attached }) => [name, attached]));
  const names = new Set(ports.flatMap(({ from, to }) => [from, to]));
  return [...names].map((name) => ({ name, isHost: attached.has(name), isThere: attached.get(name) ?? true }));
}

export function liveDirections(ports: readonly DirectionSnapshot[]): LiveDirection[] {
  return ports.map((port) => ({
    name: port.name,
    link: port.link,
    from: port.from,
    to: port.to,
    rateBps: port.rateBps,
    delayNs: port.delayNs,
    lossRate: port.impairment.lossRate,
    isDown: port.impairment.down,
    queueLimitBytes: port.dataQueueBytesLimit,
    markBytes: port.markThresholdBytes,
    creditLimit: port.creditQueueFramesLimit,
  }));
}

export function livePorts(ports: readonly DirectionSnapshot[]): number[][] {
  return ports.map(portRow);
}

export function portRow(port: PortSnapshot): number[] {
  const numbers = portNumbers(port);
  return PORT_NUMBERS.map((name) => numbers[name]);
}

function portNumbers({ data, credit, drops, ecnMarks, dataQueueBytes, creditQueueFrames }: PortSnapshot): PortNumbers {
  const { creditQueueFull = 0, lowCreditQueueFull = 0, dataQueueFull = 0, speculative = 0 } = drops;
  const { lost = 0, burstLost = 0, corrupted = 0, down = 0 } = drops;
  return {
    dataFrames: data.frames,
    dataBytes: data.wireBytes,
    credits: credit.frames,
    creditDrops: creditQueueFull + lowCreditQueueFull,
    dataDrops: dataQueueFull + speculative,
    lost: lost + burstLost + corrupted + down,
    marks: ecnMarks,
    queueBytes: dataQueueBytes,
    creditQueue: creditQueueFrames,
  };
}

/** A switch looks into no flow; what it knows is what each host sends. */
export function sendingHosts({ ports, hosts }: Pick<SwitchStatistics, 'ports' | 'hosts'>): LiveFlow[] {
  const names = new Set(hosts.map(({ name }) => name));
  return ports
    .filter(({ from, data }) => names.has(from) && data.frames > 0)
    .map(({ from, data }) => ({ name: from, algorithm: '', bytes: data.wireBytes, rateBps: 0, rttNs: 0, state: {} }));
}

/** What the flows of `sendingHosts` are, for a caption. */
export const SENDING_HOSTS = 'hosts, by the data that their links bring to the switch';
