import { describe, expect, it } from 'vitest';
import { BudgetShare } from '../../src/core/budget-share.js';
import { type BudgetMember, CreditBudget } from '../../src/core/credit-budget.js';
import { ownRecord } from '../../src/core/flow-record.js';

/** Credits of 100 us each. */
const CREDIT_NS = 100_000;

interface BudgetChanges {
  hostCredits?: number;
  queueBoundNs?: number;
  queueBoundRtts?: number;
  creditNs?: number;
  hasRate?: boolean;
}

function budgetOf({ creditNs = CREDIT_NS, hasRate = true, ...changes }: BudgetChanges) {
  const woken: number[] = [];
  const options = {
    hostCredits: Infinity,
    queueBoundNs: Infinity,
    queueBoundRtts: 0,
    link: { creditNs, hasRate },
    maxWaiting: 32,
    catchUpNs: 3 * CREDIT_NS,
    ...changes,
  };
  const budget = new CreditBudget(options, ownRecord());
  /** Slot and time. */
  const lost: number[][] = [];
  /** The flow in `slot` runs, and wants each turn. */
  const member = (slot: number, peer = 1): BudgetMember => ({
    peer,
    resume: () => woken.push(slot) > 0,
    overtaken: (sentNs) => void lost.push([slot, sentNs]),
  });
  const share = (slot: number, peer = 1): BudgetShare => {
    const taken = new BudgetShare(budget, slot, member(slot, peer));
    taken.begin();
    return taken;
  };
  for (let slot = 0; slot < 100; slot++) budget.join(slot, member(slot));
  return { budget, woken, lost, share };
}

describe('the credits that a host has outstanding', () => {
  it('are as many as its socket holds frames for', () => {
    const { budget } = budgetOf({ hostCredits: 6 });
    budget.add(5);
    expect(budget.allows(0)).toBe(true);
    budget.add(1);
    expect(budget.allows(0)).toBe(false);
  });

  it('are as many besides those that are under way when nothing queues', () => {
    const { budget } = budgetOf({ hostCredits: 6 });
    budget.addPipeline(100, 1);
    budget.add(105);
    expect(budget.allows(0)).toBe(true);
    budget.add(1);
    expect(budget.allows(0)).toBe(false);
  });

  it('are no more on an unlimited link, where nobody knows how many that are', () => {
    const { budget } = budgetOf({ hostCredits: 6, hasRate: false });
    budget.addPipeline(100, 1);
    budget.add(6);
    expect(budget.allows(0)).toBe(false);
  });

  it('are those that are under way when nothing queues, and those of the queue that is allowed', () => {
    const { budget } = budgetOf({ queueBoundNs: 1_000_000 });
    budget.addPipeline(3, 0.5);
    budget.addPipeline(2, 0.5);
    budget.add(14);
    // 5 are under way when nothing queues, and 1 ms of queue holds 10.
    expect(budget.allows(0)).toBe(true);
    budget.add(1);
    expect(budget.allows(0)).toBe(false);
  });

  it('are those of one link where the flows together want more than it carries', () => {
    const { budget } = budgetOf({ queueBoundNs: 1_000_000 });
    for (let flow = 0; flow < 4; flow++) budget.addPipeline(5, 1);
    budget.add(14);
    expect(budget.allows(0)).toBe(true);
    budget.add(1);
    expect(budget.allows(0)).toBe(false);
  });

  it('are those of a queue of a part of the RTT where that is longer', () => {
    const { budget } = budgetOf({ queueBoundNs: 1_000_000, queueBoundRtts: 1 / 4 });
    budget.addPipeline(200, 1);
    budget.add(249);
    // 200 are under way when nothing queues, and a quarter of that RTT holds 50.
    expect(budget.allows(0)).toBe(true);
    budget.add(1);
    expect(budget.allows(0)).toBe(false);
  });

  it('are four at least', () => {
    const { budget } = budgetOf({ queueBoundNs: 0 });
    budget.add(3);
    expect(budget.allows(0)).toBe(true);
    budget.add(1);
    expect(budget.allows(0)).toBe(false);
  });
});

