import { afterEach, describe, expect, it } from 'vitest';
import { compared, iperf3Arguments, PeerTest } from '../../../src/apps/perf/compare.js';
import { COMPARISON } from '../../../src/apps/perf/kinds.js';
import { ExitCode } from '../../../src/base/exit-codes.js';
import { perfTerms } from '../../harness/perf-report.js';

const OPTIONS = { compare: { port: 5_201 }, interval: 1e9, bind: undefined, version4: false, version6: false };
const PATH = process.env.PATH;

function argumentsOf(request: object, options: object = {}): string {
  const terms = perfTerms();
  const all = iperf3Arguments({ ...terms, request: { ...terms.request, ...request } }, { ...OPTIONS, ...options });
  return all.join(' ').replace('-c 192.0.2.7 -p 5201 -J -i 1 --connect-timeout 3000 ', '');
}

describe('--compare', () => {
  afterEach(() => {
    process.env.PATH = PATH;
  });

  it.each([
    ['iperf3', { port: 5_201 }],
    ['iperf3:70', { port: 70 }],
    ['iperf3:0', undefined],
    ['iperf3:65536', undefined],
    ['iperf3:', undefined],
    ['iperf', undefined],
  ])('%s means %o', (text, value) => {
    expect(COMPARISON.parse(text)).toEqual(value);
  });

  it.each([
    [{}, {}, '-t 1'],
    [{ durationNs: 1.2e9, omitNs: 0.5e9 }, {}, '-t 2 -O 1'],
    [{ durationNs: null, bytes: 500, flows: 4 }, {}, '-n 2000 -P 4'],
    [{ direction: 'reverse', pace: { rateBps: 10e6, burstBytes: 0 } }, {}, '-t 1 -R -b 10000000'],
    [
      { direction: 'both', pace: { rateBps: 10e6, burstBytes: 16_000 }, lengthBytes: 1_000 },
      {},
      '-t 1 --bidir -b 10000000/16 -l 1000',
    ],
    [{}, { bind: '192.0.2.1', version4: true }, '-t 1 -B 192.0.2.1 -4'],
    [{}, { interval: 0 }, '-c 192.0.2.7 -p 5201 -J -i 0 --connect-timeout 3000 -t 1'],
    [{}, { interval: 1e6 }, '-c 192.0.2.7 -p 5201 -J -i 0.1 --connect-timeout 3000 -t 1'],
  ])('asks for the same test: %o %o', (request, options, wanted) => {
    expect(argumentsOf(request, options)).toBe(wanted);
  });

  it('names what is not installed', async () => {
    process.env.PATH = '/nowhere';
    const failure = { exitCode: ExitCode.usage, message: expect.stringContaining('none is installed') };
    await expect(new PeerTest(perfTerms(), OPTIONS).run()).rejects.toMatchObject(failure);
  });

  it('has the ratio of the means', () => {
    const run = { command: '', version: '', congestion: '', goodputBps: 3, retransmits: null, intervals: [] };
    expect(compared(run, { ours: [10, 30], peers: [50, 30] })).toMatchObject({ ratio: 0.5, goodputsBps: [50, 30] });
  });
});
