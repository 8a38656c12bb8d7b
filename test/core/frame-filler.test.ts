import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { FillingSender, senderWith } from '../harness/filling-sender.js';
import { FLOW_PEER } from '../harness/flow-context.js';
import { holds, printSeed } from '../harness/seeds.js';
import { pattern } from '../harness/streams.js';

printSeed();

describe('a credit whose flow leaves room in the frame', () => {
  it('takes what others have for the same peer, the longest waiting first', () => {
    const sender = senderWith([300, 200, 100]);
    expect(sender.credit('a')).toEqual(['DATA a [CHUNKS] credit=0 offset=0 payload=300 chunks=b+200,c+100']);
    expect(sender.flow('b').statistics).toMatchObject({ bytesSent: 200, dataFrames: 0, chunks: 1, creditsReceived: 0 });
  });

  it('sends a plain frame where they have nothing, and where the option is off', () => {
    const alone = senderWith([300]);
    expect(alone.credit('a')).toEqual(['DATA a credit=0 offset=0 payload=300']);
    const off = senderWith([300, 200], { frameChunks: 0 });
    expect(off.credit('a')).toEqual(['DATA a credit=0 offset=0 payload=300']);
  });

  it('leaves those out that do not fit whole: of 1446 bytes the table takes 2, and each chunk 12', () => {
    const fits = senderWith([1_000, 432]);
    expect(fits.credit('a')).toEqual(['DATA a [CHUNKS] credit=0 offset=0 payload=1000 chunks=b+432']);
    expect(fits.wireBytes).toEqual([1_538]);
    const one = senderWith([1_000, 433, 420]);
    expect(one.credit('a')).toEqual(['DATA a [CHUNKS] credit=0 offset=0 payload=1000 chunks=c+420']);
  });

  it('adds no more chunks than the option says', () => {
    const sender = senderWith([10, 20, 30, 40], { frameChunks: 2 });
    expect(sender.credit('a')).toEqual(['DATA a [CHUNKS] credit=0 offset=0 payload=10 chunks=b+20,c+30']);
  });

  it('takes nothing for another peer', () => {
    const sender = new FillingSender();
    sender.open(300);
    sender.open(200, { peer: FLOW_PEER + 1 });
    sender.sent();
    expect(sender.credit('a')).toEqual(['DATA a credit=0 offset=0 payload=300']);
  });

  it('takes no bytes of a flow whose request has not gone: its receiver does not know it', () => {
    const sender = senderWith([300], { peerRequests: 1 });
    sender.open(200);
    sender.open(100);
    expect(sender.sent()).toEqual([]);
    // The credit answers the first request, so that the second goes, in front of the frame; the third waits for an answer to that.
    const [request, frame] = sender.credit('a');
    expect(request).toContain('CREDIT_REQUEST b [OPEN]');
    expect(frame).toBe('DATA a [CHUNKS] credit=0 offset=0 payload=300 chunks=b+200');
  });

  it('keeps nothing of what is left: the next frame is no longer than any', () => {
    const sender = senderWith([100, 3_000]);
    sender.credit('a');
    sender.credit('b');
    expect(sender.wireBytes).toEqual([92 + 100, 1_538]);
  });
});

describe('a credit whose flow has nothing to send', () => {
  it('goes for what others have', () => {
    const sender = senderWith([300]);
    sender.credit('a');
    sender.open(200);
    sender.sent();
    expect(sender.credit('a')).toEqual(['DATA a [CHUNKS] credit=1 offset=300 payload=0 chunks=b+200']);
    expect(sender.flow('a').statistics).toMatchObject({ creditsReceived: 2, creditsUnused: 0, dataFrames: 2 });
  });

  it('does so once its stream is over, too', () => {
    const sender = new FillingSender();
    sender.open(300, { ends: true });
    sender.sent();
    sender.credit('a');
    sender.open(200);
    sender.sent();
    expect(sender.credit('a')).toEqual(['DATA a [CHUNKS] credit=1 offset=300 payload=0 chunks=b+200']);
  });

  it('is unused where they have nothing either', () => {
    const sender = senderWith([300, 200]);
    sender.credit('a');
    sender.credit('b');
    expect(sender.flow('b').statistics).toMatchObject({ creditsReceived: 1, creditsUnused: 1, dataFrames: 0 });
  });
});

