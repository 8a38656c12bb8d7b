import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { NO_OBSERVER } from '../../src/core/flow-callbacks.js';
import { AckFlag } from '../../src/wire/layout.js';
import { FillingSender, senderWith } from '../harness/filling-sender.js';
import { FLOW_PEER } from '../harness/flow-context.js';
import { allowLongRuns, holds } from '../harness/seeds.js';
import { pattern } from '../harness/streams.js';

allowLongRuns();

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
      ...NO_OBSERVER,
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
    sender.flow('c').observer = { ...NO_OBSERVER, onAck: (nowNs) => sender.flow('b').reset(nowNs) };
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

const P = 1_446;
/** Before a first RTT sample. PROTOCOL §5.5 */
const RETRANSMIT_NS = 100 * MILLISECOND_NS;

/** Calls `act` when who watches flow `name` is told for the first time that bytes have gone ahead. */
function whenTold(sender: FillingSender, name: string, act: (nowNs: number) => void): void {
  let isTold = false;
  sender.flow(name).observer = {
    ...NO_OBSERVER,
    onAck: (nowNs) => {
      if (!isTold) act(nowNs);
      isTold = true;
    },
  };
}

describe('bytes that went with the credit of another flow and were lost', () => {
  it('are repaired with the first credit, where their opening was lost too', () => {
    const sender = senderWith([300, 200]);
    expect(sender.credit('a')).toEqual(['DATA a [CHUNKS] credit=0 offset=0 payload=300 chunks=b+200']);
    sender.nowNs = 1.25 * RETRANSMIT_NS;
    expect(sender.sent().filter((line) => line.includes(' b '))).toEqual([
      'CREDIT_REQUEST b [OPEN] sent=200 probe=2 max=1472 paired=0x00000000 backlog=200 weight=1',
    ]);
    expect(sender.credit('b')).toEqual(['DATA b [REPAIR] credit=0 offset=0 payload=200']);
  });

  it('are repaired a retransmission time after they went, however often others have gone since', () => {
    const sender = senderWith([300, 200]);
    sender.credit('a');
    sender.nowNs = MILLISECOND_NS;
    sender.ack('b', 200, 1);
    // 100 bytes every millisecond; the first of them are lost, which every ACK since shows. The RTT is 1 ms, its variation a half, the margin 10 ms.
    const lostNs = sender.nowNs;
    for (let sent = 200; sender.nowNs < lostNs + 10.5 * MILLISECOND_NS; sent += 100) {
      sender.flow('b').write(pattern(sent, 100), sender.nowNs);
      sender.credit('a');
      expect(sender.flow('b').statistics.chunks).toBe(sent / 100);
      sender.nowNs += MILLISECOND_NS;
      if (sent > 200) sender.ack('b', 200, 0, { ranges: [[300, sent + 100]] });
    }
    // What was sent within a quarter of that time is told apart by its latest only.
    sender.nowNs = lostNs + 14 * MILLISECOND_NS;
    sender.ack('b', 200, 0, { ranges: [[300, 1_300]] });
    expect(sender.credit('b').at(-1)).toMatch(/^DATA b \[.*REPAIR.*\] credit=0 offset=200 payload=100/);
  });

  it('are known as old a retransmission time after the last probe behind them, those that went right after others too', () => {
    const sender = senderWith([300, 200]);
    sender.credit('a');
    sender.nowNs = MILLISECOND_NS;
    sender.ack('b', 200, 1);
    for (const sent of [200, 300]) {
      sender.flow('b').write(pattern(sent, 100), sender.nowNs);
      sender.credit('a');
      sender.nowNs += 0.2 * MILLISECOND_NS;
    }
    sender.nowNs = 3 * MILLISECOND_NS;
    expect(sender.sent().at(-1)).toContain('CREDIT_STOP b sent=400');
    // An RTT of 1 ms and the margin of 10 ms later it asks again.
    sender.nowNs += 11 * MILLISECOND_NS;
    const [, probe] = /CREDIT_STOP b sent=400 probe=(\d+)/.exec(sender.sent().join()) ?? [];
    expect(sender.ack('b', 300, Number(probe)).at(-1)).toMatch(/^CREDIT_REQUEST b .*backlog=100 weight=1$/);
  });
});