describe('the RTT when nothing queues', () => {
  const sample = (flow: BudgetShare, times: number) => {
    for (let frame = 0; frame < times; frame++) flow.sampleRtt(500_000, 0, CREDIT_NS, 1);
  };

  it("is a flow's own after 32 frames, and that of all flows from the peer before", () => {
    const bench = budgetOf({ queueBoundNs: 1_000_000 });
    const first = bench.share(0, 7);
    sample(first, 31);
    bench.budget.add(10);
    expect(bench.budget.allows(9)).toBe(false);
    sample(bench.share(1, 8), 1);
    expect(bench.budget.allows(9)).toBe(false);
    // The 32nd from this peer: its flow has 5 credits under way, and the other one none as long as nothing more comes.
    sample(bench.share(2, 7), 1);
    bench.budget.add(4);
    expect(bench.budget.allows(10)).toBe(true);
    bench.budget.add(1);
    expect(bench.budget.allows(11)).toBe(false);
  });

  it('of a long path allows four credits for each frame that has come, until it is believed', () => {
    const { budget, share } = budgetOf({ queueBoundNs: 1_000_000, queueBoundRtts: 1 / 4 });
    const flow = share(0, 7);
    for (let frame = 0; frame < 3; frame++) flow.sampleRtt(20_000_000, 0, CREDIT_NS, 1);
    // 12, and 10 of the queue.
    budget.add(21);
    expect(budget.allows(9)).toBe(true);
    budget.add(1);
    expect(budget.allows(9)).toBe(false);
    for (let frame = 3; frame < 32; frame++) flow.sampleRtt(20_000_000, 0, CREDIT_NS, 1);
    budget.add(200);
    expect(budget.allows(10)).toBe(true);
  });

  it('of 256 peers is remembered', () => {
    const { budget } = budgetOf({});
    const peers = Array.from({ length: 257 }, (_, peer) => budget.creditsOf(peer));
    expect(budget.creditsOf(1)).toBe(peers[1]);
    expect(budget.creditsOf(256)).toBe(peers[256]);
    expect(budget.creditsOf(0)).not.toBe(peers[0]);
  });
});

