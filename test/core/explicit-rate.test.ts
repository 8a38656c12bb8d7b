import { describe, expect, it } from 'vitest';
import type { EndpointConfig } from '../../src/core/config.js';
import { CODES_IN_OCTAVE, codeOfRate, rateOfCode } from '../../src/wire/rate-code.js';
import { senderWith } from '../harness/filling-sender.js';
import { ReceiverBench } from '../harness/receiver-bench.js';
import { SenderBench } from '../harness/sender-bench.js';

/** 2^19 kbit/s, and what a switch two hops behind the NIC offered. */
const EXPLICIT = (19 * 128 * 16) | 3;
const OFFER = 'offer=524288kbit/s@3';

describe("a sender's data", () => {
  it('says which explicit rate its credit brought, and nothing where that had none', () => {
    const bench = new SenderBench();
    bench.write(3 * 1_446);
    bench.context.sent();
    bench.credit(0, { explicitRate: EXPLICIT });
    bench.credit(1);
    bench.credit(2, { explicitRate: EXPLICIT | 15 });
    expect(bench.context.sent()).toEqual([
      `DATA credit=0 offset=0 payload=1446 unused=0 ${OFFER}`,
      'DATA credit=1 offset=1446 payload=1446 unused=0',
      'DATA credit=2 offset=2892 payload=1446 unused=0 offer=524288kbit/s@none',
    ]);
  });

  it('says that of the credit that it takes from those kept, too', () => {
    const bench = new SenderBench();
    bench.write(1_446);
    bench.credit(0, { pathId: 1 });
    bench.credit(1, { pathId: 2, explicitRate: EXPLICIT });
    bench.credit(2, { pathId: 3 });
    bench.context.sent();
    bench.write(2 * 1_446);
    expect(bench.context.sent().filter((line) => line.startsWith('DATA'))).toEqual([
      `DATA [MORE] credit=1 offset=1446 payload=1446 unused=0 ${OFFER}`,
      'DATA [MORE] credit=2 offset=2892 payload=1446 unused=0',
    ]);
  });

  it('says that of a credit which another flow lent, too', () => {
    const sender = senderWith([300]);
    sender.credit('a');
    sender.open(200);
    sender.sent();
    expect(sender.credit('a', { explicitRate: EXPLICIT })).toEqual([
      `DATA a [CHUNKS] credit=1 offset=300 payload=0 ${OFFER} chunks=b+200`,
    ]);
  });
});

/** Bits that a credit stands for, with the data that it releases. */
const CREDIT_BITS = (88 + 1_538) * 8;
const LINK_CODE = codeOfRate(1e9);

interface Credit {
  dueNs: number;
  kbps: number;
  hop: string;
}

/** A receiver whose flow goes by explicit rates. */
class Issuer {
  readonly bench: ReceiverBench;
  private readonly credits: Credit[] = [];

  constructor(changes: Partial<EndpointConfig> = {}) {
    const parameters = { initial_rate: 1, period_credits: 1 };
    this.bench = new ReceiverBench({ creditAlgorithm: 'steady', creditParameters: parameters, ...changes });
    this.bench.open().wait(0);
    this.collect();
  }

  /** All credits so far, in their order. */
  collect(): Credit[] {
    const { lines, stampsNs } = this.bench.context;
    for (const [index, line] of lines.entries()) {
      if (!line.startsWith('CREDIT ')) continue;
      const match = / rate=(\d+)kbit\/s limited-by=(\w+) offer=\d+kbit\/s@none$/.exec(line);
      this.credits.push({ dueNs: stampsNs[index], kbps: Number(match?.[1] ?? 0), hop: match?.[2] ?? '' });
    }
    this.bench.context.sent();
    return this.credits;
  }

  /** Answers credit after credit, each 10 us after it was sent, with the explicit rate given. */
  answer(from: number, to: number, explicitRate: number): void {
    for (let credit = from; credit < to; credit++) {
      for (let step = 0; this.collect().length <= credit; step++) {
        if (step > 1_000) throw new Error(`credit ${credit} does not come`);
        this.bench.wait(1_000);
      }
      this.bench.wait(10_000);
      this.bench.data(100 * credit, credit, { explicitRate });
    }
  }
}

