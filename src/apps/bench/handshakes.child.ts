// Tested by test/loopback/bench.test.ts
import { diffieHellman, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type FrameSeal, type Initiation, type KeyExchange, MaskSeal } from '../../core/association.js';
import { openHost } from '../../net/host.js';
import { keyExchange, readKeys } from '../../net/keys.js';
import { DurationHistogram, type Percentiles } from '../../services/perf/histogram.js';
import { formatAddress } from '../../udp/address.js';
import { fastCrc32 } from '../../udp/crc.js';
import { frameType } from '../../wire/decode.js';
import { Frame } from '../../wire/frame.js';
import { Confirm, Cookie, Hello, Welcome } from '../../wire/frames.js';
import { BITS_BYTES, COOKIE_BYTES, isSame, lowerHalf } from '../../wire/proofs.js';
import { serve } from './child-program.js';

export interface HandshakeOrder {
  readonly role: 'answerer' | 'initiator';
  readonly key?: string;
  readonly peers?: string;
  /** Of the answerer in an initiator's peers file. */
  readonly name: string;
  /** Where an initiator finds the answerer. */
  readonly port: number;
}

/** An answerer: where it listens. */
export interface HandshakeReady {
  readonly address: string;
}

export type HandshakeVerb =
  /** Handshakes without end, on `parallel` sockets at a time; with the cookie of the one before, or without one. */
  | { readonly verb: 'shake'; readonly parallel: number; readonly hasCookie: boolean; readonly ms: number }
  /** What a handshake of another kind takes at the least. */
  | { readonly verb: 'bare'; readonly ms: number };

export interface HandshakeFigures {
  readonly count: number;
  /** HELLOs that were answered: each is a round trip. */
  readonly trips: number;
  /** HELLOs said again because no answer came. */
  readonly repeated: number;
  readonly seconds: number;
  /** From the first HELLO to the frame with which data may go. */
  readonly times: Percentiles;
}

/** An answerer says nothing to HELLOs beyond its limit (PROTOCOL §7.2), whose bucket fills in a moment. Ours: longer than any answer takes. */
const REPEAT_MS = 100;
/** Of WireGuard's handshake (https://www.wireguard.com/papers/wireguard.pdf, 5.4: Noise IKpsk2) its answerer computes es, ss, ee and se. */
const WIREGUARD_AGREEMENTS = 4;
const FLOW_HEADER = { destination: 0, source: 0 };

/** One address that shakes hands again and again. */
class Initiator {
  private readonly socket: Socket;
  private readonly keys: KeyExchange | null;
  private cookie: Uint8Array | undefined;
  private answered: (bytes: Uint8Array) => void = () => undefined;

  constructor(socket: Socket, keys: KeyExchange | null) {
    this.socket = socket;
    this.keys = keys;
    socket.on('message', (bytes) => this.answered(bytes));
  }

  static async to(port: number, keys: KeyExchange | null): Promise<Initiator> {
    const socket = createSocket('udp4');
    socket.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Initiator(socket, keys);
  }

  close(): void {
    this.socket.close();
  }

  /** One handshake, to its last frame. */
  async shake(hasCookie: boolean): Promise<{ trips: number; repeated: number }> {
    const ci = randomBytes(BITS_BYTES);
    const initiation = this.keys?.initiate(0, ci) ?? null;
    if (!hasCookie) this.cookie = undefined;
    let trips = 0;
    let repeated = 0;
    for (;;) {
      const answer = await this.ask(this.hello(ci, initiation), ci);
      if (answer === null) {
        repeated++;
        continue;
      }
      trips++;
      if (frameType(answer) === Cookie.type) {
        this.cookie = Cookie.read.cookie(answer, new Uint8Array(COOKIE_BYTES));
        continue;
      }
      this.confirm(this.sealOf(answer, ci, initiation));
      return { trips, repeated };
    }
  }

  private hello(ci: Uint8Array, initiation: Initiation | null): Uint8Array {
    const bytes = new Uint8Array(Hello.maxBytes);
    const message = initiation?.message ?? new Uint8Array(0);
    const cookie = this.cookie === undefined ? {} : { cookie: this.cookie };
    const fields = { ci, ...cookie, messageBytes: message.length, message };
    Hello.encode(bytes, { ...FLOW_HEADER, flowId: lowerHalf(ci) }, fields, fastCrc32);
    return bytes;
  }

