import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { PageData } from '../../src/report/page-data.js';
import { runReport } from '../../src/report/run-report.js';
import type { SimulationRun } from '../../src/sim/result.js';
import { simulate } from '../../src/sim/simulate.js';
import { flow, scenarioWith } from '../harness/simulations.js';
import { flowResult, flowSeries, linkSeries, sampled, simulationResult } from './synthetic-run.js';

/** Two endless flows on a dumbbell and a short one, sampled. */
const REAL_RUN: SimulationRun = simulate(
  scenarioWith({
    name: 'three flows',
    traffic: [flow(1, 3), flow(2, 4), flow(2, 3, { bytes: 20e3, startNs: 1e6 })],
    durationNs: 3e6,
    bottlenecks: ['left->right'],
    jainWindowsNs: [500e3],
    probes: { intervalNs: 100e3, links: ['left->right', 'right->left'], maxFlows: 8 },
  }),
);

function headings(html: string): string[] {
  return [...html.matchAll(/<figcaption>([^:<]*)/g)].map((match) => match[1]);
}

function dataOf(html: string): PageData {
  const [, json] = /<script type="application\/json">(.*?)<\/script>/.exec(html) ?? [];
  return JSON.parse(json) as PageData;
}

// Drawing takes seconds where a machine is busy with other things.
describe('a report', { timeout: 60_000 }, () => {
  it('of a simulated run has every figure and table, and is the same each time', () => {
    const html = runReport(REAL_RUN, { command: 'xpass sim three.yaml --set a="<1>"' });
    expect(headings(html)).toEqual([
      'Payload that arrived',
      'Rate of the credits, as the algorithm sets it',
      'Fairness',
      'The most that the data queue held in each interval',
      'Credits in the queue at the end of each interval',
      'Data on the wire as a part of the link&#39;s data share',
      'What the algorithm remembers as cur_rate',
      'What the algorithm remembers as offered',
      'What the algorithm remembers as hop',
      'Flow completion times of 1 flows, cumulative.',
    ]);
    expect(html.match(/<table>/g)).toHaveLength(3);
    expect(html).toContain('<h1>three flows</h1>');
    expect(html).toContain('<pre>xpass sim three.yaml --set a=&#34;&#60;1&#62;&#34;</pre>');
    expect(runReport(REAL_RUN, { command: 'xpass sim three.yaml --set a="<1>"' })).toBe(html);
  });

  it('writes the numbers of its charts with five digits', () => {
    const { figures } = dataOf(runReport(REAL_RUN, {}));
    const numbers = figures.flatMap(({ x, lines }) => [...x, ...lines.flatMap(({ y }) => y)]);
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers.filter((value) => value !== null && value !== Number(value.toPrecision(5)))).toEqual([]);
  });

  it('stands alone: nothing from elsewhere, and of scripts none but its own', () => {
    const script = 'document.title = "</script>";';
    const html = runReport(REAL_RUN, { script });
    expect(html).not.toMatch(/src=|@import|<link|<iframe/);
    const addresses = [...html.matchAll(/https?:\/\/[^"]*/g)].map(([address]) => address);
    expect(addresses.filter((address) => address !== 'http://www.w3.org/2000/svg')).toEqual([]);
    const [, code] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? [];
    expect(html).toContain(`script-src 'sha256-${createHash('sha256').update(code).digest('base64')}'`);
    expect(runReport(REAL_RUN)).not.toContain('script-src');
  });

  it('has the lines of all that was sampled for its script, and which are shown at first', () => {
    const flows = Array.from({ length: 12 }, (_, at) => flowSeries(at, [at * 1e9, 0]));
    const { figures, marks } = dataOf(runReport(sampled(flows), { marks: [{ atNs: 2e6, text: 'a fault' }] }));
    const [{ kind, x, lines }] = figures;
    expect({ kind, x, names: lines.length }).toEqual({ kind: 'flows', x: [1, 2], names: 12 });
    expect(lines.filter(({ isShown }) => isShown).map(({ name }) => name)[0]).toBe('h4->h104');
    expect(lines[11].y).toEqual([11, 0]);
    expect(marks).toEqual([{ x: 2, name: '1' }]);
  });

  it('names the flows that failed and the faults, in the order of time', () => {
    const flows = Array.from({ length: 12 }, (_, at) => flowResult(at, { error: 'peerLost' }));
    const html = runReport(sampled([], { flows }), { marks: [{ atNs: 2e6, text: 'leaf1->leaf2: loss 1%' }] });
    expect(html).toContain('<p>Flow 9 from h9 to h109 failed: peerLost.</p>\n<p>2 more flows failed.</p>');
    expect(html).toContain('<td>leaf1-&#62;leaf2: loss 1%</td>');
  });

  it('has text as text, wherever it comes from', () => {
    const bad = '<img src=x onerror=alert(1)>';
    const flows = [flowResult(1, { src: bad, dst: bad, group: bad, error: bad })];
    const run = sampled([flowSeries(1, [1e9], { label: bad })], { flows, links: [linkSeries(bad, [1])] });
    const named = { ...run, result: { ...run.result, scenario: bad, algorithm: bad } };
    const html = runReport(named, { command: bad, script: ';', marks: [{ atNs: 1, text: bad }] });
    expect(html).not.toContain('<img');
  });

  it('says in a sentence what it has no data for', () => {
    const html = runReport({ result: simulationResult(), series: null });
    expect(html).toContain('The run took no samples along the way');
    expect(html).toContain('No flow with an end is complete.');
    expect(html).not.toContain('<svg');
    const idle = runReport(sampled([flowSeries(1, [0, 0])], { links: [linkSeries('a->b', [0, 0])] }));
    expect(idle).toContain('no two sampled flows lasted through one window');
    expect(idle).toContain('held in each interval: none on a-&#62;b.');
    expect(headings(idle)).toEqual(['Payload that arrived', 'Rate of the credits, as the algorithm sets it']);
  });

  it('says that only some of the flows were sampled', () => {
    const flows = Array.from({ length: 5 }, (_, at) => flowResult(at));
    const html = runReport(sampled([flowSeries(0, [1e9]), flowSeries(1, [1e9])], { flows }));
    expect(html).toContain('Of 5 flows, 2 were sampled.');
    expect(html).toContain('Fairness of the 2 sampled flows');
  });

  it('of a run with very many flows and links has the first hundred, and says so', () => {
    const flows = Array.from({ length: 250 }, (_, at) => flowResult(at, { bytes: 1000 * (at + 1), fctNs: 1e6 + at }));
    const html = runReport({ result: simulationResult({ flows }), series: null });
    expect(html).toContain('These are those that failed and the first others; 150 more are in the JSON result.');
    expect(html).toContain('S &#60; 10 kB');
  });
});