describe("a receiver's credits", () => {
  it('name the rate of the gap before each, exactly, and the hop that limits the flow', () => {
    const issuer = new Issuer();
    issuer.answer(0, 1, (codeOfRate(500e6) << 4) | 2);
    const unheard = issuer.collect().length;
    issuer.answer(1, 40, (codeOfRate(500e6) << 4) | 2);
    issuer.answer(40, 80, (codeOfRate(800e6) << 4) | 1);
    const credits = issuer.collect();
    const named = new Set(credits.map(({ kbps, hop }) => `${kbps} ${hop}`));
    const nameOf = (bps: number) => Math.round(rateOfCode(codeOfRate(bps)) / 1_000);
    expect([...named]).toEqual([`${nameOf(1e9)} none`, `${nameOf(500e6)} 2`, `${nameOf(800e6)} 1`]);
    for (const [index, { dueNs, kbps }] of credits.entries()) {
      // Those before the first echo, and the next one, come at random.
      if (index <= unheard || kbps !== credits[index - 1].kbps) continue;
      // The name is rounded to whole kbit/s.
      expect((CREDIT_BITS * 1e6) / (dueNs - credits[index - 1].dueNs)).toBeCloseTo(kbps, -1);
    }
  });

  it('have gaps from a half to one and a half of the mean until the first echo, and the mean that they name', () => {
    const gapNs = (CREDIT_BITS * 1e9) / rateOfCode(LINK_CODE);
    const creditParameters = { initial_rate: 1, unheard_credits: 1e6 };
    const issuer = new Issuer({ jitter: 0.1, creditParameters });
    issuer.bench.wait(500 * gapNs);
    const dueNs = issuer.collect().map((credit) => credit.dueNs);
    const gaps = dueNs.slice(1).map((atNs, index) => (atNs - dueNs[index]) / gapNs);
    expect(gaps.length).toBeGreaterThan(400);
    // Uniform from 0.5 to 1.5 has a standard deviation of 0.29: five of the mean of 400 are 0.07.
    expect(Math.abs(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length - 1)).toBeLessThan(0.07);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.4);
    expect(Math.min(...gaps)).toBeLessThan(0.55);
    expect(Math.max(...gaps)).toBeGreaterThan(1.45);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1.6);
  });

  it('keep an extra part of a gap after the rate has fallen to half or below, and not before', () => {
    const extraGaps = [CODES_IN_OCTAVE - 1, CODES_IN_OCTAVE, 3 * CODES_IN_OCTAVE].map((fall) => {
      const issuer = new Issuer();
      issuer.answer(0, 30, ((LINK_CODE - fall) << 4) | 2);
      const credits = issuer.collect();
      const first = credits.findIndex(({ hop }) => hop === '2');
      const gapNs = (CREDIT_BITS * 1e9) / rateOfCode(LINK_CODE - fall);
      return (credits[first].dueNs - credits[first - 1].dueNs) / gapNs - 1;
    });
    expect(extraGaps[0]).toBeCloseTo(0, 3);
    for (const extra of extraGaps.slice(1)) {
      expect(extra).toBeGreaterThan(0.001);
      expect(extra).toBeLessThan(1);
    }
  });

  it('have 86 to 90 wire bytes, all sizes alike often, and 84 to 92 where they ask for no explicit rate', () => {
    expect(creditSizes('steady')).toEqual([86, 87, 88, 89, 90]);
    expect(creditSizes('naive')).toEqual([84, 85, 86, 87, 88, 89, 90, 91, 92]);
  });

  it('do not take a frame without a rate code for an offer', () => {
    const issuer = new Issuer();
    issuer.answer(0, 40, 3);
    expect(new Set(issuer.collect().map(({ hop }) => hop))).toEqual(new Set(['none']));
  });
});

/** Wire bytes of 200 credits, each size that came. */
function creditSizes(creditAlgorithm: string): number[] {
  const issuer = new Issuer({ creditAlgorithm, creditParameters: {} });
  const { context } = issuer.bench;
  const sizes = new Set<number>();
  context.emitDue = (frame, dueNs) => {
    sizes.add(frame.wireBytes);
    context.emit(frame, dueNs);
  };
  issuer.answer(0, 200, 0);
  return [...sizes].sort();
}