describe('flows that find the budget spent', () => {
  it('are woken in their turn, one for each credit that comes back', () => {
    const { budget, woken } = budgetOf({ hostCredits: 4 });
    budget.add(4);
    for (const slot of [3, 1, 2]) expect(budget.allows(slot)).toBe(false);
    budget.add(-1);
    expect(woken).toEqual([3]);
    budget.add(-2);
    expect(woken).toEqual([3, 1, 2]);
    budget.add(-1);
    expect(woken).toEqual([3, 1, 2]);
  });

  it('go first when it is their first credit, but for one turn in four', () => {
    const { budget, woken } = budgetOf({ hostCredits: 4 });
    budget.add(4);
    for (const slot of [1, 2, 3]) budget.allows(slot);
    for (const slot of [11, 12, 13, 14, 15, 16, 17]) budget.allows(slot, true);
    budget.add(-10);
    expect(woken).toEqual([11, 12, 13, 1, 14, 15, 16, 2, 17, 3]);
  });

  it('are as new again after they have given their part back', () => {
    const { budget, woken, share } = budgetOf({ hostCredits: 4 });
    const flow = share(7);
    flow.noteSent(0);
    budget.add(4);
    budget.allows(1);
    flow.allows();
    budget.add(-1);
    expect(woken).toEqual([1]);
    flow.giveBack();
    flow.begin();
    budget.add(1);
    budget.allows(2);
    budget.add(-1);
    budget.add(1);
    for (const slot of [3, 4]) budget.allows(slot);
    flow.allows();
    budget.add(-1);
    expect(woken.at(-1)).toBe(7);
  });

  it('wait once, however often they ask', () => {
    const { budget, woken } = budgetOf({ hostCredits: 4 });
    budget.add(4);
    for (let ask = 0; ask < 3; ask++) budget.allows(7);
    budget.add(-3);
    expect(woken).toEqual([7]);
    budget.add(3);
    expect(budget.allows(7)).toBe(false);
    budget.add(-1);
    expect(woken).toEqual([7, 7]);
  });

  it('leave their turn to the next when they do not want it any more', () => {
    const { budget, woken } = budgetOf({ hostCredits: 4 });
    budget.add(4);
    for (const slot of [3, 1, 2, 5]) budget.allows(slot);
    budget.leave(3);
    budget.leave(1);
    budget.add(-1);
    expect(woken).toEqual([2]);
    budget.add(-1);
    expect(woken).toEqual([2, 5]);
  });

  it('pass a turn on that they took and cannot use, once', () => {
    const { budget, woken, share } = budgetOf({ hostCredits: 4 });
    budget.add(4);
    for (const slot of [3, 1, 2]) budget.allows(slot);
    const flow = share(3);
    budget.add(-1);
    flow.takeTurn(0);
    flow.giveBack();
    expect(woken).toEqual([3, 1]);
    flow.giveBack();
    expect(woken).toEqual([3, 1]);
  });

  it('have nothing to pass on once they have sent a credit', () => {
    const { budget, woken, share } = budgetOf({ hostCredits: 4 });
    budget.add(4);
    for (const slot of [3, 1]) budget.allows(slot);
    const flow = share(3);
    budget.add(-1);
    flow.takeTurn(0);
    expect(flow.allows()).toBe(true);
    flow.passTurn();
    expect(woken).toEqual([3]);
  });
});

describe('credits that were overtaken', () => {
  /** Each RTT is 300 us. */
  const answer = (flow: BudgetShare, sentNs: number) => flow.sampleRtt(300_000, sentNs + 300_000, CREDIT_NS, 1);

  it('are told of once a credit is answered that the same peer got so much later as may queue here', () => {
    const { lost, share } = budgetOf({ queueBoundNs: 1_000_000 });
    const [one, other, elsewhere] = [7, 7, 8].map((peer, slot) => share(slot, peer));
    one.noteSent(5_000);
    elsewhere.noteSent(5_000);
    other.noteSent(6_000);
    answer(other, 1_004_999);
    expect(lost).toEqual([]);
    answer(other, 1_005_000);
    expect(lost).toEqual([[0, 5_000]]);
    answer(other, 2_000_000);
    expect(lost.slice(1)).toEqual([[1, 6_000]]);
  });

  it('are told of after a round trip where nothing may queue', () => {
    const { lost, share } = budgetOf({ hostCredits: 9 });
    const flow = share(3);
    flow.noteSent(0);
    answer(flow, 299_999);
    expect(lost).toEqual([]);
    answer(flow, 300_000);
    expect(lost).toEqual([[3, 0]]);
  });
});

describe('turns', () => {
  it('are a credit apart, but for what a late host makes up for', () => {
    const { share } = budgetOf({ hostCredits: 4 });
    const shares = [0, 1, 2, 3, 4].map((slot) => share(slot));
    const turnsNs = shares.map((share) => share.takeTurn(10 * CREDIT_NS) / CREDIT_NS);
    expect(turnsNs).toEqual([7, 8, 9, 10, 11]);
    expect(shares[0].takeTurn(20 * CREDIT_NS) / CREDIT_NS).toBe(17);
  });

  it('have their room kept until they are used or passed', () => {
    const { budget, share } = budgetOf({ hostCredits: 4 });
    const [taker, passer] = [0, 1].map((slot) => share(slot));
    budget.add(3);
    taker.takeTurn(0);
    expect(budget.allows(2)).toBe(false);
    expect(taker.allows()).toBe(true);
    expect(budget.allows(3)).toBe(true);
    passer.takeTurn(0);
    expect(budget.allows(3)).toBe(false);
    passer.passTurn();
    passer.passTurn();
    expect(budget.allows(4)).toBe(true);
  });
});

