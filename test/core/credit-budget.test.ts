import { describe, expect, it } from 'vitest';
import { BudgetShare } from '../../src/core/budget-share.js';
import { CreditBudget } from '../../src/core/credit-budget.js';

/** Credits of 100 us each. */
const CREDIT_NS = 100_000;

interface BudgetChanges {
  hostCredits?: number;
  queueBoundNs?: number;
  queueBoundRtts?: number;
  creditNs?: number;
}

function budgetOf(changes: BudgetChanges) {
  const woken: number[] = [];
  const options = {
    hostCredits: Infinity,
    queueBoundNs: Infinity,
    queueBoundRtts: 0,
    creditNs: CREDIT_NS,
    maxWaiting: 32,
    catchUpNs: 3 * CREDIT_NS,
    ...changes,
  };
  const closed = new Set<number>();
  const wake = (slot: number) => {
    if (closed.has(slot)) return false;
    woken.push(slot);
    return true;
  };
  /** Slot, peer and time. */
  const lost: number[][] = [];
  const overtaken = (...told: number[]) => void lost.push(told);
  return { budget: new CreditBudget(options, { wake, overtaken }), woken, closed, lost };
}

describe('the credits that a host has outstanding', () => {
  it('are as many as its socket holds frames for', () => {
    const { budget } = budgetOf({ hostCredits: 6 });
    budget.add(5);
    expect(budget.allows(0)).toBe(true);
    budget.add(1);
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
  const share = (bench: ReturnType<typeof budgetOf>, slot: number, peer: number) =>
    new BudgetShare(bench.budget, slot, peer);
  const sample = (flow: BudgetShare, times: number) => {
    for (let frame = 0; frame < times; frame++) flow.sampleRtt(500_000, 0, CREDIT_NS, 1);
  };

  it("is a flow's own after 32 frames, and that of all flows from the peer before", () => {
    const bench = budgetOf({ queueBoundNs: 1_000_000 });
    const first = share(bench, 0, 7);
    sample(first, 31);
    bench.budget.add(10);
    expect(bench.budget.allows(9)).toBe(false);
    sample(share(bench, 1, 8), 1);
    expect(bench.budget.allows(9)).toBe(false);
    // The 32nd from this peer: its flow has 5 credits under way, and the other one none as long as nothing more comes.
    sample(share(bench, 2, 7), 1);
    bench.budget.add(4);
    expect(bench.budget.allows(10)).toBe(true);
    bench.budget.add(1);
    expect(bench.budget.allows(11)).toBe(false);
  });

  it('of a long path allows four credits for each frame that has come, until it is believed', () => {
    const { budget, ...bench } = budgetOf({ queueBoundNs: 1_000_000, queueBoundRtts: 1 / 4 });
    const flow = share({ budget, ...bench }, 0, 7);
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
    const { budget, woken } = budgetOf({ hostCredits: 4 });
    const share = new BudgetShare(budget, 7, 1);
    share.noteSent(0);
    budget.add(4);
    budget.allows(1);
    share.allows();
    budget.add(-1);
    expect(woken).toEqual([1]);
    share.giveBack();
    budget.add(1);
    budget.allows(2);
    budget.add(-1);
    budget.add(1);
    for (const slot of [3, 4]) budget.allows(slot);
    share.allows();
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
    const { budget, woken, closed } = budgetOf({ hostCredits: 4 });
    budget.add(4);
    for (const slot of [3, 1, 2, 5]) budget.allows(slot);
    closed.add(3).add(1);
    budget.add(-1);
    expect(woken).toEqual([2]);
    budget.add(-1);
    expect(woken).toEqual([2, 5]);
  });

  it('pass a turn on that they took and cannot use, once', () => {
    const { budget, woken } = budgetOf({ hostCredits: 4 });
    budget.add(4);
    for (const slot of [3, 1, 2]) budget.allows(slot);
    const share = new BudgetShare(budget, 3, 1);
    budget.add(-1);
    share.takeTurn(0);
    share.giveBack();
    expect(woken).toEqual([3, 1]);
    share.giveBack();
    expect(woken).toEqual([3, 1]);
  });

  it('have nothing to pass on once they have sent a credit', () => {
    const { budget, woken } = budgetOf({ hostCredits: 4 });
    budget.add(4);
    for (const slot of [3, 1]) budget.allows(slot);
    const share = new BudgetShare(budget, 3, 1);
    budget.add(-1);
    share.takeTurn(0);
    expect(share.allows()).toBe(true);
    share.passTurn();
    expect(woken).toEqual([3]);
  });
});

describe('credits that were overtaken', () => {
  /** Each RTT is 300 us. */
  const answer = (share: BudgetShare, sentNs: number) => share.sampleRtt(300_000, sentNs + 300_000, CREDIT_NS, 1);

  it('are told of once a credit is answered that the same peer got so much later as may queue here', () => {
    const { budget, lost } = budgetOf({ queueBoundNs: 1_000_000 });
    const [one, other, elsewhere] = [7, 7, 8].map((peer, slot) => new BudgetShare(budget, slot, peer));
    one.noteSent(5_000);
    elsewhere.noteSent(5_000);
    other.noteSent(6_000);
    answer(other, 1_004_999);
    expect(lost).toEqual([]);
    answer(other, 1_005_000);
    expect(lost).toEqual([[0, 7, 5_000]]);
    answer(other, 2_000_000);
    expect(lost.slice(1)).toEqual([[1, 7, 6_000]]);
  });

  it('are told of after a round trip where nothing may queue', () => {
    const { budget, lost } = budgetOf({ hostCredits: 9 });
    const share = new BudgetShare(budget, 3, 1);
    share.noteSent(0);
    answer(share, 299_999);
    expect(lost).toEqual([]);
    answer(share, 300_000);
    expect(lost).toEqual([[3, 1, 0]]);
  });
});

describe('turns', () => {
  it('are a credit apart, but for what a late host makes up for', () => {
    const { budget } = budgetOf({ hostCredits: 4 });
    const shares = [0, 1, 2, 3, 4].map((slot) => new BudgetShare(budget, slot, 1));
    const turnsNs = shares.map((share) => share.takeTurn(10 * CREDIT_NS) / CREDIT_NS);
    expect(turnsNs).toEqual([7, 8, 9, 10, 11]);
    expect(shares[0].takeTurn(20 * CREDIT_NS) / CREDIT_NS).toBe(17);
  });

  it('have their room kept until they are used or passed', () => {
    const { budget } = budgetOf({ hostCredits: 4 });
    const [taker, passer] = [0, 1].map((slot) => new BudgetShare(budget, slot, 1));
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
    const { budget, woken } = spentBudget(2);
    const [one, two] = [1, 2].map((slot) => new BudgetShare(budget, slot, 1));
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
    const { budget } = budgetOf({ hostCredits: 64, creditNs: 1_000 });
    for (let slot = 2; slot < 66; slot++) new BudgetShare(budget, slot, 1).setOutstanding(1);
    expect(budget.allows(1)).toBe(false);
    const share = new BudgetShare(budget, 1, 1);
    budget.add(-4);
    share.takeTurn(0);
    budget.add(9);
    expect(budget.allows(99)).toBe(false);
    for (let credit = 1; credit < 4; credit++) {
      expect(share.allows()).toBe(true);
      share.setOutstanding(credit);
      expect(share.isGranted).toBe(true);
    }
    expect(share.allows()).toBe(true);
    share.setOutstanding(4);
    expect(share.isGranted).toBe(false);
  });

  it('are passed on where the next credit of the flow is not due soon', () => {
    const { budget, woken } = spentBudget(3);
    const share = new BudgetShare(budget, 1, 1);
    budget.add(-4);
    share.takeTurn(0);
    share.allows();
    share.setOutstanding(1);
    share.passTurnUntil(20_000, 0);
    expect(woken).toEqual([1]);
    share.passTurnUntil(20_001, 0);
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
  function sharesOf({ budget }: ReturnType<typeof budgetOf>, flows: readonly { rttNs: number; outstanding: number }[]) {
    return flows.map(({ rttNs, outstanding }, slot) => {
      const share = new BudgetShare(budget, slot, 1);
      share.sampleRtt(rttNs, 0, CREDIT_NS, 1);
      share.setOutstanding(outstanding);
      return share;
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
      const share = new BudgetShare(bench.budget, 3, peer);
      share.setOutstanding(4);
      expect(bench.budget.allows(7)).toBe(false);
      const { isGranted } = share;
      share.setOutstanding(0);
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
    const last = new BudgetShare(bench.budget, 3, 1);
    last.setOutstanding(1);
    expect(bench.budget.allows(7)).toBe(false);
    expect(shares.map(({ isGranted }) => isGranted)).toEqual([false, true, true]);
    // 1 ms of 3: not all of a third of the budget.
    expect(last.isGranted).toBe(true);
    shares[0].giveBack();
    expect(bench.budget.allows(8)).toBe(true);
  });

  it('keep a flow that nothing comes back for from having all', () => {
    const { budget } = budgetOf({ hostCredits: 12 });
    const dead = new BudgetShare(budget, 0, 1);
    const alive = new BudgetShare(budget, 1, 1);
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
