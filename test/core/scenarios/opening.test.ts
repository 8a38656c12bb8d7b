import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import type { OpenOptions } from '../../../src/core/flow-factory.js';
import { type SenderFlow, SenderState } from '../../../src/core/sender-flow.js';
import { DELAY_NS, Pair } from '../../harness/pair.js';
import { printFrame } from '../../harness/print-frame.js';
import { RecordingWriter } from '../../harness/sender-bench.js';
import { pattern } from '../../harness/streams.js';

const KINDS: [string, OpenOptions][] = [
  ['a flow with credits', {}],
  ['a reactive flow', { windowAlgorithm: 'dctcp' }],
];

/** Writes the opening down too. */
class OpeningWriter extends RecordingWriter {
  onFlowOpened: () => void = () => {};

  onOpened(): void {
    this.events.push('opened');
    this.onFlowOpened();
  }
}

/** A flow that host 0 opens to host 1, and the names and flags of all frames. */
class Opening {
  readonly pair = new Pair(1);
  readonly writer = new OpeningWriter();
  readonly flow: SenderFlow;
  readonly frames: string[] = [];
  lose: (name: string) => boolean = () => false;

  constructor(options: OpenOptions) {
    this.flow = this.pair.hosts[0].endpoint.open(1, this.writer, options, 0);
    this.pair.network = (frame) => {
      const name = printFrame(frame).replace(/ \S+ flow=\S+ path=\S+ hop=\S+ \S+/, '');
      this.frames.push(name);
      return this.lose(name) ? [] : [0];
    };
  }

  run(ns: number): this {
    this.pair.run(this.pair.nowNs + ns);
    return this;
  }

  /** What was sent since the last call. */
  sent(): string[] {
    return this.frames.splice(0).map((line) => line.replace(/ (sent|paired|max|cumulative|unused)=.*/, ''));
  }

  get reader() {
    return this.pair.sinks[1].readers[0];
  }
}

describe.each(KINDS)('%s that opens before it has bytes', (_, options) => {
  it('is taken within a round trip, and says so once', () => {
    const opening = new Opening(options);
    opening.flow.open(0);
    opening.flow.open(0);
    opening.run(2 * DELAY_NS);
    expect(opening.writer.events).toEqual([]);
    opening.run(DELAY_NS);
    expect(opening.writer.events).toEqual(['opened']);
    expect(opening.sent()).toHaveLength(2);
    opening.flow.open(opening.pair.nowNs);
    opening.flow.write(pattern(0, 100), opening.pair.nowNs);
    opening.run(10 * MILLISECOND_NS);
    expect(opening.reader.received).toBe(100);
    expect(opening.writer.events).toEqual(['opened']);
  });

  it('rests with no more than keep-alives', () => {
    const opening = new Opening(options);
    opening.flow.open(0);
    opening.run(SECOND_NS).sent();
    opening.run(29 * SECOND_NS);
    const kinds = new Set(opening.sent().map((line) => line.split(' ')[0]));
    expect([...kinds].sort()).toEqual(
      options.windowAlgorithm === undefined ? ['ACK', 'CREDIT_STOP'] : ['CREDIT_STOP', 'WINDOW_ACK'],
    );
    expect(opening.pair.frames).toBeLessThan(26);
    expect(opening.flow.isClosed).toBe(false);
  });

  it('sends what is written while the answer is under way, and in the callback', () => {
    for (const when of ['under way', 'in the callback']) {
      const opening = new Opening(options);
      opening.flow.open(0);
      opening.run(DELAY_NS / 2);
      const write = () => opening.flow.write(pattern(0, 3_000), opening.pair.nowNs);
      if (when === 'under way') write();
      else opening.writer.onFlowOpened = write;
      opening.run(20 * MILLISECOND_NS);
      expect(opening.reader.received, when).toBe(3_000);
    }
  });

  it('asks again where the request or its answer is lost', () => {
    for (const lost of ['CREDIT_REQUEST', 'ACK']) {
      const opening = new Opening(options);
      let left = 1;
      opening.lose = (name) => name.includes(lost) && left-- > 0;
      opening.flow.open(0);
      opening.run(200 * MILLISECOND_NS);
      expect(opening.writer.events, lost).toEqual(['opened']);
      expect(opening.pair.sinks[1].readers).toHaveLength(1);
    }
  });

  it('ends in order without a byte, also from inside the callback', () => {
    const opening = new Opening(options);
    opening.writer.onFlowOpened = () => opening.flow.end(opening.pair.nowNs);
    opening.flow.open(0);
    opening.run(MILLISECOND_NS);
    expect(opening.writer.events).toEqual(['opened', 'closed in order']);
    expect(opening.reader.closed).toBe(null);
  });

  it('may be given up from inside the callback', () => {
    const opening = new Opening(options);
    opening.writer.onFlowOpened = () => opening.flow.reset(opening.pair.nowNs);
    opening.flow.open(0);
    opening.run(MILLISECOND_NS);
    expect(opening.writer.events).toEqual(['opened', 'closed reset']);
    expect(opening.reader.closed?.code).toBe('reset');
    expect(opening.flow.state).toBe(SenderState.closed);
  });

  it('does nothing when it was closed before', () => {
    const opening = new Opening(options);
    opening.flow.reset(0);
    opening.flow.open(0);
    opening.run(MILLISECOND_NS);
    expect(opening.sent()).toEqual([]);
  });

  it('counts what was sent and what has arrived', () => {
    const opening = new Opening(options);
    opening.flow.write(pattern(0, 3_000), 0);
    opening.run(DELAY_NS / 2);
    expect(opening.flow.acknowledgedBytes).toBe(0);
    opening.run(100 * MILLISECOND_NS);
    expect([opening.flow.sentBytes, opening.flow.acknowledgedBytes]).toEqual([3_000, 3_000]);
  });
});

describe.each(KINDS)('DUPLEX on %s', (_, options) => {
  it('asks the receiver for the other direction, in each opening request and no other', () => {
    const opening = new Opening({ ...options, isDuplex: true });
    let left = 1;
    opening.lose = (name) => name.startsWith('CREDIT_REQUEST') && left-- > 0;
    opening.flow.open(0);
    opening.run(SECOND_NS);
    const opened = opening.sent().filter((line) => line.startsWith('CREDIT_REQUEST'));
    expect(opened).toHaveLength(2);
    for (const line of opened) expect(line).toMatch(/OPEN.* DUPLEX\]/);
    expect(opening.reader.flow.isDuplex).toBe(true);
    opening.flow.write(pattern(0, 100), opening.pair.nowNs);
    opening.run(SECOND_NS);
    expect(opening.sent().join()).not.toMatch(/DUPLEX/);
  });

  it('is not there unless it was wanted', () => {
    const opening = new Opening(options);
    opening.flow.open(0);
    opening.run(MILLISECOND_NS);
    expect(opening.sent()[0]).not.toMatch(/DUPLEX/);
    expect(opening.reader.flow.isDuplex).toBe(false);
  });
});
