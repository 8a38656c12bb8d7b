import { describe, expect, it } from 'vitest';
import { Sink, Source } from '../harness/streams.js';
import { INTACT, LOST, World } from '../harness/world.js';
import { frameType } from '../../src/wire/decode.js';
import { FrameType } from '../../src/wire/layout.js';

const SECOND = 1e9;

function pair(seed: number, changes = {}) {
  const world = new World(seed, 50_000);
  world.addHost(changes);
  const sink = new Sink(world);
  world.addHost(changes, sink);
  return { world, sink };
}

describe('one flow between two hosts', () => {
  it('delivers every byte in order and closes both sides without an error', () => {
    const { world, sink } = pair(1, { rateBps: 100e6 });
    const source = new Source(world, 1_000_000).start(0, 1);
    world.run(30 * SECOND);
    expect(sink.readers[0].received).toBe(1_000_000);
    expect(sink.readers[0].wrong).toBe(0);
    expect(sink.readers[0].closed).toBeNull();
    expect(source.closed).toBeNull();
    console.log(world.frames, source.flow.statistics, sink.readers[0].flow.statistics, world.hosts[0].endpoint.counters);
  });

  it('delivers over an unlimited link', () => {
    const { world, sink } = pair(1, {hostCredits: 256});
    const source = new Source(world, 10_000_000).start(0, 1);
    world.run(30 * SECOND);
    expect(sink.readers[0].received).toBe(10_000_000);
    expect(source.closed).toBeNull();
    console.log(source.flow.statistics, sink.readers[0].flow.statistics);
  });

  it('an empty stream', () => {
    const { world, sink } = pair(1);
    const source = new Source(world, 0).start(0, 1);
    world.run(30 * SECOND);
    expect(sink.readers[0].ended).toBe(true);
    expect(source.closed).toBeNull();
  });

  it.each([1, 2, 3, 4, 5, 6])('survives 5 %% loss of everything, seed %i', (seed) => {
    const { world, sink } = pair(seed, { rateBps: 100e6 });
    const chance = world.random.fork();
    world.network = () => (chance.next() < 0.05 ? LOST : chance.next() < 0.02 ? [0, 100_000] : chance.next() < 0.02 ? [1e6] : INTACT);
    const source = new Source(world, 2_000_000).start(0, 1);
    let t = 0;
    while (source.closed === undefined && t < 100) world.run(++t * SECOND);
    expect(sink.readers[0].wrong).toBe(0);
    expect(sink.readers[0].received).toBe(2_000_000);
    expect(source.closed).toBeNull();
    console.log(t, source.flow.statistics, sink.readers[0].flow.statistics);
  });
});
