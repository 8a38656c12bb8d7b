// Tested by test/report/output/result-json.test.ts
import { type Fields, gauge, label } from '../../base/metric.js';
import type { RunSeries, SimulationRun } from '../../sim/result.js';
import { type Document, documentKey } from '../../telemetry/document.js';
import { type CsvValue, csvText } from '../table.js';
import { resultJson } from './result-json.js';

/** The CSV files of a run by their names: flows and links, and what was sampled where something was. Columns are those of `--json`. */
export function resultCsv({ result, series }: SimulationRun): Map<string, string> {
  const { flows, links } = resultJson(result, null);
  const files = new Map([
    ['flows.csv', recordsCsv(flows as Document[])],
    ['links.csv', recordsCsv(links as Document[])],
  ]);
  if (series === null) return files;
  return files
    .set('rates.csv', csvText(titles(RATE_SAMPLE), rateRows(series)))
    .set('states.csv', csvText(titles(STATE_SAMPLE), stateRows(series)))
    .set('queues.csv', csvText(titles(QUEUE_SAMPLE), queueRows(series)));
}

const TIME = { timeNs: gauge('s', 'End of the interval') };

/** A line of rates.csv. */
export const RATE_SAMPLE = {
  ...TIME,
  flow: gauge('id', 'Number of the flow in the plan'),
  group: label('Group that the scenario gave it'),
  label: label('Hosts, as from->to'),
  goodputBps: gauge('bit/s', 'Payload delivered in order in the interval'),
  creditRateBps: gauge('bit/s', 'Rate of its credits at the end of the interval'),
};

/** A line of states.csv. */
export const STATE_SAMPLE = {
  ...TIME,
  flow: RATE_SAMPLE.flow,
  name: label("Name in the algorithm's paper; also window (frames) and delay (ns)"),
  value: gauge('other', 'What the algorithm remembers at the end of the interval'),
};

/** A line of queues.csv. */
export const QUEUE_SAMPLE = {
  ...TIME,
  link: label('Direction, as from->to'),
  dataQueueBytesMax: gauge('bytes', 'Largest data queue in the interval, wire bytes'),
  creditQueueFramesMax: gauge('credits', 'Credit queue at the end of the interval'),
  utilisation: gauge('share', "Data on the wire over what the link's data share carries"),
};

function titles(fields: Fields): string[] {
  return Object.entries(fields).map(([field, metric]) => documentKey(field, metric));
}

/** A line for each record; what is in a record of a record has both names. */
function recordsCsv(records: readonly Document[]): string {
  const rows = records.map((record) => Object.fromEntries(Object.entries(record).flatMap(flat)));
  return csvText(Object.keys(rows[0] ?? {}), rows.map(Object.values<CsvValue>));
}

function flat([name, value]: [string, unknown]): (readonly [string, CsvValue])[] {
  if (typeof value !== 'object' || value === null) return [[name, value as CsvValue]];
  return Object.entries<CsvValue>(value as Record<string, CsvValue>).map(([key, each]) => [`${name}_${key}`, each]);
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
