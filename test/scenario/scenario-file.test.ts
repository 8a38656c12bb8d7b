import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseScenarioFile, readScenario } from '../../src/scenario/scenario-file.js';
import type { ScenarioChanges } from '../../src/scenario/scenario-text.js';
import { laterRefusal } from '../harness/refusal.js';
import { scratchDirectory } from '../harness/scratch.js';

async function parse(source: string, changes?: ScenarioChanges) {
  return (await parseScenarioFile('lab.yaml', source)).scenario(changes);
}

/** The sentence with which a file is refused. */
function refusal(source: string, changes?: ScenarioChanges): Promise<string> {
  return laterRefusal(parse(source, changes));
}

const PAIRS = 'topology:\n  name: dumbbell\n  pairs: 2\nflows:\n  - kind: pairs\n';

describe('a scenario file', () => {
  it('takes its name from the file and everything else from a few lines', async () => {
    const path = join(await scratchDirectory(), 'two-flows.yaml');
    await writeFile(path, PAIRS);
    const scenario = await readScenario(path, { seed: 7 });
    expect(scenario).toMatchObject({
      name: 'two-flows',
      seed: 7,
      endsWithFlows: false,
      durationNs: 1e8,
      payload: 'lengths',
    });
    expect(scenario.traffic).toMatchObject([
      { kind: 'flow', from: 1, to: 3, bytes: Number.POSITIVE_INFINITY },
      { kind: 'flow', from: 2, to: 4 },
    ]);
    expect(scenario.hosts.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(scenario.topology.links[0]).toMatchObject({ port: { rateBps: 1e10, delayNs: 4_000 } });
  });

  it('may be JSON, with numbers that are numbers', async () => {
    const json = JSON.stringify({
      seed: 3,
      topology: { pairs: 1 },
      flows: [{ from: 1, to: 2, bytes: 1500 }],
      duration: '1ms',
    });
    expect(await parse(json)).toMatchObject({ seed: 3, durationNs: 1e6, traffic: [{ bytes: 1500 }] });
  });

  it('reads anchors and aliases', async () => {
    const source = 'topology: { edge: &slow { rate: 1gbit }, core: *slow }\nflows: [pairs]\n';
    const { topology } = await parse(source);
    expect(topology.links.every(({ port }) => port.rateBps === 1e9)).toBe(true);
  });

  it('is changed by what is set, in order, before it is read', async () => {
    const sets = [
      'topology.pairs=8',
      'seed=1',
      'seed=9',
      'algorithm=naive',
      'jainWindows=[2ms, 20ms]',
      'hosts.0.jitter=5%',
    ];
    const scenario = await parse(PAIRS, { sets });
    expect(scenario).toMatchObject({ seed: 9, jainWindowsNs: [2e6, 20e6] });
    expect(scenario.topology.hosts).toHaveLength(16);
    expect(scenario.traffic).toHaveLength(8);
    expect(scenario.hosts[3].endpoint).toMatchObject({ creditAlgorithm: 'naive', jitter: 0.05 });
  });

  it('reads the table of sizes that it names, from where it is itself', async () => {
    const path = join(await scratchDirectory(), 'load.yaml');
    await writeFile(join(path, '..', 'sizes.csv'), 'size_bytes,cumulative_probability\n100,0\n300,1\n');
    await writeFile(path, 'flows:\n  - { load: 0.5, file: sizes.csv, flows: 10 }\n');
    const { traffic } = await readScenario(path);
    const points = [
      { bytes: 100, probability: 0 },
      { bytes: 300, probability: 1 },
    ];
    expect(traffic).toMatchObject([{ kind: 'poisson', sizes: { name: 'sizes', points }, flows: 10 }]);
  });
});

describe('an error in a scenario file', () => {
  it.each([
    [
      'an unknown field',
      `${PAIRS}flws: 3\n`,
      "line 6: the scenario has the unknown key 'flws'; did you mean 'flows'?; allowed: ",
    ],
    [
      'a value of no kind',
      PAIRS.replace('pairs: 2', 'pairs: many'),
      "line 3: topology.pairs is 'many'; allowed: a whole number from 1 to 32767",
    ],
    [
      'a field deep inside',
      'topology:\n  edge:\n    rate: fast\nflows: [pairs]\n',
      "line 3: topology.edge.rate is 'fast'; allowed: a rate from 1bit up",
    ],
    ['a missing field', 'flows:\n  - from: 1\n', 'line 2: flows.0.to is missing; allowed: all, ids'],
    [
      'an unknown host',
      `${PAIRS}hosts:\n  - jitter: 1%\n  - hosts: h9\n`,
      "line 8: hosts.1.hosts names 'h9', and there is no such host",
    ],
    ['nothing', '', 'line 1: the scenario is empty; allowed: a mapping with any of '],
    ['no YAML', 'flows: [a', 'line 1: is not YAML: '],
  ])('names file, line, field, value and what is allowed: %s', async (_, source, expected) => {
    expect(await refusal(source)).toContain(`scenario file 'lab.yaml', ${expected}`);
  });

  it('names a table that is missing', async () => {
    const source = 'flows:\n  - load: 0.5\n    file: none.csv\n';
    await expect(parse(source)).rejects.toThrow("scenario file 'lab.yaml', line 3: size table '");
  });

  it.each([
    ['topology.pairs=0', "--set topology.pairs=0: topology.pairs is '0'; allowed: a whole number from 1"],
    ['parameters.w_mox=1', '--set parameters.w_mox=1: parameters.w_mox cannot be taken: credit algorithm'],
    ['flows.0={kind: incast}', '--set flows.0={kind: incast}: flows.0.to is missing'],
    ['hosts.1.jitter=0', '--set hosts.1.jitter=0: hosts has 0 items; allowed: 0 to 0'],
    ['flows.x=1', '--set flows.x=1: flows is no mapping: x cannot be set in it'],
    ['topology.0=1', '--set topology.0=1: topology is no list: 0 cannot be set in it'],
    ['seed', "--set 'seed' is not allowed; allowed: PATH=VALUE"],
    ['a..b=1', "--set 'a..b=1' is not allowed"],
    ['__proto__.x=1', "--set '__proto__.x=1' is not allowed"],
    ['seed=[', "--set 'seed=[' has no YAML after the equals sign"],
  ])('names what was set: %s', async (set, expected) => {
    expect(await refusal(PAIRS, { sets: [set] })).toContain(expected);
  });

  it('names what was set last, and what was set around it', async () => {
    expect(await refusal(PAIRS, { sets: ['seed=1', 'seed=x'] })).toMatch(/^--set seed=x: /);
    const sets = ['topology={ edge: { rate: fast } }', 'topology.core.delay=1us'];
    expect(await refusal(PAIRS, { sets })).toMatch(
      /^--set topology=\{ edge: \{ rate: fast \} \}: topology\.edge\.rate is 'fast'/,
    );
  });

  it('names the line of the link or host that the topology cannot have', async () => {
    const hosts =
      'topology:\n  hosts:\n  - id: 1\n  - id: 2\n  switches: [{ name: s1 }]\n  links:\n  - { a: h1, b: s1 }\n';
    const flows = 'flows: [pairs]\n';
    expect(await refusal(`${hosts}  - { a: h2, b: s2 }\n${flows}`)).toContain(
      "line 8: topology cannot be built: link 'l2' names",
    );
    expect(await refusal(`${hosts}${flows}`)).toContain("line 4: topology cannot be built: host 'h2' has 0 links");
  });

  it('is a file that is not there, or too long', async () => {
    await expect(readScenario('/nowhere/x.yaml')).rejects.toThrow("scenario file '/nowhere/x.yaml' does not exist");
    const path = join(await scratchDirectory(), 'long.yaml');
    await writeFile(path, `#${' '.repeat(2 ** 20)}\n`);
    await expect(readScenario(path)).rejects.toThrow('at most 1048576 are allowed');
  });

  it('is a pile of aliases that would fill the memory', async () => {
    const levels = Array.from({ length: 12 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(9)}]`);
    expect(await refusal(`l0: &l0 [a]\n${levels.join('\n')}\n`)).toContain("scenario file 'lab.yaml': cannot be read");
  });
});
