import { describe, expect, it } from 'vitest';
import { XpassError } from '../../src/base/errors.js';
import type { FlowReader, FlowWriter } from '../../src/core/flow-callbacks.js';
import type { Receiver } from '../../src/net/receiver.js';
import { ResetCode } from '../../src/wire/layout.js';
import { StreamWorld } from '../harness/stream-world.js';
import { pattern } from '../harness/streams.js';

/** Reads one flow, writes down what it is told and, unless it is slow, is done with everything at once. */
class Reading implements FlowReader {
  readonly receiver: Receiver;
  readonly parts: Uint8Array[] = [];
  bytes = 0;
  ends = 0;
  readonly closings: (XpassError | null)[] = [];
  private readonly isSlow: boolean;

  constructor(receiver: Receiver, isSlow: boolean) {
    this.receiver = receiver;
    this.isSlow = isSlow;
  }

  onData(bytes: Uint8Array): void {
    this.parts.push(bytes.slice());
    this.bytes += bytes.length;
    if (!this.isSlow) this.receiver.release(bytes.length);
  }

  onEnd(): void {
    this.ends++;
  }

  onClosed(error: XpassError | null): void {
    this.closings.push(error);
  }
}

/** Writes down what the writer of a flow is told. */
class Writing implements FlowWriter {
  openings = 0;
  rooms = 0;
  readonly closings: (XpassError | null)[] = [];
  onRoom: () => void = () => {};

  onOpened(): void {
    this.openings++;
  }

  onWritable(): void {
    this.rooms++;
    this.onRoom();
  }

  onClosed(error: XpassError | null): void {
    this.closings.push(error);
  }
}

const CHANGES = { receiveWindowBytes: 65_536, sendBufferBytes: 65_536, connectTimeoutNs: 1e9, idleTimeoutNs: 2e9 };
const MS = 1e6;

/** Host 0 opens a flow to host 1, which takes all flows. */
function bed({ isSlow = false } = {}) {
  const world = new StreamWorld();
  const opener = world.open(CHANGES);
  const taker = world.open(CHANGES);
  const readings: Reading[] = [];
  const take = (receiver: Receiver): FlowReader => {
    readings.push(new Reading(receiver, isSlow));
    return readings[readings.length - 1];
  };
  taker.acceptReceivers(take);
  const writing = new Writing();
  const sender = opener.openSender(1, writing);
  const play = (ms: number): void => void world.run(world.nowNs + ms * MS);
  return { world, opener, taker, readings, take, writing, sender, play };
}

