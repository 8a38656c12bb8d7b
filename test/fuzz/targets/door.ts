import { crc32 } from '../../../src/base/crc32.js';
import { SeededRandom } from '../../../src/base/random.js';
import { MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import { builtinTopology } from '../../../src/switch/builtin-topologies.js';
import { Switch } from '../../../src/switch/switch.js';
import { TYPE_CODES } from '../../../src/wire/layout.js';
import { TestCookies } from '../../harness/world.js';
import { CountingPool } from '../../switch/frames.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';
import { hostileFrame } from './hostile-frames.js';

const HOSTS = 3;
const PEERS = 4;
const MOST_FRAMES = 100_000;
const STAR = builtinTopology('star', { hosts: HOSTS, rateBps: 1e8 });

/** A switch for strangers: whatever comes by whatever address, no frame is lost track of, and what enters leaves or is counted. */
export const door: Target = {
  name: 'door',
  seeds: () => [
    Uint8Array.from([1, 1, 10, 0, 0, 0]),
    Uint8Array.from([
      1, 1, 10, 0, 0, 0, 0, 2, 2, 10, 0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 13, 0, 0, 0,
    ]),
  ],
  maxBytes: 1_024,
  run: (data) => {
    const input = new Input(data);
    const pool = new CountingPool();
    const random = new SeededRandom(1);
    const cookies = new TestCookies(random);
    const target = new Switch({ topology: STAR, random, check: crc32, pool, cookies, keepAliveMs: 100 });
    let nowNs = 0;
    let handled = 0;
    while (!input.isOver) {
      nowNs += input.below(8) === 0 ? input.u16() * MILLISECOND_NS : input.u8() * 100;
      const [source, peer] = [1 + input.below(HOSTS), 1 + input.below(PEERS)];
      give(target, pool, { input, source, peer, nowNs });
      handled++;
      drain(target, pool, nowNs);
    }
    drain(target, pool, nowNs + 100 * SECOND_NS);
    must(pool.out === 0, `${pool.out} frames are lost track of`);
    const { door: drops, attachments } = target.statistics(nowNs + 100 * SECOND_NS);
    must(attachments.attached === 0, 'hosts that say nothing are attached no more');
    // Some reasons count beside a frame that was taken.
    const counted = Object.values(drops).reduce((sum, count) => sum + count, 0);
    must(counted <= 2 * handled, `${counted} drops of ${handled} datagrams`);
  },
};

interface Sent {
  readonly input: Input;
  readonly source: number;
  readonly peer: number;
  readonly nowNs: number;
}

function give(target: Switch, pool: CountingPool, { input, source, peer, nowNs }: Sent): void {
  const destination = 1 + input.below(HOSTS);
  const known = { destination, source, flowId: 7, offset: 0, sequence: 0, probe: 1, token: source };
  const made = hostileFrame(input, known);
  const frame = pool.take();
  frame.bytes.set(made.bytes);
  frame.length = made.length;
  frame.peer = peer;
  target.handleDatagram(frame, nowNs);
}

function drain(target: Switch, pool: CountingPool, nowNs: number): void {
  target.advance(nowNs);
  let count = 0;
  for (let frame = target.poll(); frame !== null; frame = target.poll()) {
    must(++count < MOST_FRAMES, 'a switch has no end of frames');
    must(frame.peer >= 1 && frame.peer <= PEERS, `a frame goes to ${frame.peer}, whom nobody knows`);
    must(frame.type < TYPE_CODES, 'a type that is none');
    pool.give(frame);
  }
  must(target.nextTimeout() > nowNs, 'no deadline is in the past');
}
