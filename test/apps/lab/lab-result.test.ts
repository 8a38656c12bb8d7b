import { describe, expect, it } from 'vitest';
import type { DirectionCounts } from '../../../src/apps/lab/direction-counts.js';
import { type CountedFlow, labRun, meanJain } from '../../../src/apps/lab/lab-result.js';
import type { LabMeasurements } from '../../../src/apps/lab/lab-run.js';
import type { HostReport, ReceivedFlow, SentFlow } from '../../../src/apps/lab/messages.js';
import { measurementProblems } from '../../../src/apps/lab/run-lab.js';
import { parseScenarioFile } from '../../../src/scenario/scenario-file.js';
import { planFlows } from '../../../src/sim/traffic/plan-flows.js';
import { chancesOf } from '../../../src/sim/world.js';
import { PortStatistics } from '../../../src/switch/port-statistics.js';
import { FrameType } from '../../../src/wire/layout.js';

function flow(bytes: readonly number[], { first = 0, startNs = 0, overNs = NEVER } = {}): CountedFlow {
  return { startNs, overNs, counts: { windowNs: 100, first, bytes } };
}

describe('meanJain', () => {
  it('averages over the whole windows that fit', () => {
    const flows = [flow([1, 3, 9]), flow([1, 1, 0])];
    // 1 in the first window, 16 / 20 in the second; the third does not fit.
    expect(meanJain(flows, 100, { fromNs: 0, endNs: 299 })).toBeCloseTo(0.9, 12);
    expect(meanJain(flows, 100, { fromNs: 0, endNs: 300 })).toBeCloseTo((1 + 0.8 + 0.5) / 3, 12);
  });

  it('counts a flow in the windows that it lasts from beginning to end', () => {
    const late = flow([1, 4], { first: 1, startNs: 1150 });
    const early = flow([12, 9], { overNs: 1150 });
    const lasting = flow([4, 4, 4]);
    // From 1000 to 1100 the early and the lasting one, which share 16 as 12 and 4; to 1200 the lasting one alone; to 1300 the late and the lasting one.
    expect(meanJain([late, early, lasting], 100, { fromNs: 1000, endNs: 1300 })).toBeCloseTo((0.8 + 1) / 2, 12);
  });

  it('takes a flow that got nothing for one with a share of nothing', () => {
    const silent: CountedFlow = { startNs: 0, overNs: NEVER, counts: undefined };
    expect(meanJain([flow([5]), silent], 100, { fromNs: 0, endNs: 100 })).toBeCloseTo(0.5, 12);
  });

  it('is null without windows in which something was shared', () => {
    expect(meanJain([flow([5])], 100, { fromNs: 0, endNs: 100 })).toBeNull();
    expect(meanJain([flow([0]), flow([0])], 100, { fromNs: 0, endNs: 100 })).toBeNull();
    expect(meanJain([flow([1]), flow([1])], 100, { fromNs: 0, endNs: 99 })).toBeNull();
  });
});

const S = 1e9;
const NEVER = Number.POSITIVE_INFINITY;

/** Measured from 1 s to 3 s; the second of its flows has an end. */
const SCENARIO = `
topology: { name: star, hosts: 3, rate: 100mbit }
duration: 3s
warmUp: 1s
jainWindows: [1s]
probes: { interval: 500ms, links: [s1->h3, h1->s1] }
bottlenecks: [s1->h3]
flows:
  - { from: 1, to: 3 }
  - { from: 2, to: 3, bytes: 1MB }
`;

function portOf(dataFrames: number, { credits = 0, creditDrops = 0, queueBytes = 0, lost = 0 } = {}) {
  const statistics = new PortStatistics();
  for (let frame = 0; frame < dataFrames; frame++) statistics.countFrame(FrameType.data, 1538);
  for (let frame = 0; frame < credits; frame++) statistics.countFrame(FrameType.credit, 90);
  statistics.drops[1] = creditDrops;
  statistics.drops[5] = lost;
  statistics.setDataQueue(queueBytes, 0);
  statistics.setDataQueue(0, 1);
  return statistics.snapshot(2 * S);
}

function sent(id: number, flowId: number, more: Partial<SentFlow> = {}): SentFlow {
  return { id, flowId, startNs: 0.002 * S, closedNs: NEVER, error: null, ...more };
}

function received(from: number, flowId: number, more: Partial<ReceivedFlow> = {}): ReceivedFlow {
  return {
    from,
    flowId,
    deliveredBytes: 30e6,
    measuredBytes: 20e6,
    completeNs: null,
    wrongAtByte: null,
    error: null,
    credits: { sent: 100, used: 60, unused: 10, dropped: 25 },
    windows: [{ windowNs: S, first: 0, bytes: [12e6, 8e6] }],
    ...more,
  };
}

