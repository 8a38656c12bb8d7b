import { readFileSync } from 'node:fs';
import { parseScenarioFile } from '../../../src/scenario/scenario-file.js';
import { bytesOf, must, type Target, textOf } from '../engine/target.js';
import { taken } from './config-error.js';

/** As people write them, right or not. */
const SAMPLES = [
  'flows: [{kind: flow, from: h1, to: h2, bytes: 1MB}]\nduration: 2ms\nwarmUp: 3ms\n',
  'topology: dumbbell\nflows:\n  - from: h1\n    to: h2\n    bytes: 1MB\nduration: 1s\n',
  'topology: {name: star, hosts: 4, rate: 1gbit}\nflows: [{kind: incast, to: h1, bytes: 64k, start: 1ms}]\n',
  'seed: 3\nalgorithm: steady\nparameters: {initial_rate: 0.5}\nfaults:\n  - {at: 1ms, link: s1-s2, down: true}\n',
  'hosts: [{hosts: [h1], algorithm: dctcp}]\nprobes: {interval: 1ms, links: ["s1->s2"], maxFlows: 3}\n',
];

/** Text of a scenario file: a scenario whose numbers are numbers, or a sentence that names the line. */
export const scenario: Target = {
  name: 'scenario',
  seeds: () => [...SAMPLES, ...deployed('faults.yaml', 'lossy-path.yaml', 'fat-tree-web-server.yaml')].map(bytesOf),
  words: [
    'topology:',
    'flows:',
    'hosts:',
    'faults:',
    'probes:',
    'duration:',
    'warmUp:',
    'maxFlows:',
    'endsWithFlows:',
    'jainWindows:',
    'bottlenecks:',
    'seed:',
    'algorithm:',
    'parameters:',
    'from:',
    'to:',
    'bytes:',
    'start:',
    'kind:',
    'incast',
    'permutation',
    'poisson',
    'load:',
    '{',
    '}',
    '[',
    ']',
    ', ',
    '\n  - ',
    '&a',
    '*a',
    '<<: *a',
    '!!str',
    '1e9',
    '-1',
    '100mbit',
    '20us',
    '5%',
    '__proto__',
    'null',
    '~',
    '? ',
    '|\n',
    '>-\n',
  ],
  maxBytes: 2_048,
  run: async (input) => {
    const source = textOf(input);
    const made = await taken(async () => (await parseScenarioFile('fuzz.yaml', source)).scenario());
    if (made === null) return;
    must(made.topology.hosts.length > 0, 'a scenario has hosts');
    must(made.durationNs > 0 && made.warmUpNs < made.durationNs, 'it has a duration');
    const text = JSON.stringify(made, (_, value) => (Number.isNaN(value) ? 'NaN!' : value));
    must(!text.includes('NaN!'), 'no number of it is none');
  },
};

/** Files of deploy/scenarios, from the top of the working copy; elsewhere the corpus has what they reach. */
function deployed(...names: readonly string[]): string[] {
  return names.flatMap((name) => {
    try {
      return [readFileSync(`deploy/scenarios/${name}`, 'utf8')];
    } catch {
      return [];
    }
  });
}