describe('a sender', () => {
  it('says nothing before it is used', () => {
    const { world, readings, play } = bed();
    play(100);
    expect([world.frames, readings.length]).toEqual([0, 0]);
  });

  it('writes bytes in order and ends when the peer has them all', () => {
    const { sender, writing, readings, play } = bed();
    const bytes = pattern(0, 50_000);
    expect(sender.write(bytes.subarray(0, 20_000))).toBe(true);
    expect(sender.write(bytes.subarray(20_000))).toBe(true);
    expect(sender.unsentBytes).toBe(50_000);
    play(50);
    expect([sender.acknowledgedBytes, sender.unsentBytes, writing.closings.length]).toEqual([50_000, 0, 0]);
    sender.end();
    play(50);
    expect(writing.closings).toEqual([null]);
    expect(sender.isClosed).toBe(true);
    expect(Buffer.concat(readings[0].parts).equals(bytes)).toBe(true);
    expect([readings[0].ends, readings[0].closings]).toEqual([1, [null]]);
  });

  it('opens the flow without a byte, and tells its writer once', () => {
    const { sender, writing, readings, play } = bed();
    sender.open();
    expect(writing.openings).toBe(0);
    play(10);
    expect([writing.openings, readings.length, readings[0].bytes]).toEqual([1, 1, 0]);
    sender.open();
    sender.write(pattern(0, 10));
    play(10);
    expect([writing.openings, readings[0].bytes]).toEqual([1, 10]);
  });

  it('takes nothing when the buffer is full, and says when there is room', () => {
    const { sender, writing, readings, play } = bed();
    expect(sender.write(pattern(0, 60_000))).toBe(true);
    expect(sender.write(pattern(60_000, 20_000))).toBe(false);
    writing.onRoom = () => {
      expect(sender.write(pattern(60_000, 20_000))).toBe(true);
      sender.end();
    };
    play(100);
    expect([writing.rooms, readings[0].bytes, writing.closings]).toEqual([1, 80_000, [null]]);
  });

  it.each([
    [undefined, 'reset', 'host 0: the peer gave the flow up'],
    [ResetCode.shutdown, 'shutdown', 'host 0 ended in the middle: its process is shutting down'],
  ])('that is reset with %s ends on both sides', (code, theirs, sentence) => {
    const { sender, writing, readings, opener, taker, play } = bed();
    sender.write(pattern(0, 10));
    play(10);
    sender.reset(code);
    expect(writing.closings).toMatchObject([{ code: 'reset' }]);
    play(10);
    expect(readings[0].closings).toMatchObject([{ code: theirs, message: sentence }]);
    expect([opener.flows, taker.flows]).toEqual([0, 0]);
  });

  it('that is closed does nothing, whatever is called', () => {
    const { world, sender, writing, play } = bed();
    sender.write(pattern(0, 10));
    sender.end();
    play(50);
    const { frames } = world;
    expect(sender.write(new Uint8Array(0))).toBe(false);
    sender.open();
    sender.end();
    sender.reset();
    play(1_000);
    expect(world.frames).toBe(frames);
    expect(writing.closings).toEqual([null]);
  });

  it('whose peer takes no flow has an error that names it, with the error of the core', () => {
    const { sender, writing, taker, play } = bed();
    taker.acceptReceivers(null);
    sender.open();
    play(10);
    const [error] = writing.closings;
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('host 1 refuses the flow') });
    expect(error?.cause).toMatchObject({ code: 'refused', message: 'the peer does not take this flow' });
    expect(error?.cause).toBeInstanceOf(XpassError);
  });

  it.each([
    ['never answers', 0, 'unreachable', 'host 1 does not answer: nothing came within the connect timeout of 1s'],
    ['falls silent', 10, 'idle', 'host 1 is lost: nothing came within the idle timeout of 2s'],
  ])('whose peer %s has an error that names it and the time that decides', (_, liveMs, code, message) => {
    const { world, sender, writing, play } = bed();
    sender.write(pattern(0, 10));
    play(liveMs);
    world.kill(1);
    play(3_000);
    expect(writing.closings).toMatchObject([{ code, message, cause: { code } }]);
  });

  it('may be used inside its own calls', () => {
    const { sender, writing, readings, play } = bed();
    writing.onOpened = () => {
      sender.write(pattern(0, 100));
      sender.end();
    };
    sender.open();
    play(50);
    expect([readings[0].bytes, writing.closings]).toEqual([100, [null]]);
  });
});

describe('a receiver', () => {
  it('knows its peer and its flow', () => {
    const { sender, readings, play } = bed();
    sender.open();
    play(10);
    const { receiver } = readings[0];
    expect(receiver).toMatchObject({ peer: 0, peerName: 'host 0', id: sender.id, pairedFlowId: 0, isReactive: false });
    expect(receiver.isClosed).toBe(false);
  });

  it('holds its peer back until bytes are released, from outside the calls too', () => {
    const { sender, writing, readings, play } = bed({ isSlow: true });
    sender.write(pattern(0, 65_000));
    writing.onRoom = () => void sender.write(pattern(65_000, 30_000));
    // The send buffer is full: room comes when the peer has taken half of it.
    expect(sender.write(pattern(65_000, 30_000))).toBe(false);
    play(500);
    const [{ receiver, bytes }] = readings;
    expect(bytes).toBeGreaterThan(30_000);
    expect(bytes).toBeLessThanOrEqual(65_536);
    receiver.release(bytes);
    play(500);
    expect(readings[0].bytes).toBe(95_000);
  });

  it('that is reset ends on both sides', () => {
    const { sender, writing, readings, play } = bed();
    sender.write(pattern(0, 10));
    play(10);
    readings[0].receiver.reset();
    expect(readings[0].closings).toMatchObject([{ code: 'reset' }]);
    play(10);
    expect(writing.closings).toMatchObject([{ code: 'reset', message: 'host 1: the peer gave the flow up' }]);
  });

  it('that is closed does nothing, whatever is called', () => {
    const { world, sender, readings, play } = bed({ isSlow: true });
    sender.write(pattern(0, 1_000));
    play(10);
    const { receiver } = readings[0];
    receiver.reset();
    play(10);
    const { frames } = world;
    receiver.release(1_000);
    receiver.reset();
    play(1_000);
    expect([world.frames, readings[0].closings.length, receiver.isClosed]).toEqual([frames, 1, true]);
  });
});