  private sealOf(welcome: Uint8Array, ci: Uint8Array, initiation: Initiation | null): FrameSeal {
    this.cookie = Welcome.read.cookie(welcome, new Uint8Array(COOKIE_BYTES));
    const cr = Welcome.read.cr(welcome, new Uint8Array(BITS_BYTES));
    if (initiation === null) return new MaskSeal(fastCrc32, { ci, cr }, true);
    const room = new Uint8Array(Welcome.maxBytes);
    const message = Welcome.read.message(welcome, room).subarray(0, Welcome.read.messageBytes(welcome));
    const seal = initiation.finish(message, ci, cr);
    if (seal === null) throw new Error('the answerer has another key');
    return seal;
  }

  private confirm(seal: FrameSeal): void {
    const frame = new Frame(new Uint8Array(2 * Confirm.maxBytes));
    frame.length = Confirm.encode(frame.bytes, { ...FLOW_HEADER, flowId: 0 }, {}, fastCrc32);
    seal.seal(frame);
    seal.close?.();
    this.socket.send(frame.bytes.subarray(0, frame.length));
  }

  /** Null when no answer has come in time. One to an earlier HELLO that was repeated is none. */
  private ask(question: Uint8Array, ci: Uint8Array): Promise<Uint8Array | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, REPEAT_MS, null);
      this.answered = (bytes) => {
        if (!isAnswer(bytes, ci)) return;
        clearTimeout(timer);
        resolve(bytes);
      };
      this.socket.send(question);
    });
  }
}

function isAnswer(bytes: Uint8Array, ci: Uint8Array): boolean {
  const room = new Uint8Array(BITS_BYTES);
  const type = frameType(bytes);
  if (type === Cookie.type) return isSame(Cookie.read.ci(bytes, room), ci);
  return type === Welcome.type && isSame(Welcome.read.ci(bytes, room), ci);
}

async function shake(order: HandshakeOrder, verb: HandshakeVerb & { verb: 'shake' }): Promise<HandshakeFigures> {
  const files = await readKeys(order);
  const keys = keyExchange(files, () => order.name);
  const all = await Promise.all([...Array(verb.parallel)].map(() => Initiator.to(order.port, keys)));
  // The first of an address has no cookie.
  await Promise.all(all.map((each) => each.shake(false)));
  const times = new DurationHistogram();
  const startMs = performance.now();
  let [count, trips, repeated] = [0, 0, 0];
  const goOn = async (each: Initiator): Promise<void> => {
    while (performance.now() < startMs + verb.ms) {
      const sinceMs = performance.now();
      const done = await each.shake(verb.hasCookie);
      times.record((performance.now() - sinceMs) * 1e6);
      count++;
      trips += done.trips;
      repeated += done.repeated;
    }
  };
  await Promise.all(all.map(goOn));
  for (const each of all) each.close();
  const seconds = (performance.now() - startMs) / 1e3;
  return { count, trips, repeated, seconds, times: times.percentiles() };
}

/** Processor time of one answer in WireGuard's model, us: a key pair and four agreements by keys that are ready. */
function bareUs(ms: number): number {
  const [ours, theirs] = [generateKeyPairSync('x25519'), generateKeyPairSync('x25519')];
  const start = process.cpuUsage();
  const endMs = performance.now() + ms;
  let count = 0;
  for (; performance.now() < endMs || count === 0; count++) {
    generateKeyPairSync('x25519');
    for (let at = 0; at < WIREGUARD_AGREEMENTS; at++)
      diffieHellman({ privateKey: ours.privateKey, publicKey: theirs.publicKey });
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

/** Started by handshakes.ts, which tells it what to do. */
serve<HandshakeOrder, HandshakeVerb>(async (order) => {
  if (order.role === 'answerer') {
    const { key, peers } = order;
    const host = await openHost({ ...(key !== undefined && { key }), ...(peers !== undefined && { peers }) });
    return { ready: { address: formatAddress(host.local) } };
  }
  const obey = (verb: HandshakeVerb) => (verb.verb === 'bare' ? { us: bareUs(verb.ms) } : shake(order, verb));
  return { ready: { address: '' }, obey };
});
