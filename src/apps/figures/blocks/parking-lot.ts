// Tested by test/apps/figures/catalogue.test.ts
import type { LineChart } from '../../shared/plot/chart.js';
import type { FigureDocument, FigureTable, Runs } from '../figure.js';
import { wireBps } from './payload.js';
import { rounded } from './rows.js';
import { type Rule, ruleFields } from './rules.js';
import { mean } from './statistics.js';

/** Bottlenecks in a row, as in the papers. */
export const BOTTLENECKS = [1, 2, 3, 4, 5, 6];
/** What naive credits leave of the least used link, by the paper's arithmetic: 83.3 % at two, 60 % at six. */
export const PAPER_NAIVE = { two: 0.833, six: 0.6 };

export interface ParkingLotOptions {
  readonly rule: Rule;
  readonly bottlenecks: number;
  /** What differs from the papers' and authors' setting of 2017. */
  readonly changes?: FigureDocument;
  /** Of every link; 4 us as in the authors' scripts. */
  readonly delay?: string;
  readonly settings?: FigureDocument;
}

/** A chain of links of 10 Gbit/s: flow 0 crosses all of them, each has a flow of its own. */
export function parkingLotDocument({
  rule,
  bottlenecks,
  changes,
  delay = '4us',
  settings,
}: ParkingLotOptions): FigureDocument {
  return {
    ...ruleFields(rule),
    duration: '60ms',
    warmUp: '20ms',
    topology: { name: 'parking-lot', bottlenecks, rate: '10gbit', delay, ...settings },
    flows: ['pairs'],
    ...changes,
  };
}

/** By number of bottlenecks, means over seeds. */
export interface ParkingLot {
  readonly rule: Rule;
  /** Of the least used link. */
  readonly utilisation: readonly number[];
  /** Of the flow that crosses all, wire rate in Gbit/s. */
  readonly flow0Gbps: readonly number[];
}

export function measureParkingLot(runs: Runs, rule: Rule, key: (bottlenecks: number) => string): ParkingLot {
  const found = BOTTLENECKS.map((bottlenecks) => runs.of(key(bottlenecks)));
  return {
    rule,
    utilisation: found.map((each) => mean(each.map(({ result }) => result.utilisation))),
    flow0Gbps: found.map((each) => mean(each.map(({ result }) => wireBps(result.flows[0].goodputBps) / 1e9))),
  };
}

export function utilisationChart(
  lots: readonly ParkingLot[],
  paper: readonly { x: number[]; y: number[]; name: string }[],
): LineChart {
  const ours = lots.map(({ rule, utilisation }) => ({ name: rule, x: BOTTLENECKS, y: utilisation }));
  return {
    kind: 'lines',
    title: 'Least used link',
    x: { name: 'bottlenecks' },
    y: { name: 'utilisation of the data share', min: 0.4, max: 1.05 },
    series: [...ours, ...paper],
  };
}

export function flow0Chart(lots: readonly ParkingLot[], maxMinGbps: number): LineChart {
  return {
    kind: 'lines',
    title: 'The flow that crosses all of them',
    x: { name: 'bottlenecks' },
    y: { name: 'wire rate (Gbit/s)' },
    series: lots.map(({ rule, flow0Gbps }) => ({ name: rule, x: BOTTLENECKS, y: flow0Gbps })),
    references: [{ label: 'max-min', y: maxMinGbps }],
  };
}

export function parkingLotTable(lots: readonly ParkingLot[]): FigureTable {
  const titles = ['rule', 'bottlenecks', 'lowest_utilisation', 'flow_0_gbps'];
  const rows = lots.flatMap(({ rule, utilisation, flow0Gbps }) =>
    BOTTLENECKS.map((bottlenecks, at) => [rule, bottlenecks, rounded(utilisation[at], 4), rounded(flow0Gbps[at], 3)]),
  );
  return { key: '', titles, rows };
}
