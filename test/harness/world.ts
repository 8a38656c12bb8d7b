import { SeededRandom } from '../../src/base/random.js';
import { SECOND_NS } from '../../src/base/time.js';
import type { Application } from '../../src/core/application.js';
import { REFUSE_ALL } from '../../src/core/application.js';
import type { KeyExchange } from '../../src/core/association.js';
import { type EndpointConfig, endpointConfig } from '../../src/core/config.js';
import { Door, type PeerHolder } from '../../src/core/door.js';
import { Endpoint } from '../../src/core/endpoint.js';
import { Host } from '../../src/core/host.js';
import { DEFAULT_PORT, Port } from '../../src/switch/port.js';
import { fastCrc32 } from '../../src/udp/crc.js';
import { write32 } from '../../src/wire/bytes.js';
import { Frame, FramePool } from '../../src/wire/frame.js';
import { MAX_FRAME_BYTES } from '../../src/wire/layout.js';
import type { Bits64, CookieMaker } from '../../src/wire/proofs.js';
import { EventQueue } from './event-queue.js';

/** What the network does with one frame: how many copies arrive, each with an extra delay. Empty: lost. */
export type Fate = readonly number[];
export type Network = (frame: Frame, from: number, nowNs: number) => Fate;

export const INTACT: Fate = [0];
export const LOST: Fate = [];

interface Arrival {
  frame: Frame;
  to: number;
}

interface Place {
  config: EndpointConfig;
  application: Application;
}

/**
 * Hosts in virtual time, each joined to each by a wire: the test bed of the core. Peers are numbered by their place in `hosts`. Nothing sleeps; one call of
 * `run` plays until nothing is left to do or a time is reached.
 */
/** Cookies of a world in which nobody computes: sums with a secret. */
export class TestCookies implements CookieMaker {
  private readonly secret: number;

  constructor(random: SeededRandom) {
    this.secret = random.uint32();
  }

  write(peer: number, bits: Bits64 | null, nowNs: number, out: Uint8Array): void {
    out.fill(0);
    write32(out, 0, Math.floor(nowNs / COOKIE_LIFE_NS) + 1);
    write32(out, 4, this.secret ^ Math.imul(peer + 1, 0x9e3779b1));
    if (bits !== null) out.set(bits, 8);
  }

  isValid(peer: number, bits: Bits64, nowNs: number, cookie: Uint8Array): boolean {
    return [nowNs, nowNs - COOKIE_LIFE_NS].some((atNs) =>
      [bits, null].some((those) => {
        const expected = new Uint8Array(cookie.length);
        this.write(peer, those, atNs, expected);
        return expected.every((byte, at) => byte === cookie[at]);
      }),
    );
  }
}

/** As long as a secret of real cookies. */
const COOKIE_LIFE_NS = 120 * SECOND_NS;

export class World {
  nowNs = 0;
  readonly hosts: Host[] = [];
  readonly random: SeededRandom;
  network: Network = () => INTACT;
  /** What happens to the bytes of each copy on its way. */
  tamper: (copy: Frame, from: number) => void = () => {};
  /** Hosts that are added from now on have a door; its keys, if any. */
  doors: { readonly keys: ((index: number) => KeyExchange | null) | null } | null = null;
  /** Between addresses and hosts, where they are not the same: the number of host `from` for host `to`, and the host at `peer` of `from`; -1: nobody. */
  seenAs: (from: number, to: number) => number = (from) => from;
  hostAt: (peer: number, from: number) => number = (peer) => peer;
  /** Who keeps the addresses of a host's peers. */
  holderOf: (index: number) => PeerHolder | null = () => null;
  /** Hosts wake at multiples of this time only, as drivers that nap do; 0 for always in time. */
  napNs = 0;
  /** Looks at the world after each step. */
  onStep: () => void = () => {};
  frames = 0;
  private readonly delayNs: number;
  private readonly pool = new FramePool(() => new Uint8Array(MAX_FRAME_BYTES), 256);
  private readonly arrivals = new EventQueue<Arrival>();
  private readonly places: Place[] = [];
  private readonly dead = new Set<number>();

  constructor(seed: number, delayNs: number) {
    this.random = new SeededRandom(seed);
    this.delayNs = delayNs;
  }

