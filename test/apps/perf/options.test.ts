import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/apps/cli/command-line.js';
import { command } from '../../../src/apps/perf/command.js';
import { type ForeignFlag, IGNORED_FLAGS, REFUSED_FLAGS, SAME_FLAGS } from '../../../src/apps/perf/iperf3-flags.js';
import { PERF_OPTIONS, type PerfOptions } from '../../../src/apps/perf/options.js';
import { checkUsage, ignoredOptions } from '../../../src/apps/perf/usage.js';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { longName } from '../../../src/base/value-kind.js';

/** What a command line of perf means, without a process and without a socket. */
function optionsOf(line: string): PerfOptions {
  const { given } = parseCommandLine(command, line.split(' '));
  return resolveOptions(PERF_OPTIONS, given);
}

function flagsOf(table: Readonly<Record<string, ForeignFlag>>) {
  return Object.entries(table).map(([name, { alias, value, why }]) => ({
    written: [...(alias === undefined ? [] : [`-${alias}`]), `--${longName(name)}`],
    name: `--${longName(name)}`,
    argument: value === undefined ? '' : ' 1',
    why,
  }));
}

const IGNORED = flagsOf(IGNORED_FLAGS);
const REFUSED = flagsOf(REFUSED_FLAGS);

describe("iperf3's flags", () => {
  it.each(SAME_FLAGS.filter(([flag]) => !/--help|--version/.test(flag)))('%s mean the same', (flag, _, example) => {
    expect(example.split(' ').some((word) => flag.split(', ').some((name) => word.startsWith(name)))).toBe(true);
    const options = optionsOf(example);
    expect(() => checkUsage(options)).not.toThrow();
    expect(ignoredOptions(options)).toEqual([]);
  });

  it.each(IGNORED.flatMap(({ written, name, argument }) => written.map((flag) => [flag, name, argument])))(
    '%s is accepted without effect',
    (flag, name, argument) => {
      const options = optionsOf(`-c 127.0.0.1 ${flag}${argument}`);
      expect(() => checkUsage(options)).not.toThrow();
      expect(ignoredOptions(options).map(([ignored]) => ignored)).toEqual([name]);
    },
  );

  it.each(REFUSED.flatMap(({ written, argument, why }) => written.map((flag) => [flag, argument, why])))(
    '%s is refused',
    (flag, argument, why) => {
      const options = optionsOf(`-c 127.0.0.1 ${flag}${argument}`);
      expect(() => checkUsage(options)).toThrow(why);
    },
  );

  it('are all in the table that the installed iperf3 has', ({ skip }) => {
    const { status, stdout } = spawnSync('iperf3', ['--help'], { encoding: 'utf8' });
    skip(status !== 0, 'iperf3 is not installed');
    const known = [...SAME_FLAGS.map(([flag]) => flag), ...[...IGNORED, ...REFUSED].flatMap(({ written }) => written)];
    const names = new Set(known.flatMap((flag) => flag.split(', ')));
    const theirs = [...stdout.matchAll(/^ {2}(-\w, )?(--[\w-]+)/gm)].flatMap(([, short, long]) => [
      short?.slice(0, 2),
      long,
    ]);
    expect(theirs.filter((flag) => flag !== undefined && !names.has(flag))).toEqual([]);
    expect(theirs.length).toBeGreaterThan(50);
  });

  it('stand in the document', async () => {
    const rows = [
      ...SAME_FLAGS.map(([flag, note]) => [flag, 'same', note]),
      ...IGNORED.map(({ written, why }) => [written.join(', '), 'no effect', why]),
      ...REFUSED.map(({ written, why }) => [written.join(', '), 'refused', why]),
    ];
    const table = rows.map(([flag, what, note]) => `| \`${flag}\` | ${what} | ${note} |\n`).join('');
    const head =
      "# iperf3's flags\n\nMade by `npm run docs:iperf3` from the table of options of `xpass perf`. [PERF](PERF.md) says how to use it.\n\n";
    const means =
      '*same*: means what it means there. *no effect*: accepted, said once on standard error, listed in the document as `ignored_options`. *refused*: ends with 2.\n\n';
    const readers =
      "\n## Readers of the document\n\nThese read the document of `xpass perf -J` as it is: iperf3's own `contrib/iperf3_to_gnuplot.py` (3.20), iperf3-python 0.1.11, and the parser of perfSONAR's pScheduler. Tests hold it to each key that they take. [0030](decisions/0030-iperf3-habits.md) says what else was looked at.\n";
    await expect(`${head}${means}| flag | here | note |\n|---|---|---|\n${table}${readers}`).toMatchFileSnapshot(
      '../../../docs/IPERF3.md',
    );
  });
});

describe('options of perf', () => {
  it.each([
    ['-c h -n 1M', 'bytes', 1_048_576],
    ['-c h -n1.5K', 'bytes', 1_536],
    ['-c h -n 1kB', 'bytes', 1_000],
    ['-c h -l 8K', 'length', 8_192],
    ['-c h -t 2', 'time', 2e9],
    ['-c h -i .5', 'interval', 5e8],
    ['-c h -i0', 'interval', 0],
    ['-c h -b 10M/8', 'bitrate', { rateBps: 10e6, burst: 8 }],
    ['-c h -b1.5G', 'bitrate', { rateBps: 1.5e9, burst: 0 }],
    ['-c h -b 0', 'bitrate', { rateBps: Number.POSITIVE_INFINITY, burst: 0 }],
    ['-c h -RP4', 'parallel', 4],
    ['-c h -A 1,2', 'affinity', { cpu: 1, serverCpu: 2 }],
    ['-c h --connect-timeout 300', 'connectTimeout', 3e8],
    ['-c h --timestamps', 'timestamps', '%c '],
    ['-s1', 'oneOff', true],
  ])('%s reads as iperf3 reads it', (line, name, value) => {
    expect((optionsOf(line) as Record<string, unknown>)[name]).toEqual(value);
  });

  it.each(['-c h -b fast', '-c h -b 1M/1001', '-c h -n 0', '-c h -A x', '-c h -w 1', '-c h -f x', '-c h -C vegas9'])(
    '%s is not allowed',
    (line) => {
      expect(() => optionsOf(line)).toThrow('is not allowed; allowed: ');
    },
  );
});