describe('a flow whose bytes went with the credit of another', () => {
  it('waits for the answer to its opening', () => {
    const sender = new FillingSender();
    sender.open(300);
    sender.open(200, { ends: true });
    sender.sent();
    expect(sender.credit('a')).toEqual(['DATA a [CHUNKS] credit=0 offset=0 payload=300 chunks=b+200']);
    expect(sender.ack('b', 200)).toEqual(['FIN b final=200 probe=2']);
  });

  it('asks again for what it has written since, once all that it asked for is acknowledged', () => {
    const sender = senderWith([300, 200]);
    sender.credit('a');
    sender.flow('b').write(pattern(200, 2_000), 0);
    expect(sender.sent()).toEqual([]);
    expect(sender.ack('b', 200)).toEqual([
      'CREDIT_REQUEST b sent=200 probe=2 max=1472 paired=0x00000000 backlog=2000 weight=1',
    ]);
  });

  it('waits for no answer when it was open before, and stops the credits that it has asked for', () => {
    const sender = senderWith([300, 200]);
    sender.credit('a');
    sender.ack('b', 200);
    sender.flow('b').write(pattern(200, 100), 0);
    expect(sender.sent()).toEqual([
      'CREDIT_REQUEST b sent=200 probe=2 max=1472 paired=0x00000000 backlog=100 weight=1',
    ]);
    expect(sender.credit('a')).toEqual(['DATA a [CHUNKS] credit=1 offset=300 payload=0 chunks=b+100']);
    sender.nowNs = MILLISECOND_NS;
    expect(sender.sent()).toEqual(
      ['CREDIT_STOP a sent=300 probe=2 unused=0', 'CREDIT_STOP b sent=300 probe=3 unused=0'].map((line) =>
        line.replace(' unused=0', ''),
      ),
    );
  });

  it('tells who watches it, who may write the next bytes at once', () => {
    const sender = senderWith([300, 200]);
    let told = 0;
    sender.flow('b').observer = {
      onCredit: () => {},
      onRtt: () => {},
      onAck: (nowNs) => {
        if (told++ === 0) sender.flow('b').write(pattern(200, 50), nowNs);
      },
    };
    sender.credit('a');
    expect(sender.credit('a')).toEqual(['DATA a [CHUNKS] credit=1 offset=300 payload=0 chunks=b+50']);
    expect(told).toBe(2);
  });

  it('may be closed by who is told', () => {
    const sender = senderWith([300, 200, 100]);
    sender.flow('c').observer = {
      onCredit: () => {},
      onRtt: () => {},
      onAck: (nowNs) => sender.flow('b').reset(nowNs),
    };
    expect(sender.credit('a')).toHaveLength(2);
    expect(sender.writers[1].events).toEqual(['closed reset']);
    expect(sender.credit('a')).toEqual([]);
  });
});

describe('a stream with losses', () => {
  it('fills its own frame with the next piece', () => {
    const sender = senderWith([300]);
    sender.credit('a');
    // 40 ms later the stream has more, and its probe shows that the first 300 bytes are lost.
    sender.nowNs = 40 * MILLISECOND_NS;
    sender.sent();
    const lines = [...sender.ack('a', 0, 2), ...sender.sent()];
    expect(lines.some((line) => line.startsWith('CREDIT_REQUEST a'))).toBe(true);
    sender.flow('a').write(pattern(300, 500), sender.nowNs);
    sender.sent();
    expect(sender.credit('a')).toEqual(['DATA a [REPAIR MORE CHUNKS] credit=1 offset=0 payload=300 chunks=a+500']);
  });
});

describe('whatever is written, and whichever credits come', () => {
  const step = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        flow: fc.nat(7),
        bytes: fc.integer({ min: 1, max: 3_000 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('credit' as const), flow: fc.nat(7), bytes: fc.constant(0) }),
    },
  );

  it('each credit releases one frame at most, which fits what its meters reserve; and no byte is sent twice', () => {
    holds(fc.tuple(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 64 })), 200, ([steps, frameChunks]) => {
      const sender = senderWith([1, 1, 1, 1, 1, 1, 1, 1], { frameChunks });
      const written = new Array<number>(8).fill(1);
      let credits = 0;
      for (const { kind, flow, bytes } of steps) {
        const name = String.fromCharCode(97 + flow);
        const before = sender.wireBytes.length;
        if (kind === 'write') {
          sender.flow(name).write(pattern(written[flow], bytes), 0);
          written[flow] += bytes;
          sender.sent();
        } else {
          sender.credit(name);
          credits++;
        }
        expect(sender.wireBytes.length - before).toBeLessThanOrEqual(kind === 'credit' ? 1 : 0);
      }
      expect(sender.wireBytes.length).toBeLessThanOrEqual(credits);
      for (const wire of sender.wireBytes) expect(wire).toBeLessThanOrEqual(1_538);
      for (let flow = 0; flow < 8; flow++) {
        const { bytesSent, bytesWritten, creditsReceived, dataFrames, creditsUnused } = sender.flow(
          String.fromCharCode(97 + flow),
        ).statistics;
        expect(bytesWritten).toBe(written[flow]);
        expect(bytesSent).toBeLessThanOrEqual(bytesWritten);
        expect(creditsReceived).toBe(dataFrames + creditsUnused);
      }
    });
  });
});