function report(hostId: number, more: Partial<HostReport> = {}): HostReport {
  return {
    hostId,
    sent: [],
    received: [],
    nic: portOf(100),
    nicSpanNs: 2 * S,
    nicQueueBytesMaxBefore: 0,
    creditsBefore: { sent: 0, used: 0, unused: 0, dropped: 0 },
    samples: null,
    datagramsIn: 1_000,
    kernelDrops: 0,
    ...more,
  };
}

const NAMES = ['h1->s1', 's1->h1', 'h2->s1', 's1->h2', 'h3->s1', 's1->h3'];

function countsOf(name: string): DirectionCounts {
  const port = name === 's1->h3' ? portOf(10_000, { queueBytes: 4_614 }) : portOf(1, { lost: 7 });
  return { name, rateBps: 1e8, port, spanNs: 2 * S };
}

const WINDOWS = { windowNs: S, first: 0, bytes: [12e6] };

const MEASURED: LabMeasurements = {
  measuredFromNs: 1 * S,
  endNs: 3 * S,
  before: NAMES.map((name) => ({ ...countsOf(name), port: portOf(5, { queueBytes: 15_380 }) })),
  counts: NAMES.map(countsOf),
  failures: new Map(),
  links: new Map(),
  switched: 5_000,
  switchDrops: 0,
  reports: [
    report(1, { sent: [sent(0, 77)] }),
    report(2, { sent: [sent(1, 77)] }),
    report(3, {
      received: [
        received(1, 77),
        received(2, 77, { deliveredBytes: 1e6, measuredBytes: 5e5, completeNs: 2.5 * S, windows: [WINDOWS] }),
      ],
      nic: portOf(0, { credits: 300, creditDrops: 40 }),
      creditsBefore: { sent: 50, used: 40, unused: 0, dropped: 10 },
      nicQueueBytesMaxBefore: 98,
    }),
  ],
};

async function run(changes: Partial<LabMeasurements> = {}) {
  const scenario = await (await parseScenarioFile('test.yaml', SCENARIO)).scenario();
  const flows = planFlows(scenario.traffic, chancesOf(scenario.seed).traffic);
  return { flows, ...labRun(scenario, flows, { ...MEASURED, ...changes }) };
}

