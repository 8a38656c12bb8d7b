import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runXpass, scratchFile, untilSo, XpassProcess } from './switch-lab.js';

const SCENARIO = 'topology: { pairs: 2, rate: 1gbit }\nflows: [{ kind: pairs, bytes: 50kB }]\n';
/** Hours of wall time. */
const ENDLESS = 'topology: { pairs: 8, rate: 100gbit }\nduration: 1h\nflows: [pairs]\n';

const TREE =
  'ties: places\ntopology: { name: fat-tree, pods: 4, coreSwitches: 2, rate: 10gbit, delay: 4us }\n' +
  'flows: [{ kind: poisson, workload: web-server, load: 0.6, loadRate: 40gbit, flows: 200 }]\n';

const scenarioFile = (source: string) => scratchFile('lab.yaml', source);

describe('xpass sim over worker threads', () => {
  it('has a result, and the same as another process', async () => {
    const path = await scenarioFile(SCENARIO);
    const [one, two] = await Promise.all([path, path].map((each) => runXpass('sim', each, '--json', '--seed', '9')));
    expect(one).toMatchObject({ code: 0, stderr: '' });
    expect(withoutWall(two.stdout)).toBe(withoutWall(one.stdout));
    expect(JSON.parse(one.stdout)).toMatchObject({ scenario: 'lab', seed: 9, fct: { all: { count: 2 } } });
  });

  it('plays one world on several of them, with the same result', async () => {
    const path = await scenarioFile(TREE);
    const threads = ['1', '2', '3'];
    const runs = await Promise.all(threads.map((count) => runXpass('sim', path, '--json', '--threads', count)));
    for (const { code, stderr } of runs) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [one, ...more] = runs.map(({ stdout }) => withoutWall(stdout));
    for (const result of more) expect(result).toBe(one);
  });

  it('says why a world is played on one of them', async () => {
    const path = await scenarioFile(TREE);
    const played = await runXpass('sim', path, '--json', '--threads', '2', '--set', 'ties=deadlines');
    expect(played.code).toBe(0);
    expect(played.stderr).toContain('played in one thread: its ties are not those of places (--set ties=places)');
  });

  it('ends on SIGINT in the middle of a run, and keeps those that are done', async () => {
    const path = await scenarioFile(ENDLESS);
    const out = join(path, '..', 'out');
    const args = [path, '--sweep', 'duration=10us,1h', '--jobs', '1', '--out', out];
    const running = new XpassProcess(['sim', ...args]);
    const names = () => readdir(join(out, 'runs')).catch((): string[] => []);
    await untilSo(names, (all) => all.some((name) => name.endsWith('.json')), 'the result of the first run');
    const { code, stdout, stderr } = await running.stop('SIGINT');
    expect(code).toBe(1);
    expect(stdout.split('\n')[2]).toMatch(/^1h .* not run$/);
    expect(stderr).toContain('interrupted with 1 of 2 runs done; start it again to go on\n');
  });
});

function withoutWall(json: string): string {
  return json.replace(/"wall_s":[\d.e-]+/, '');
}