describe('turns on a fast link', () => {
  /** Of credits of 1 us each, all of which are outstanding, and so many flows that wait. */
  function spentBudget(flows: number, hostCredits = 64) {
    const bench = budgetOf({ hostCredits, creditNs: 1_000 });
    bench.budget.add(hostCredits);
    for (let slot = 1; slot <= flows; slot++) expect(bench.budget.allows(slot)).toBe(false);
    return bench;
  }

  it.each([
    ['are of four credits', 64, 1_000, 4],
    ['are of as many credits as the link carries in 20 us', 64, 7_000, 2],
    ['leave room for sixteen flows at a time', 47, 1_000, 2],
    ['are of one credit where the budget is small', 8, 1_000, 1],
    ['are of one credit on a slow link', 64, 20_001, 1],
  ])('%s', (_, hostCredits, creditNs, credits) => {
    expect(budgetOf({ hostCredits, creditNs }).budget.turnCredits).toBe(credits);
  });

  it('come when as many credits are back, which nobody else takes meanwhile', () => {
    const { budget, woken } = spentBudget(2);
    budget.add(-3);
    expect(woken).toEqual([]);
    expect(budget.allows(9)).toBe(false);
    budget.add(-1);
    expect(woken).toEqual([1]);
    budget.add(-4);
    expect(woken).toEqual([1, 2]);
  });

  it('keep no places where nobody waits', () => {
    const { budget } = spentBudget(0);
    budget.add(-1);
    expect(budget.allows(9)).toBe(true);
  });

  it('are used up credit by credit, each a credit of the link apart', () => {
    const { budget, woken, share } = spentBudget(2);
    const [one, two] = [1, 2].map((slot) => share(slot));
    budget.add(-4);
    expect(one.takeTurn(0)).toBe(1_000);
    for (let credit = 1; credit <= 4; credit++) {
      expect(one.isGranted).toBe(true);
      expect(one.allows()).toBe(true);
      one.setOutstanding(credit);
    }
    expect(one.allows()).toBe(false);
    expect(woken).toEqual([1]);
    expect(two.takeTurn(0)).toBe(5_000);
  });

  it('go on to their end, whatever room and part of the budget the flow finds on the way', () => {
    const { budget, share } = budgetOf({ hostCredits: 64, creditNs: 1_000 });
    for (let slot = 2; slot < 66; slot++) share(slot).setOutstanding(1);
    expect(budget.allows(1)).toBe(false);
    const flow = share(1);
    budget.add(-4);
    flow.takeTurn(0);
    budget.add(9);
    expect(budget.allows(99)).toBe(false);
    for (let credit = 1; credit < 4; credit++) {
      expect(flow.allows()).toBe(true);
      flow.setOutstanding(credit);
      expect(flow.isGranted).toBe(true);
    }
    expect(flow.allows()).toBe(true);
    flow.setOutstanding(4);
    expect(flow.isGranted).toBe(false);
  });

  it('are passed on where the next credit of the flow is not due soon', () => {
    const { budget, woken, share } = spentBudget(3);
    const flow = share(1);
    budget.add(-4);
    flow.takeTurn(0);
    flow.allows();
    flow.setOutstanding(1);
    flow.passTurnUntil(20_000, 0);
    expect(woken).toEqual([1]);
    flow.passTurnUntil(20_001, 0);
    budget.add(-1);
    expect(woken).toEqual([1, 2]);
  });

  it('come for fewer credits when nothing else will come back', () => {
    const { budget, woken } = spentBudget(20, 66);
    budget.add(-66);
    expect(woken).toHaveLength(17);
  });
});