describe('a reply', () => {
  it('goes to who expects it, and names the flow that it answers', () => {
    const { opener, taker, take, readings, play } = bed();
    const answers: Reading[] = [];
    const sender = opener.openSender(1, new Writing(), {
      onReply: (reply) => {
        answers.push(new Reading(reply, false));
        return answers[answers.length - 1];
      },
    });
    taker.acceptReceivers((receiver) => {
      const reply = receiver.openReply(new Writing());
      reply.write(pattern(0, 1_000));
      reply.end();
      return take(receiver);
    });
    sender.write(pattern(0, 5));
    play(50);
    expect(answers[0].receiver.pairedFlowId).toBe(sender.id);
    expect([answers[0].bytes, answers[0].closings, readings[0].bytes]).toEqual([1_000, [null], 5]);
  });

  it.each(['without onReply', 'after forgetReplies', 'of another peer'] as const)('is refused %s', (how) => {
    const { world, opener, taker, readings, play } = bed();
    const taken: Receiver[] = [];
    const onReply = (reply: Receiver): FlowReader => {
      taken.push(reply);
      return new Reading(reply, false);
    };
    const sender = opener.openSender(1, new Writing(), how === 'without onReply' ? {} : { onReply });
    sender.open();
    play(10);
    const writing = new Writing();
    if (how === 'after forgetReplies') sender.forgetReplies();
    const reply =
      how === 'of another peer'
        ? world.open(CHANGES).openSender(0, writing, { pairedFlowId: sender.id })
        : taker.openReply(readings[0].receiver, writing);
    reply.open();
    play(10);
    expect(writing.closings).toMatchObject([{ code: 'refused' }]);
    expect(taken).toEqual([]);
  });
});

describe('a flow that names another of its own direction', () => {
  it('goes to who takes the flows of the pair, while that one is open', () => {
    const { opener, sender, readings, play, writing } = bed();
    sender.open();
    play(10);
    const paired: Reading[] = [];
    const open = () => {
      const openWriting = new Writing();
      opener.openSender(1, openWriting, { pairedFlowId: sender.id }).write(pattern(0, 10));
      play(10);
      return openWriting;
    };
    expect(open().closings).toMatchObject([{ code: 'refused' }]);
    readings[0].receiver.acceptPaired((receiver) => {
      paired.push(new Reading(receiver, false));
      return paired[paired.length - 1];
    });
    expect(open().closings).toEqual([]);
    expect([paired.length, paired[0].bytes, readings.length]).toEqual([1, 10, 1]);
    sender.end();
    play(1_000);
    expect(writing.closings).toEqual([null]);
    expect(open().closings).toMatchObject([{ code: 'refused' }]);
    expect(paired).toHaveLength(1);
  });
});

it('opens flows with the share and algorithm that it is told', () => {
  const { opener, readings, play } = bed();
  opener.openSender(1, new Writing(), { algorithm: 'dctcp', set: {} }).open();
  play(10);
  expect(readings[0].receiver.isReactive).toBe(true);
  expect(() => opener.openSender(1, new Writing(), { weight: 0 })).toThrow('weight is 0');
});
