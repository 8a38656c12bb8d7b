import type { RunSeries, SimulationRun } from '../../../sim/result.js';
import { type CsvValue, csvText } from './csv.js';
import { resultJson } from './result-json.js';

const FLOW_TITLES = [
  'id',
  'group',
  'src',
  'dst',
  'bytes',
  'start_s',
  'fct_s',
  'slowdown',
  'goodput_bps',
  'delivered_bytes',
];
const CREDIT_TITLES = ['credits_sent', 'credits_used', 'credits_wasted', 'credits_dropped'];

/** The CSV files of a run by their names: flows and links, and what was sampled where something was. Columns are those of `--json`. */
export function resultCsv({ result, series }: SimulationRun): Map<string, string> {
  const { flows, links } = resultJson(result, null);
  const files = new Map([
    ['flows.csv', csvText([...FLOW_TITLES, ...CREDIT_TITLES, 'error'], flows.map(flowRow))],
    [
      'links.csv',
      csvText(
        Object.keys(links[0] ?? {}),
        links.map((link) => Object.values(link)),
      ),
    ],
  ]);
  if (series === null) return files;
  return files
    .set('rates.csv', csvText(['time_s', 'flow', 'group', 'label', 'goodput_bps', 'credit_rate_bps'], rateRows(series)))
    .set('states.csv', csvText(['time_s', 'flow', 'name', 'value'], stateRows(series)))
    .set(
      'queues.csv',
      csvText(['time_s', 'link', 'data_queue_bytes_max', 'credit_queue_frames_max', 'utilisation'], queueRows(series)),
    );
}

function flowRow(flow: ReturnType<typeof resultJson>['flows'][number]): CsvValue[] {
  const { id, group, src, dst, bytes, start_s, fct_s, slowdown, goodput_bps, delivered_bytes, credits, error } = flow;
  const { sent, used, wasted, dropped } = credits;
  return [
    id,
    group,
    src,
    dst,
    bytes,
    start_s,
    fct_s,
    slowdown,
    goodput_bps,
    delivered_bytes,
    sent,
    used,
    wasted,
    dropped,
    error,
  ];
}

/** A line for each flow at each time. */
function* rateRows({ timesNs, flows }: RunSeries): Iterable<CsvValue[]> {
  for (const [at, timeNs] of timesNs.entries()) {
    for (const { id, group, label, goodputBps, creditRateBps } of flows) {
      yield [timeNs / 1e9, id, group, label, known(goodputBps[at]), known(creditRateBps[at])];
    }
  }
}

/** What algorithms remember, a line for each value that is there. */
function* stateRows({ timesNs, flows }: RunSeries): Iterable<CsvValue[]> {
  for (const [at, timeNs] of timesNs.entries()) {
    for (const { id, state = {} } of flows) {
      for (const [name, values] of Object.entries(state))
        if (Number.isFinite(values[at])) yield [timeNs / 1e9, id, name, values[at]];
    }
  }
}

function* queueRows({ timesNs, links }: RunSeries): Iterable<CsvValue[]> {
  for (const [at, timeNs] of timesNs.entries()) {
    for (const { name, dataQueueBytes, creditQueueFrames, utilisation } of links) {
      yield [timeNs / 1e9, name, known(dataQueueBytes[at]), known(creditQueueFrames[at]), known(utilisation[at])];
    }
  }
}

/** A flow that has not started or is over has no rate. */
function known(value: number): CsvValue {
  return Number.isFinite(value) ? value : null;
}