  addHost(changes: Partial<EndpointConfig> = {}, application: Application = REFUSE_ALL): Host {
    this.places.push({ config: endpointConfig(changes), application });
    return this.restart(this.places.length - 1);
  }

  /** Puts a host that remembers nothing in the place of the one with this index, dead or alive. */
  restart(index: number): Host {
    const { config, application } = this.places[index];
    const isSealed = config.sealBytes > 0;
    const parts = { random: this.random.fork(), check: isSealed ? null : fastCrc32, pool: this.pool, application };
    const { rateBps } = config;
    const maxFrameBytes = config.frameBytes + config.sealBytes;
    const nic = new Port({ ...DEFAULT_PORT, rateBps, delayNs: this.delayNs, maxFrameBytes });
    const endpoint = new Endpoint(config, parts);
    const host = new Host(endpoint, nic, this.doors === null ? null : this.newDoor(index, endpoint));
    this.hosts[index] = host;
    this.dead.delete(index);
    return host;
  }

  private newDoor(index: number, endpoint: Endpoint): Door {
    const { config } = endpoint;
    const keys = this.doors?.keys?.(index) ?? null;
    const parts = {
      random: this.random.fork(),
      check: fastCrc32,
      pool: this.pool,
      cookies: new TestCookies(this.random.fork()),
    };
    return new Door(
      { hostId: config.hostId, ...parts, keys, maxPeers: 1_000, times: config },
      { peers: this.holderOf(index), onFailed: (peer, error) => endpoint.closePeer(peer, error) },
    );
  }

  /** The host says and hears nothing any more. */
  kill(index: number): void {
    this.dead.add(index);
  }

  /** Lets every host send what it has to send. Call after a verb of a flow. */
  drain(): void {
    for (let index = 0; index < this.hosts.length; index++) this.drainHost(index);
  }

  /** Plays until `untilNs`, or until nothing is left to do; returns the time. */
  run(untilNs: number): number {
    this.drain();
    for (;;) {
      const next = this.nextNs();
      if (next > untilNs) break;
      this.nowNs = Math.max(this.nowNs, next);
      this.deliver();
      this.drain();
      this.onStep();
    }
    if (untilNs !== Number.POSITIVE_INFINITY) this.nowNs = untilNs;
    return this.nowNs;
  }

  /** Puts a frame on its way that no host has sent. */
  inject(frame: Frame, from: number, to: number): void {
    frame.peer = from;
    this.arrivals.push(this.wakeNs(this.nowNs + this.delayNs), { frame, to });
  }

  private wakeNs(ns: number): number {
    return this.napNs === 0 || ns === Number.POSITIVE_INFINITY ? ns : Math.ceil(ns / this.napNs) * this.napNs;
  }

  private nextNs(): number {
    let next = this.arrivals.nextNs;
    for (let index = 0; index < this.hosts.length; index++) {
      if (!this.dead.has(index)) next = Math.min(next, this.wakeNs(this.hosts[index].nextTimeout()));
    }
    return next;
  }

  private deliver(): void {
    while (this.arrivals.nextNs <= this.nowNs) {
      const arrival = this.arrivals.pop();
      if (this.dead.has(arrival.to)) continue;
      this.hosts[arrival.to].handleFrame(arrival.frame, this.nowNs);
      this.drainHost(arrival.to);
    }
  }

  private drainHost(index: number): void {
    if (this.dead.has(index)) return;
    const host = this.hosts[index];
    host.advance(this.nowNs);
    for (let frame = host.poll(); frame !== null; frame = host.poll()) this.transmit(frame, index);
  }

  private transmit(frame: Frame, from: number): void {
    this.frames++;
    const to = this.hostAt(frame.peer, from);
    for (const extraNs of this.network(frame, from, this.nowNs)) {
      const copy = new Frame(frame.bytes.slice(0, frame.length));
      copy.length = frame.length;
      copy.peer = this.seenAs(from, to);
      this.tamper(copy, from);
      if (to >= 0) this.arrivals.push(this.wakeNs(frame.atNs + extraNs), { frame: copy, to });
    }
    this.pool.give(frame);
  }
}
