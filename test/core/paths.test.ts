import { describe, expect, it } from 'vitest';
import { SECOND_NS } from '../../src/base/time.js';
import { Move, Validation } from '../../src/core/path-validation.js';
import { frameType } from '../../src/wire/decode.js';
import { Frame } from '../../src/wire/frame.js';
import { kindOf, PathChallenge, PathMoved } from '../../src/wire/frames.js';
import { behindNats, doorOf, SERVER } from '../harness/nats.js';
import { Sink, Source } from '../harness/streams.js';

const BYTES = 1_000_000;

describe('a host whose address changes', () => {
  it('goes on with its transfer, and shakes no hands', () => {
    const { world, ports, said, sink, server } = behindNats(1);
    const source = new Source(world, BYTES);
    source.start(1, SERVER);
    world.run(0.3 * SECOND_NS);
    ports[1] = 2_001;
    said.length = 0;
    world.run(10 * SECOND_NS);
    expect(source.closed).toBeNull();
    expect(sink.readers[0]).toMatchObject({ received: BYTES, wrong: 0, closed: null });
    expect(said.filter(({ name }) => name === 'HELLO' || name === 'WELCOME')).toEqual([]);
    expect(server.paths.counters).toMatchObject({ moves: 1, forged: 0 });
    expect(doorOf(world, 1).paths.counters.ownMoves).toBe(1);
  });

  it('goes on as the receiver too, and when it moves again and again', () => {
    const { world, ports, server } = behindNats(1);
    new Source(world, 100).start(1, SERVER);
    world.run(0.3 * SECOND_NS);
    const clientSink = new Sink(world);
    world.hosts[1].endpoint['application' as never] = clientSink as never;
    const source = new Source(world, BYTES);
    source.start(SERVER, 1);
    for (let move = 1; move <= 5; move++) {
      world.run((0.3 + 0.15 * move) * SECOND_NS);
      ports[1] = 2_000 + move;
    }
    world.run(20 * SECOND_NS);
    expect(source.closed).toBeNull();
    expect(clientSink.readers[0]).toMatchObject({ received: BYTES, wrong: 0 });
    expect(server.paths.counters.moves).toBe(5);
  });

  it('gets nothing but hints and one challenge for each claim at its new address until it has answered', () => {
    const { world, ports, said, server } = behindNats(1);
    new Source(world, BYTES).start(1, SERVER);
    world.run(0.3 * SECOND_NS);
    ports[1] = 2_001;
    said.length = 0;
    // The answers to challenges are lost.
    const { network } = world;
    world.network = (frame, from, nowNs) => {
      network(frame, from, nowNs);
      return kindOf(frameType(frame.bytes)).name === 'PATH_RESPONSE' ? [] : [0];
    };
    world.run(0.8 * SECOND_NS);
    const atNew = said.filter(({ port }) => port === 2_001);
    const [there, back] = [SERVER, 1].map((from) => atNew.filter((each) => each.from === from));
    expect([...new Set(there.map(({ name }) => name))].sort()).toEqual(['NO_ASSOCIATION', 'PATH_CHALLENGE']);
    const bytesOf = (frames: typeof said) => frames.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(bytesOf(there)).toBeLessThanOrEqual(bytesOf(back));
    expect(server.paths.counters.moves).toBe(0);
    expect(server.paths.counters.challenges).toBeLessThanOrEqual(3);
  });

  it('shakes hands where its peer has forgotten the association meanwhile', () => {
    const { world, ports, said, sink } = behindNats(1);
    new Source(world, 1_000).start(1, SERVER);
    world.run(0.3 * SECOND_NS);
    world.restart(SERVER);
    ports[1] = 2_001;
    said.length = 0;
    const source = new Source(world, 1_000);
    source.start(1, SERVER);
    world.run(5 * SECOND_NS);
    expect(source.closed).toBeNull();
    expect(sink.readers[1]).toMatchObject({ received: 1_000 });
    expect(said.map(({ name }) => name)).toContain('HELLO');
  });

  it('takes the address of another peer, which goes on from where it is', () => {
    const { world, ports, sink, server } = behindNats(2);
    const sources = [new Source(world, BYTES), new Source(world, BYTES)];
    sources[0].start(1, SERVER);
    sources[1].start(2, SERVER);
    world.run(0.3 * SECOND_NS);
    // The NAT gives the port of one host to the other, and a new one to the first.
    [ports[1], ports[2]] = [ports[2], 3_001];
    world.run(20 * SECOND_NS);
    expect(sources.map(({ closed }) => closed)).toEqual([null, null]);
    expect(sink.readers.map(({ received, wrong }) => [received, wrong])).toEqual([
      [BYTES, 0],
      [BYTES, 0],
    ]);
    expect(server.paths.counters.moves).toBe(2);
  });
});

