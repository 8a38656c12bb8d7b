import { describe, expect, it } from 'vitest';
import { runLine } from '../../harness/run-line.js';

async function expectUsage(args: readonly string[], sentence: RegExp): Promise<void> {
  const { exitCode, out, err } = await runLine(['switch', ...args]);
  expect(err.split('\n')[0]).toMatch(sentence);
  expect([exitCode, out]).toEqual([2, '']);
}

describe('xpass switch', () => {
  it.each([
    [
      ['--topology', 'ring'],
      /^xpass switch: unknown topology 'ring'; allowed: star, dumbbell, parking-lot, multi-bottleneck, leaf-spine, fat-tree/,
    ],
    [['--topology', 'no.yaml'], /topology file 'no\.yaml' does not exist/],
    [['--topology', 'dumbbell', '--hosts', '3'], /--hosts is not for topology dumbbell; allowed with it: --pairs/],
    [['--link', 'h1=los 5%'], /unknown setting 'los' of link 'h1'; did you mean 'loss'\?/],
    [['--link', 'h1'], /--link 'h1' is not allowed; allowed: NAME=VALUE with settings/],
    [['--keep-alive', '0s'], /--keep-alive '0s' is not allowed; allowed: a duration from 1ms to 1min/],
    [['--seed', '-1'], /--seed '-1' is not allowed; allowed: a whole number from 0 to 4294967295/],
    [['--workers', '2'], /--workers '2' is not allowed; allowed: a whole number from 1 to 1/],
    [['--listen', 'x:y'], /--listen 'x:y' is not allowed; allowed: HOST:PORT/],
    [['--control', ':70000'], /--control ':70000' is not allowed; allowed: PATH of a Unix domain socket/],
    [['ports'], /unexpected argument 'ports'/],
  ])('says what is allowed before it opens a socket: %o', expectUsage);
});

describe('xpass switch ctl', () => {
  it.each([
    [[], /^xpass switch ctl: ACTION is missing/],
    [['stop'], /unknown action 'stop'; allowed: ports, link NAME SETTING\.\.\., reset/],
    [['constructor'], /unknown action 'constructor'; allowed: ports/],
    [['prots'], /unknown action 'prots'; did you mean 'ports'\?/],
    [['ports', 'h1'], /unexpected argument 'h1' after ports/],
    [['link'], /the link is missing/],
    [['link', 'h1'], /link 'h1' gets no setting; allowed: rate, delay/],
    [['link', 'h1', 'rate', '100bps'], /rate of link 'h1' is '100bps'; allowed: a rate/],
  ])('says what is allowed before it asks anybody: %o', (args, sentence) => {
    return expectUsage(['ctl', ...args, '--control', '/no/such.sock'], sentence);
  });
});