describe('the result of a lab', () => {
  it('joins the ends of each flow, though flow ids repeat among senders', async () => {
    const { flows } = (await run()).result;
    expect(flows).toMatchObject([
      { id: 0, src: 'h1', dst: 'h3', bytes: null, fctNs: null, goodputBps: 80e6, deliveredBytes: 30e6, error: null },
      { id: 1, src: 'h2', dst: 'h3', bytes: 1e6, fctNs: 2.498 * S, startNs: 0.002 * S, deliveredBytes: 1e6 },
    ]);
    // Half a megabyte in the second and a half that it lasted in the measured time.
    expect(flows[1].goodputBps).toBeCloseTo((5e5 * 8) / 1.5, 3);
    expect(flows[1].slowdown).toBeGreaterThan(20);
  });

  it('takes what hosts send from their NICs, and what is lost on the way from the switch', async () => {
    const { links, utilisation } = (await run()).result;
    const link = (name: string) => links.find((each) => each.name === name);
    expect(links.map(({ name }) => name)).toEqual(NAMES);
    expect(link('s1->h3')?.utilisation).toBeCloseTo((10_000 * 1538 * 8) / 2 / 1e8 / (1538 / 1626), 6);
    expect(utilisation).toBe(link('s1->h3')?.utilisation);
    expect(link('s1->h3')).toMatchObject({
      dataQueueBytesMax: 4_614,
      dataQueueBytesMaxEver: 15_380,
      creditsOffered: 0,
    });
    expect(link('h3->s1')).toMatchObject({ creditsOffered: 340, creditDrops: 40, lost: 7, dataQueueBytesMaxEver: 98 });
    expect(link('h1->s1')?.utilisation).toBeCloseTo((100 * 1538 * 8) / 2 / 1e8 / (1538 / 1626), 6);
  });

  it('counts credits whose fate became known in the measured time', async () => {
    // Of the two flows: 120 used, 20 wasted, 50 dropped; 40 used and 10 dropped before.
    expect((await run()).result.creditDropShare).toBeCloseTo(40 / 140, 12);
  });

  it('has a flow share as long as it lasts', async () => {
    // Both last from 1 s to 2 s, and get the same; from 2 s to 3 s there is one.
    expect((await run()).result.jainByWindow).toEqual([{ windowNs: S, jain: 1 }]);
  });

  it('names what killed a flow, unless its receiver had everything by then', async () => {
    const failures = new Map([
      [0, { error: 'hostCrash', atNs: 2 * S }],
      [1, { error: 'hostCrash', atNs: 2 * S }],
    ]);
    const { flows } = (await run({ failures })).result;
    expect(flows.map(({ error }) => error)).toEqual(['hostCrash', null]);
  });

  it('keeps what a host reported before it crashed', async () => {
    const back = report(3, { nic: portOf(0, { credits: 10 }), nicSpanNs: 1 * S });
    const { flows, links } = (await run({ reports: [...MEASURED.reports, back] })).result;
    expect(flows.map(({ deliveredBytes }) => deliveredBytes)).toEqual([30e6, 1e6]);
    expect(links.find(({ name }) => name === 'h3->s1')).toMatchObject({ creditsOffered: 350, creditDrops: 40 });
  });

  it('has nothing of flows that never started', async () => {
    const { flows, algorithm } = (await run({ reports: [report(1), report(2), report(3)] })).result;
    expect(flows).toMatchObject([
      { startNs: 0, deliveredBytes: 0, goodputBps: 0, fctNs: null },
      { startNs: 0, deliveredBytes: 0, goodputBps: 0, fctNs: null },
    ]);
    expect(algorithm).toBe('steady');
  });

  it('measures all of a run that ends before its warm-up', async () => {
    const { flows, measuredNs } = (await run({ measuredFromNs: 0, endNs: 0.5 * S })).result;
    expect(measuredNs).toBe(0.5 * S);
    expect(flows[0].goodputBps).toBeCloseTo((30e6 * 8) / 0.498, 3);
  });

  it('has series of the flows and links that the scenario wants', async () => {
    const nic = { first: 0, dataQueueBytes: [10, 0], creditQueueFrames: [0, 0], dataWireBytes: [1538, 0] };
    const returned = { first: 4, dataQueueBytes: [20], creditQueueFrames: [1], dataWireBytes: [3076] };
    const flow = { from: 2, flowId: 77, first: 2, deliveredBytes: [5e5, 1e6, 1e6], creditRateBps: [1e8, 9e7, 0] };
    const [one, two, three] = MEASURED.reports;
    const reports = [
      { ...one, samples: { flows: [], nic } },
      report(1, { samples: { flows: [], nic: returned } }),
      two,
      { ...three, samples: { flows: [flow], nic } },
    ];
    const sampled = {
      first: 0,
      dataQueueBytes: [1, 2, 3, 4, 5, 6],
      creditQueueFrames: [0, 0, 0, 0, 0, 0],
      dataWireBytes: [0, 0, 0, 0, 0, 5.9e6],
    };
    const { series } = await run({ reports, links: new Map(NAMES.map((name) => [name, sampled])) });
    expect([...(series?.timesNs ?? [])]).toEqual([0.5, 1, 1.5, 2, 2.5, 3].map((s) => s * S));
    expect(series?.flows.map(({ label, goodputBps }) => [label, [...goodputBps]])).toEqual([
      ['h1->h3', [0, 0, 0, 0, 0, 0]],
      ['h2->h3', [0, 0, 8e6, 8e6, 0, 0]],
    ]);
    expect([...(series?.flows[1].creditRateBps ?? [])]).toEqual([0, 0, 1e8, 9e7, 0, 0]);
    expect(series?.links.map(({ name, dataQueueBytes }) => [name, [...dataQueueBytes]])).toEqual([
      ['h1->s1', [10, 0, 0, 0, 20, 0]],
      ['s1->h3', [1, 2, 3, 4, 5, 6]],
    ]);
    expect(series?.links[1].utilisation[5]).toBeCloseTo((5.9e6 * 8) / 0.5 / 1e8 / (1538 / 1626), 6);
  });
});

describe('problems of a measurement', () => {
  it('are none on a machine that keeps up', async () => {
    const { flows } = await run();
    expect(measurementProblems(flows, MEASURED)).toEqual([]);
  });

  it('are datagrams that the kernel dropped, and flows that started late', async () => {
    const { flows } = await run();
    const [one, ...others] = MEASURED.reports;
    const reports = [{ ...one, kernelDrops: 3, sent: [sent(0, 77, { startNs: 0.08 * S })] }, ...others];
    expect(measurementProblems(flows, { ...MEASURED, reports, switchDrops: 4 })).toEqual([
      'the kernel dropped 7 datagrams that a process was too late to read; they are in no count of a link',
      'a flow started 80 ms late: the machine is busy with other things',
    ]);
  });

  it.each([
    ['a host', 0, null],
    ['the switch', null, 0],
  ])('that %s does not tell of the kernel is said', async (_, switchDrops, kernelDrops) => {
    const { flows } = await run();
    const [one, ...others] = MEASURED.reports;
    const reports = [{ ...one, kernelDrops }, ...others];
    expect(measurementProblems(flows, { ...MEASURED, reports, switchDrops })).toEqual([
      expect.stringContaining('does not tell which datagrams its kernel dropped'),
    ]);
  });

  it('are bytes that were not sent, and then there is no result', async () => {
    const { flows } = await run();
    const [one, two] = MEASURED.reports;
    const reports = [one, two, report(3, { received: [received(2, 77, { wrongAtByte: 4_711 })] })];
    expect(() => measurementProblems(flows, { ...MEASURED, reports })).toThrow(
      'flow 1 from host 2 to host 3 delivered other bytes than were sent, at byte 4711 or soon after',
    );
  });
});