describe('somebody else at another address', () => {
  it('moves nobody by frames of other associations, of no association or with a wrong check', () => {
    const { world, table, server } = behindNats(1);
    new Source(world, 1_000).start(1, SERVER);
    world.run(0.3 * SECOND_NS);
    const peer = table.number('192.0.2.1', 1_001, 0);
    const stranger = table.number('203.0.113.9', 9, 0);
    for (let id = 0; id < 1_000; id++) {
      const frame = new Frame(new Uint8Array(64));
      const bits = id === 0 ? (server.paths.idOf(server.handshakes.find(peer)!) ?? 0) : id;
      frame.length = PathMoved.encode(frame.bytes, { destination: 0, source: 0, flowId: bits }, {}, null);
      frame.peer = stranger;
      server.admit(frame, world.nowNs);
    }
    expect(server.paths.counters).toMatchObject({ claims: 0, challenges: 0, moves: 0, forged: 1 });
    expect(table.port(peer)).toBe(1_001);
    // NO_ASSOCIATION, at most a hundred a second.
    expect(server.counters.hints).toBeLessThanOrEqual(101);
  });
});

describe('a validation', () => {
  const bits = (value: number) => new Uint8Array(8).fill(value);

  it('takes the latest challenge, from the address that it was sent to, once and in time', () => {
    const one = new Validation();
    expect(one.accept(7, new Uint8Array(0), 0)).toBe(false);
    expect(one.begin(7, 0, () => bits(1))).toEqual(bits(1));
    expect(one.accept(8, bits(1), 1)).toBe(false);
    expect(one.accept(7, bits(2), 1)).toBe(false);
    expect(one.accept(7, bits(1), 1)).toBe(true);
    expect(one.accept(7, bits(1), 1)).toBe(false);
    one.begin(7, 0, () => bits(3));
    expect(one.accept(7, bits(3), 5 * SECOND_NS)).toBe(false);
  });

  it('is for one address at a time, and sends its challenge three times at most', () => {
    const one = new Validation();
    const sent = Array.from({ length: 5 }, () => one.begin(7, 0, () => bits(1)));
    expect(sent.filter((each) => each !== null)).toHaveLength(3);
    expect(one.begin(8, 1, () => bits(2))).toEqual(bits(2));
    expect(one.accept(7, bits(1), 2)).toBe(false);
    expect(one.accept(8, bits(2), 2)).toBe(true);
  });

  it('is asked for three times, each later than the one before', () => {
    const move = new Move({ initialRetransmitNs: 100, maxBackoffNs: 1_000 });
    const gaps: number[] = [];
    let nowNs = 0;
    do {
      move.sent(nowNs);
      gaps.push(move.nextTimeout() - nowNs);
      nowNs = move.nextTimeout();
    } while (!move.isOver(nowNs));
    expect(gaps).toEqual([100, 200, 400]);
  });
});

it('a claim is no shorter than what it is answered with', () => {
  expect(PathMoved.minBytes).toBeGreaterThanOrEqual(PathChallenge.maxBytes);
});
