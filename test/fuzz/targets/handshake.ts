import { MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import type { Door } from '../../../src/core/door.js';
import { frameType } from '../../../src/wire/decode.js';
import type { Frame } from '../../../src/wire/frame.js';
import { Cookie, Hello, Welcome } from '../../../src/wire/frames.js';
import { Sink, Source } from '../../harness/streams.js';
import { World } from '../../harness/world.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';
import { hostileFrame, type Known } from './hostile-frames.js';

const DELAY_NS = MILLISECOND_NS;
const RATE_BPS = 100e6;
/** Two hosts with doors, and addresses in whose name somebody else speaks. */
const HOSTS = 2;
const STRANGERS = 4;
const MOST_HELD = 4_096;
const STREAM_BYTES = 3_000;
const MOST_INJECTED = 100;
const WAITS_NS = [0, MILLISECOND_NS, 100 * MILLISECOND_NS, SECOND_NS, 20 * SECOND_NS];

const NO_BITS = new Uint8Array(0);

/** Two hosts that shake hands while somebody writes frames: nothing throws, bounds hold, and who has proved nothing is sent no more than came from it. */
export const handshake: Target = {
  name: 'handshake',
  seeds: () => [
    Uint8Array.from([0, 0, 1, 1, 3, 10, 0, 0, 0, 0, 0, 1, 1]),
    Uint8Array.from([1, 1, 0, 0, 12, 11, 0, 0, 1, 4, 1, 1, 2, 10, 0, 0, 2, 3, 1, 1, 13, 0, 0, 1]),
  ],
  maxBytes: 1_024,
  run: (data) => {
    const bed = new HandshakeBed(new Input(data));
    bed.play();
    bed.finish();
  },
};

/** Two hosts and a liar who sees what they say, but nothing that goes to the strangers. */
class HandshakeBed {
  private readonly input: Input;
  private readonly world: World;
  private readonly sinks: Sink[];
  private readonly sources: Source[] = [];
  /** By host and stranger: bytes to it, less those from it. */
  private readonly debts = new Int32Array(HOSTS * (HOSTS + STRANGERS));
  private readonly known = { destination: 0, source: 0, flowId: 1, offset: 0, sequence: 0, probe: 1, token: 0 };
  private bits: Uint8Array = NO_BITS;

  constructor(input: Input) {
    this.input = input;
    this.world = new World(1 + input.below(4), DELAY_NS);
    this.world.doors = { keys: null };
    this.world.network = (frame, from) => this.carry(frame, from);
    this.sinks = Array.from({ length: HOSTS }, () => new Sink(this.world));
    for (const sink of this.sinks) this.world.addHost({ rateBps: RATE_BPS }, sink);
  }

  play(): void {
    const { input, world } = this;
    for (let count = 0; count < MOST_INJECTED && !input.isOver; count++) {
      const kind = input.below(16);
      if (kind === 0) this.open(input.below(HOSTS));
      else if (kind === 1) world.restart(input.below(HOSTS));
      else if (kind < 12) this.lie();
      else world.run(world.nowNs + input.pick(WAITS_NS));
      this.check();
    }
  }

  /** What lies say does not keep two hosts apart for ever. */
  finish(): void {
    const { world } = this;
    world.run(world.nowNs + 100 * SECOND_NS);
    const [sink] = this.sinks.slice(1);
    const before = sink!.readers.length;
    const source = this.open(0);
    world.run(world.nowNs + 100 * SECOND_NS);
    must(source.closed === null, `a flow after all lies ends with ${source.closed?.message ?? 'nothing'}`);
    must(
      sink!.readers.slice(before).some(({ received, wrong }) => received === STREAM_BYTES && wrong === 0),
      'it is delivered',
    );
    this.check();
  }

  private open(from: number): Source {
    const source = new Source(this.world, STREAM_BYTES);
    this.sources.push(source);
    source.start(from, 1 - from);
    return source;
  }

  private lie(): void {
    const { input, world } = this;
    const to = input.below(HOSTS);
    const from = input.below(2) === 0 ? 1 - to : HOSTS + input.below(STRANGERS);
    const frame = hostileFrame(input, { ...this.known, bits: input.below(2) === 0 ? this.bits : NO_BITS } as Known);
    this.debts[this.place(to, from)]! -= frame.length;
    world.inject(frame, from, to);
    world.run(world.nowNs + DELAY_NS);
  }

  private place(host: number, peer: number): number {
    return host * (HOSTS + STRANGERS) + peer;
  }

  /** Strangers get nothing; the liar reads along what the hosts say to each other. */
  private carry(frame: Frame, from: number): readonly number[] {
    const { peer } = frame;
    if (peer >= HOSTS) {
      const place = this.place(from, peer);
      this.debts[place]! += frame.length;
      const debt = this.debts[place]!;
      const isProved = this.doorOf(from).isProved(peer);
      must(isProved || debt <= 0, `${debt} bytes more go to ${peer} than came from it, and it has proved nothing`);
      return [];
    }
    this.learn(frame);
    return [0];
  }

  private learn({ bytes }: Frame): void {
    const kind = [Hello, Cookie, Welcome].find(({ type }) => type === frameType(bytes));
    if (kind !== undefined) this.bits = kind.read.ci(bytes, new Uint8Array(8));
  }

  private check(): void {
    for (let index = 0; index < HOSTS; index++) {
      const door = this.doorOf(index);
      must(door.handshakes.known <= HOSTS + STRANGERS, `${door.handshakes.known} peers are known`);
      must(door.heldFrames >= 0 && door.heldFrames <= MOST_HELD, `${door.heldFrames} frames wait for handshakes`);
      for (let peer = HOSTS; peer < HOSTS + STRANGERS; peer++)
        must(!door.isProved(peer), `address ${peer} is proved, though nothing reaches it`);
    }
  }

  private doorOf(index: number): Door {
    const { door } = this.world.hosts[index]!;
    must(door !== null, 'a host has a door');
    return door;
  }
}
