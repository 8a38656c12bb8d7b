import { expect, it } from 'vitest';
import { incast } from '../../../../../src/apps/figures/catalogue/real-networks/incast.js';
import { evaluated, madeUpFlow, madeUpRun, rowOf } from '../../made-up-runs.js';

/** Each flow takes `us`, and the last a tenth more. */
function flowsOf(count: number, us: number) {
  const times = Array.from({ length: count }, (_, at) => us * (at === count - 1 ? 1.1 : 1));
  return madeUpRun({ flows: times.map((each) => madeUpFlow({ fctNs: each * 1e3 })) });
}

function outcomeOf(us: (law: string, bytes: number, senders: number) => number) {
  return evaluated(
    incast,
    (key) => {
      const [, law, bytes, senders] = /^(.*)-(\d+)-(\d+)-1in\d+$/.exec(key) as RegExpExecArray;
      return flowsOf(Number(senders), us(law, Number(bytes), Number(senders)));
    },
    'quick',
  );
}

it("judges the 99th percentile by the authors' code, whose frames carry 1 % more", () => {
  // 8 flows of 45 frames of ours take 468 us, theirs by their reckoning 455: 739 us become 761.
  for (const [us, verdict] of [
    [690, 'met'],
    [695, 'missed'],
  ] as const) {
    const outcome = outcomeOf(() => us);
    const row = rowOf(outcome, 'steady, 8 x 64 kB: p50, p99, longest');
    expect(row).toMatchObject({ authorsCode: '490, 739', verdict });
  }
});

it('judges it by the rule that is theirs elsewhere', () => {
  const words = 'steady, 16 kB, initial rate 1/16: p99 over that of expresspass-ns2';
  const worse = outcomeOf((law, _, senders) => (law === 'steady' && senders === 256 ? 101 : 100));
  expect(rowOf(worse, words)).toMatchObject({ ours: '1.000, 1.000, 1.000, 1.000, 1.010', verdict: 'missed' });
  expect(
    rowOf(
      outcomeOf(() => 100),
      words,
    ).verdict,
  ).toBe('met');
});

it('judges the longest flow by the ideal drain, from 2 MB together on', () => {
  const words = 'steady, 64 kB, initial rate 1/2: longest over ideal drain';
  const drainUs = (senders: number): number => (senders * 45 * 1626 * 8) / 1e4;
  const times = (part: number) => (_: string, __: number, senders: number) =>
    ((senders < 32 ? 2 : part) * drainUs(senders)) / 1.1;
  expect(rowOf(outcomeOf(times(1.04)), words).verdict).toBe('met');
  const missed = rowOf(outcomeOf(times(1.06)), words);
  expect(missed).toMatchObject({ verdict: 'missed' });
  expect(missed.ours).toMatch(/^2\.000, 1\.060, /);
});

it('takes a flow that never ended for the longest', () => {
  const words = 'steady, 16 kB, initial rate 1/2: longest over ideal drain';
  const outcome = evaluated(incast, () => madeUpRun({ flows: [madeUpFlow({ fctNs: null })] }), 'quick');
  expect(rowOf(outcome, words).verdict).toBe('missed');
});