describe('a flow whose bytes went with the credits of others', () => {
  it('judges its losses by their order again, once those have arrived', () => {
    const sender = senderWith([300, 200]);
    sender.credit('a');
    sender.ack('b', 200, 1);
    sender.flow('b').write(pattern(200, 8 * P), 0);
    sender.sent();
    for (let credits = 0; credits < 5; credits++) sender.credit('b');
    sender.ack('b', 200, 1, { ranges: [[200 + P, 200 + 4 * P]] });
    expect(sender.credit('b').at(-1)).toMatch(/REPAIR.* offset=200 /);
  });

  it('judges them by age as long as any of those is missing', () => {
    const sender = senderWith([300, 200]);
    sender.credit('a');
    sender.flow('b').write(pattern(200, 8 * P), 0);
    for (let credits = 0; credits < 5; credits++) sender.credit('b');
    sender.ack('b', 0, 0, { ranges: [[200, 200 + 5 * P]] });
    expect(sender.credit('b').at(-1)).not.toContain('REPAIR');
  });

  it('sends no more so while its receiver says that it has no room, until a credit comes', () => {
    const sender = senderWith([300, 200]);
    sender.credit('a');
    sender.ack('b', 200, 1, { flags: AckFlag.paused });
    sender.flow('b').write(pattern(200, 100), 0);
    expect(sender.credit('a').filter((line) => line.includes('DATA'))).toEqual([]);
    expect(sender.credit('b')).toEqual(['DATA b credit=0 offset=200 payload=100']);
    sender.flow('b').write(pattern(300, 100), 0);
    expect(sender.credit('a').at(-1)).toContain('chunks=b+100');
  });

  it('sends no more so than every receiver has room for, until some of it is acknowledged', () => {
    const sender = senderWith([300, 200]);
    sender.credit('a');
    sender.ack('b', 200, 1);
    let sent = 200;
    for (; sent < 200 + 70_000; sent += 1_000) {
      sender.flow('b').write(pattern(sent, 1_000), 0);
      sender.credit('a');
    }
    expect(sender.flow('b').statistics.bytesSent).toBe(200 + 65_000);
    sender.ack('b', 200 + 65_000, 0);
    // All that waits, or nothing: five writes at once do not fit.
    expect(sender.credit('b')).toHaveLength(1);
    sender.credit('b');
    sender.credit('b');
    sender.credit('b');
    sender.flow('b').write(pattern(sent, 1_000), 0);
    expect(sender.credit('a').at(-1)).toContain('chunks=b+1000');
  });

  it('sends its tail so, however much went with its own credits and is under way', () => {
    const sender = senderWith([300, 100 * P + 200]);
    for (let credits = 0; credits < 100; credits++) sender.credit('b');
    expect(sender.credit('a').at(-1)).toContain('chunks=b+200');
  });
});

describe('a program that is told of bytes that went ahead', () => {
  it('may write to the flow whose frame it was, and close it: nothing more of that goes', () => {
    const sender = senderWith([300, 200]);
    sender.credit('a');
    sender.credit('b', { pathId: 1 });
    sender.ack('b', 200, 1);
    // The credit that b keeps takes 100 bytes of c along.
    const c = sender.open(100);
    sender.sent();
    const b = sender.flow('b');
    whenTold(sender, c, (nowNs) => {
      b.write(pattern(250, 60), nowNs);
      b.reset(nowNs);
    });
    b.write(pattern(200, 50), 0);
    expect(sender.sent().at(-1)).toContain('RESET b');
    expect(sender.credit('a')).toEqual([]);
  });
});

describe('a program that resets a flow when it hears of a credit', () => {
  it('has no frame of that flow go for others', () => {
    const sender = senderWith([300]);
    sender.credit('a');
    sender.open(200);
    sender.sent();
    const a = sender.flow('a');
    a.observer = { ...NO_OBSERVER, onCredit: (nowNs) => a.reset(nowNs) };
    expect(sender.credit('a')).toEqual([expect.stringMatching(/^RESET a/)]);
  });
});

describe('what fills frames', () => {
  it('keeps no bytes of flows whose frame has gone', () => {
    const sender = senderWith([300, 200, 100]);
    sender.credit('a');
    expect(Reflect.get(sender.endpoint.filler as object, 'buffers')).toEqual([]);
  });
});
