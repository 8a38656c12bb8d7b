import { describe, expect, it } from 'vitest';
import { runLine } from '../../harness/run-line.js';

describe('xpass perf', () => {
  it.each([
    ['perf', 'exactly one of --server (-s) and --client (-c) HOST must be given'],
    ['perf -s -c 127.0.0.1', 'exactly one of'],
    ['perf -c 127.0.0.1 -t 5 -n 1MiB', '--time and --bytes are both given: one is allowed'],
    ['perf -s -R', '--reverse is for the client'],
    ['perf -s -t 5', '--time is for the client'],
    ['perf -c 127.0.0.1 -1', '--one-off is for a server'],
    ['perf -c 127.0.0.1 -R --bidir', '--reverse and --bidir are both given'],
    ['perf -c 127.0.0.1 -6', "'127.0.0.1' is no address of IPv6"],
    ['perf -s --listen :0 -p 1', '--listen and --port or --bind are both given'],
    ['perf -s --repeat 2', '--repeat is for the client'],
    ['perf -c 127.0.0.1 --sctp', 'there is no SCTP here'],
    ['perf -c 127.0.0.1 --revers', "did you mean 'reverse'"],
    ['perf -c 127.0.0.1 --logfile /nowhere/log', '/nowhere/log'],
    ['perf -c 127.0.0.1 -n 1k -O 1', '--omit is for tests with --time'],
    ['perf -c 127.0.0.1 --listen 127.0.0.1:0', '--listen is for a server'],
    ['perf -s --switch 127.0.0.1 --listen 127.0.0.1:0', '--listen is for a server without a switch'],
    ['perf -c 127.0.0.1 -P 0', "--parallel '0' is not allowed; allowed: a whole number from 1 to 512"],
    ['perf -c 127.0.0.1 -P 513', 'from 1 to 512'],
    ['perf -c 127.0.0.1 -t 2d', '--time'],
    ['perf -c 127.0.0.1 -n 0', '--bytes'],
    ['perf -c 127.0.0.1 --algorithm magic', '--algorithm'],
    ['perf -c nobody:70000', '70000'],
    ['perf -c three --switch 127.0.0.1', "host 'three' is not allowed behind a switch"],
  ])('%s is wrong usage', async (line, why) => {
    const { exitCode, out, err } = await runLine(line.split(' '));
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain(why);
    expect(err.trimEnd().split('\n')).toHaveLength(2);
  });

  it('explains itself', async () => {
    const { exitCode, out } = await runLine(['perf', '--help']);
    expect(exitCode).toBe(0);
    for (const name of [
      '--server',
      '--client',
      '--time',
      '--bytes',
      '--parallel',
      '--reverse',
      '--interval',
      '--json',
    ]) {
      expect(out).toContain(name);
    }
  });
});
