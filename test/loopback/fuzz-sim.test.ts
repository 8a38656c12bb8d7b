import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const EXECUTABLE = fileURLToPath(new URL('../../bin/xpass.mjs', import.meta.url));

it('plays random worlds over worker threads, and the same ones for the same seed', () => {
  const run = (jobs: string) => {
    const args = ['fuzz', '--seeds', '12', '--seed', '1', '--frames', '30', '--jobs', jobs, '--json'];
    const { status, stdout } = spawnSync(process.execPath, [EXECUTABLE, ...args], { encoding: 'utf8' });
    expect(status).toBe(0);
    const { wall_s, seeds_per_s, ...rest } = JSON.parse(stdout) as Record<string, unknown>;
    expect(wall_s).toBeGreaterThan(0);
    expect(seeds_per_s).toBeGreaterThan(0);
    return rest;
  };
  const one = run('1');
  expect(one).toMatchObject({ seeds: 12, findings: [] });
  expect(one.events).toBeGreaterThan(1_000);
  expect(run('2')).toEqual(one);
});
