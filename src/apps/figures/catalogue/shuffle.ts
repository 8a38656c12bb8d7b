import type { FctResult, SimulationRun } from '../../../sim/result.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { completionCdf } from '../blocks/completion-cdf.js';
import { dataDrops } from '../blocks/link.js';
import { payloadBps } from '../blocks/payload.js';
import { claim, fixed, noClaim, type RowText, rounded } from '../blocks/rows.js';
import { type Rule, ruleFields } from '../blocks/rules.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../figure.js';

const DRAWN: readonly Rule[] = ['steady', 'expresspass'];
const FLOW_BYTES = 1e6;
const LINK_BPS = 10e9;
/** 40 hosts with 8 tasks each; the median that the paper gives, s. */
const PAPER = { hosts: 40, tasks: 8, medianS: 2.2 };
/** The paper's 2.2 s over what its links need at least, 2.24 s, is 0.98; ours. */
const MOST_MEDIAN = 1.1;
/** As for realistic workloads in the paper. */
const START = { initialRate: 1 / 16, wInit: 1 / 16 };

export const shuffle: Figure = {
  name: 'shuffle',
  title: 'Shuffle',
  source: 'ExpressPass 2017, the shuffle workload; ExpressPass 2016, Figure 8',
  about: (profile) =>
    `${sizeOf(profile).hosts} hosts at one switch, 10 Gbit/s each; each of the ${sizeOf(profile).tasks} tasks of every host sends 1 MB to each task of every other host, all from the start: ${flowCount(sizeOf(profile)).toLocaleString('en-US')} flows${profile === 'quick' ? ' (paper: 40 hosts with 8 tasks, 99,840 flows)' : ''}. Links of 4 us; initial rate and w_init 1/16; one seed.

Times are parts of what the link of a host needs at least for all that it receives, ${idealSeconds(sizeOf(profile)).toFixed(3)} s here and ${idealSeconds(PAPER).toFixed(2)} s in the paper, so that shuffles of different sizes compare. Flows that share fairly to the end all end near 1.`,
  jobs: (profile) => DRAWN.map((rule) => ({ key: rule, document: shuffleDocument(rule, sizeOf(profile)), seeds: [1] })),
  evaluate: (runs, profile) => {
    const ideal = idealSeconds(sizeOf(profile));
    return {
      charts: [completionCdf(DRAWN, (name) => timesS(runs.one(name)))],
      rows: DRAWN.flatMap((rule) => rowsOf(rule, runs.one(rule), ideal)),
      tables: [table(runs, ideal)],
    };
  },
};

interface Size {
  readonly hosts: number;
  readonly tasks: number;
}

function sizeOf(profile: Profile): Size {
  return profile === 'quick' ? { hosts: 8, tasks: 4 } : PAPER;
}

function flowsToHost({ hosts, tasks }: Size): number {
  return (hosts - 1) * tasks ** 2;
}

function flowCount(size: Size): number {
  return size.hosts * flowsToHost(size);
}

function idealSeconds(size: Size): number {
  return (flowsToHost(size) * FLOW_BYTES * 8) / payloadBps(LINK_BPS);
}

function shuffleDocument(rule: Rule, { hosts, tasks }: Size): FigureDocument {
  return {
    ...ruleFields(rule, START),
    duration: '60s',
    topology: { name: 'star', hosts, rate: '10gbit', delay: '4us' },
    flows: [{ kind: 'shuffle', tasks, bytes: '1MB' }],
  };
}

function timesS({ result }: SimulationRun): Float64Array {
  return Float64Array.from(result.flows, ({ fctNs }) => (fctNs ?? Number.NaN) / 1e9);
}

function completion({ result }: SimulationRun): FctResult | undefined {
  return result.fct.all;
}

function rowsOf(rule: Rule, run: SimulationRun, idealS: number): FigureRow[] {
  const times = completion(run);
  const part = (ns: number | undefined): number => (ns ?? Number.NaN) / 1e9 / idealS;
  const text = (quantity: string, ns: number | undefined, paper?: string): RowText => ({
    quantity: `${rule}: ${quantity}`,
    ...(paper !== undefined && { paper }),
    ours: `${fixed(part(ns), 3)} (${fixed((ns ?? Number.NaN) / 1e9, 3)} s)`,
  });
  const paperMedian = PAPER.medianS / idealSeconds(PAPER);
  return [
    completeRow(rule, run),
    claim(
      text('median', times?.p50Ns, `${paperMedian.toFixed(2)} (${PAPER.medianS} s)`),
      part(times?.p50Ns) <= MOST_MEDIAN,
      {
        held: `Held to ${MOST_MEDIAN} of the least time`,
      },
    ),
    noClaim(text('99 %', times?.p99Ns), "The paper only says that it is 1.51 times better than DCTCP's."),
    noClaim(text('longest', times?.maxNs), "The paper only says that it is 6.65 times better than DCTCP's."),
    noClaim(
      {
        quantity: `${rule}: largest data queue (B)`,
        ours: String(Math.max(...run.result.links.map(({ dataQueueBytesMaxEver }) => dataQueueBytesMaxEver))),
      },
      'Links carry data both ways here, so that ACKs and requests, which have no credit, queue with the data. Thousands of flows to a host that acknowledge every frame and ask again for credits after 1 ms overflow the queues; so ACKs wait for 32 frames or 20 ms, and requests are repeated after 20 ms.',
    ),
  ];
}

function completeRow(rule: Rule, run: SimulationRun): FigureRow {
  const missing = run.result.flows.filter(({ fctNs }) => fctNs === null).length;
  const lost = dataDrops(run);
  return claim(
    { quantity: `${rule}: flows that did not end; data frames lost`, paper: '0; 0', ours: `${missing}; ${lost}` },
    missing === 0 && lost === 0,
    { held: 'Held to none' },
  );
}

function table(runs: Runs, idealS: number): FigureTable {
  const titles = ['rule', 'flows', 'ideal_s', 'p50_s', 'p99_s', 'max_s', 'credits_dropped', 'data_drops'];
  const rows = DRAWN.map((rule) => {
    const run = runs.one(rule);
    const times = completion(run);
    const seconds = (ns: number | undefined) => rounded((ns ?? Number.NaN) / 1e9, 6);
    return [
      rule,
      run.result.flows.length,
      rounded(idealS, 6),
      seconds(times?.p50Ns),
      seconds(times?.p99Ns),
      seconds(times?.maxNs),
      rounded(run.result.creditDropShare, 4),
      dataDrops(run),
    ];
  });
  return { key: '', titles, rows };
}