describe('parts of the budget', () => {
  /** Of shortest RTTs, that have `outstanding` credits. The queue of 1 ms holds ten: the whole budget, since RTTs are not believed yet. */
  function sharesOf({ share }: ReturnType<typeof budgetOf>, flows: readonly { rttNs: number; outstanding: number }[]) {
    return flows.map(({ rttNs, outstanding }, slot) => {
      const flow = share(slot);
      flow.sampleRtt(rttNs, 0, CREDIT_NS, 1);
      flow.setOutstanding(outstanding);
      return flow;
    });
  }

  it('are equal for flows of equal RTT, and count only while somebody waits', () => {
    const bench = budgetOf({ queueBoundNs: 1_000_000 });
    const shares = sharesOf(bench, [
      { rttNs: 500_000, outstanding: 5 },
      { rttNs: 500_000, outstanding: 3 },
      { rttNs: 500_000, outstanding: 2 },
    ]);
    expect(shares.map(({ isGranted }) => isGranted)).toEqual([true, true, true]);
    expect(bench.budget.allows(7)).toBe(false);
    expect(shares.map(({ isGranted }) => isGranted)).toEqual([false, true, true]);
    shares[1].setOutstanding(2);
    expect(bench.woken).toEqual([7]);
    expect(shares[0].isGranted).toBe(true);
  });

  it('are as the longest RTTs that the queue before this host makes, so that rates are equal', () => {
    const bench = budgetOf({ queueBoundNs: 1_000_000 });
    // 4 ms and 2 ms: parts of 6.7 and 3.3.
    const shares = sharesOf(bench, [
      { rttNs: 3_000_000, outstanding: 6 },
      { rttNs: 1_000_000, outstanding: 4 },
    ]);
    expect(bench.budget.allows(7)).toBe(false);
    expect(shares.map(({ isGranted }) => isGranted)).toEqual([true, false]);
  });

  it("are as its peer's for a flow that has no RTT yet, once that is believed", () => {
    const bench = budgetOf({ queueBoundNs: 1_000_000 });
    const [known] = sharesOf(bench, [{ rttNs: 1_000_000, outstanding: 7 }]);
    const flowFrom = (peer: number) => {
      const flow = bench.share(3, peer);
      flow.setOutstanding(4);
      expect(bench.budget.allows(7)).toBe(false);
      const { isGranted } = flow;
      flow.setOutstanding(0);
      return isGranted;
    };
    // 4 are more than a third of the budget, 1 ms of 3, and less than a half.
    expect(flowFrom(1)).toBe(false);
    for (let frame = 1; frame < 32; frame++) known.sampleRtt(1_000_000, 0, 1e12, 1);
    expect([flowFrom(1), flowFrom(2)]).toEqual([true, false]);
  });

  it('are of the flows that have credits outstanding, and at least one credit', () => {
    const bench = budgetOf({ queueBoundNs: 1_000_000 });
    const resting = { rttNs: 9_000_000, outstanding: 0 };
    const shares = sharesOf(bench, [{ rttNs: 1_000_000, outstanding: 9 }, resting, resting]);
    const last = bench.share(3);
    last.setOutstanding(1);
    expect(bench.budget.allows(7)).toBe(false);
    expect(shares.map(({ isGranted }) => isGranted)).toEqual([false, true, true]);
    // 1 ms of 3: not all of a third of the budget.
    expect(last.isGranted).toBe(true);
    shares[0].giveBack();
    expect(bench.budget.allows(8)).toBe(true);
  });

  it('keep a flow that nothing comes back for from having all', () => {
    const { budget, share } = budgetOf({ hostCredits: 12 });
    const dead = share(0);
    const alive = share(1);
    let credits = 0;
    const takeTurn = (): void => {
      dead.setOutstanding(credits);
      alive.setOutstanding(12 - credits);
      expect(budget.allows(1)).toBe(false);
    };
    takeTurn();
    while (dead.isGranted && credits < 12) {
      credits++;
      takeTurn();
    }
    expect(credits).toBe(6);
  });
});
