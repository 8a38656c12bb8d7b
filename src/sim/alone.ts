import { SECOND_NS, transmissionNs } from '../base/time.js';
import type { FlowReader } from '../core/flow-callbacks.js';
import type { OpenOptions } from '../core/flow-factory.js';
import type { ReceiverFlow } from '../core/receiver-flow.js';
import type { Topology, TopologyLink } from '../switch/topology.js';
import { Data, wireBytes } from '../wire/layout.js';
import type { Network } from './network.js';
import { Paths } from './paths.js';
import type { HostSpec, Scenario } from './scenario.js';
import type { FlowPlan } from './traffic/plan-flows.js';
import { buildWorld, chancesOf } from './world.js';

/** How far a lone flow is followed: by then every credit algorithm has reached its rate, and the rest goes on as it went (ours). */
const FOLLOWED_RTTS = 60;
const FOLLOWED_FRAMES_LEAST = 2_000;
const FOLLOWED_FRAMES_MOST = 40_000;
/** No network of an experiment is so slow that it carries nothing in this time (ours). */
const FOLLOWED_NS = 100 * SECOND_NS;
/** Any will do: nobody is there to compete with, so chance only moves credits by a part of their gap. */
const SEED = 1;

/** Completion times of flows that have their path to themselves: the denominators of slowdowns. */
export class AloneTimes {
  private readonly scenario: Scenario;
  private readonly paths: Paths;
  private readonly specs: ReadonlyMap<number, HostSpec>;
  /** By host: a number for what it is like, the same for hosts that are alike. */
  private readonly kinds: ReadonlyMap<number, number>;
  private readonly curves = new Map<string, LoneFlow>();

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.paths = new Paths(scenario.topology);
    this.specs = new Map(scenario.hosts.map((spec) => [spec.id, spec]));
    this.kinds = kindsOf(scenario.hosts);
  }

  /** How much longer than alone the flow took; it had an end. */
  slowdown({ from, to, bytes, windowAlgorithm }: FlowPlan, fctNs: number): number {
    return fctNs / this.aloneNs(from, to, bytes, windowAlgorithm);
  }

  /** How long `bytes` take from host `from` to host `to` when nothing else moves, by the sender's algorithm where no other is named. */
  aloneNs(from: number, to: number, bytes: number, windowAlgorithm?: string): number {
    const links = this.paths.between(from, to);
    const key = `${windowAlgorithm} ${this.kinds.get(from)} ${this.kinds.get(to)} ${links.map(({ port }) => `${port.rateBps} ${port.delayNs}`).join(' ')}`;
    let flow = this.curves.get(key);
    if (flow === undefined) {
      flow = this.follow([from, to], links, windowAlgorithm);
      this.curves.set(key, flow);
    }
    return flow.completionNs(bytes);
  }

  private follow(hosts: readonly number[], links: readonly TopologyLink[], windowAlgorithm?: string): LoneFlow {
    const ends = hosts.map((host, index) => ({ ...(this.specs.get(host) as HostSpec), id: index + 1 }));
    const world: Scenario = { ...this.scenario, topology: chainOf(links), hosts: ends, payload: 'lengths' };
    return new LoneFlow(world, links, windowAlgorithm === undefined ? {} : { windowAlgorithm });
  }
}

/** The way of one endless flow over a chain of links: when each of its full frames was there. */
class LoneFlow {
  private readonly links: readonly TopologyLink[];
  private readonly payloadBytes: number;
  private readonly arrivalsNs: number[] = [];
  private readonly wanted: number;
  private restBytes = 0;

  constructor(scenario: Scenario, links: readonly TopologyLink[], options: OpenOptions) {
    this.links = links;
    const frameBytes = Math.min(...links.map(({ port }) => port.maxFrameBytes));
    this.payloadBytes = frameBytes - Data.overheadBytes;
    this.wanted = framesToFollow(links, frameBytes);
    this.play(scenario, options);
  }

  /**
   * From the first write to the last byte. A last frame that is not full takes less time on each link; beyond what was followed all goes on as in its
   * second half.
   */
  completionNs(bytes: number): number {
    const frames = Math.ceil(bytes / this.payloadBytes);
    const missingBytes = frames * this.payloadBytes - bytes;
    const savedNs = this.links.reduce((sum, { port }) => sum + transmissionNs(missingBytes, port.rateBps), 0);
    return this.arrivalNs(frames) - savedNs;
  }

  private arrivalNs(frames: number): number {
    const { arrivalsNs } = this;
    const known = arrivalsNs.length;
    if (frames <= known) return arrivalsNs[frames - 1];
    const half = known >>> 1;
    const gapNs = (arrivalsNs[known - 1] - arrivalsNs[half]) / (known - 1 - half);
    return arrivalsNs[known - 1] + (frames - known) * gapNs;
  }

  private play(scenario: Scenario, options: OpenOptions): void {
    const acceptFlow = (flow: ReceiverFlow): FlowReader => ({
      ...IDLE,
      onData: () => {},
      onEnd: () => {},
      onLength: (length) => {
        this.note(length, network);
        flow.release(length, network.hosts[1].clock.toOwn(network.nowNs));
      },
    });
    const { network } = buildWorld({ scenario, chances: chancesOf(SEED), applicationAt: () => ({ acceptFlow }) });
    const sender = network.hosts[0].host.endpoint.open(2, IDLE, options, 0);
    sender.writeLength(2 * this.wanted * this.payloadBytes, 0);
    network.drain(0);
    network.run(FOLLOWED_NS);
  }

  private note(length: number, network: Network): void {
    this.restBytes += length;
    for (; this.restBytes >= this.payloadBytes; this.restBytes -= this.payloadBytes)
      this.arrivalsNs.push(network.nowNs);
    if (this.arrivalsNs.length >= this.wanted) network.stop();
  }
}

const IDLE = { onWritable: () => {}, onClosed: () => {} };

/** The same links one after another, between hosts 1 and 2. */
function chainOf(links: readonly TopologyLink[]): Topology {
  const nodes = ['h1', ...links.slice(1).map((_, index) => `s${index + 1}`), 'h2'];
  return {
    hosts: [1, 2].map((id) => ({ id, name: `h${id}` })),
    switches: nodes.slice(1, -1).map((name) => ({ name })),
    links: links.map(({ port }, index) => ({
      name: `l${index + 1}`,
      a: nodes[index],
      b: nodes[index + 1],
      port,
      impairment: {},
    })),
    trunks: [],
    spread: 'flow',
    failoverDelayNs: Number.POSITIVE_INFINITY,
  };
}

function framesToFollow(links: readonly TopologyLink[], frameBytes: number): number {
  const slowestBps = Math.min(...links.map(({ port }) => port.rateBps));
  const rttNs =
    2 * links.reduce((sum, { port }) => sum + port.delayNs + transmissionNs(wireBytes(frameBytes), port.rateBps), 0);
  const frames = Math.ceil((FOLLOWED_RTTS * rttNs) / transmissionNs(wireBytes(frameBytes), slowestBps));
  return Math.min(FOLLOWED_FRAMES_MOST, Math.max(FOLLOWED_FRAMES_LEAST, frames));
}

function kindsOf(hosts: readonly HostSpec[]): ReadonlyMap<number, number> {
  const numbers = new Map<string, number>();
  return new Map(
    hosts.map((spec) => {
      const text = JSON.stringify({ ...spec, id: 0 });
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return [spec.id, number];
    }),
  );
}
