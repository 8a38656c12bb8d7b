import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { AckFlag } from '../../src/wire/layout.js';
import { type FillingSender, senderWith } from '../harness/filling-sender.js';
import { pattern } from '../harness/streams.js';

const P = 1_446;
/** Before a first RTT sample. PROTOCOL §5.5 */
const RETRANSMIT_NS = 100 * MILLISECOND_NS;

/** Calls `act` when who watches flow `name` is told for the first time that bytes have gone ahead. */
function whenTold(sender: FillingSender, name: string, act: (nowNs: number) => void): void {
  let isTold = false;
  sender.flow(name).observer = {
    onCredit: () => {},
    onRtt: () => {},
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
    a.observer = { onAck: () => {}, onRtt: () => {}, onCredit: (nowNs) => a.reset(nowNs) };
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
