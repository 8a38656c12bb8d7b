import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALGORITHM_NAMES } from '../../../src/core/algorithms.js';
import { runLine } from '../../harness/run-line.js';
import { scratchDirectory } from '../../harness/scratch.js';

/** The script for a shell, in a file. */
async function scriptFor(shell: string): Promise<string> {
  const { out } = await runLine(['completion', shell]);
  const path = join(await scratchDirectory(), `xpass.${shell}`);
  await writeFile(path, out);
  return path;
}

/** What a shell prints; undefined where it is not installed. */
function printedBy(shell: string, ...args: string[]): string | undefined {
  const { error, stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8' });
  return error === undefined ? stdout + stderr : undefined;
}

const notInstalled = (shell: string): string => `${shell} is not installed`;
const algorithms = (start: string): string[] => ALGORITHM_NAMES.filter((name) => name.startsWith(start));

/** The words of a command line, the last one unfinished, and what completes it. bash takes `=` for a word of its own. */
const CASES: readonly (readonly [words: readonly string[], completions: readonly string[]])[] = [
  [['sw'], ['switch']],
  [['switch', 'c'], ['ctl']],
  [
    ['switch', 'ctl', ''],
    ['ports', 'link', 'reset'],
  ],
  [['perf', '--alg'], ['--algorithm']],
  [['perf', '--algorithm', 's'], algorithms('s')],
  [['perf', '-C', 'dc'], ['dctcp']],
  [['send', '--to', '7', '--datapath', 'm'], ['mmsg']],
  [['send', '--log-f'], ['--log-format']],
  [['completion', 'z'], ['zsh']],
];

describe('completion', () => {
  it.for(['bash', 'zsh', 'fish'])('is a script that %s can read', async (shell, { skip }) => {
    const said = printedBy(shell, '-n', await scriptFor(shell));
    skip(said === undefined, notInstalled(shell));
    expect(said).toBe('');
  });

  it('completes commands, options and values in bash', async ({ skip }) => {
    const each = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _xpass; echo "\${COMPREPLY[*]}"`;
    const path = await scriptFor('bash');
    const complete = (...words: string[]) => printedBy('bash', '-c', `source "$0"; ${each}`, path, 'xpass', ...words);
    skip(complete('') === undefined, notInstalled('bash'));
    for (const [words, completions] of CASES) expect(complete(...words)).toBe(`${completions.join(' ')}\n`);
    expect(complete('perf', '--algorithm', '=')).toBe(`${ALGORITHM_NAMES.join(' ')}\n`);
    expect(complete('perf', '--algorithm', '=', 'hu')).toBe('hull\n');
    // Files are bash's own business.
    expect(complete('perf', '--key', '')).toBe('\n');
    expect(complete('send', '')).toBe('\n');
  });

  it('completes the same in fish', async ({ skip }) => {
    const path = await scriptFor('fish');
    for (const [words, completions] of CASES) {
      const said = printedBy('fish', '-c', `source ${path}; complete -C "xpass ${words.join(' ')}"`);
      skip(said === undefined, notInstalled('fish'));
      const offered = said
        ?.trim()
        .split('\n')
        .map((line) => line.split('\t')[0]);
      // fish sorts, and offers files where a word may stand.
      expect(offered).toEqual(expect.arrayContaining([...completions]));
    }
  });

  it('offers zsh the options of the command on the line', async ({ skip }) => {
    const stubs = 'compdef() { :; }; _arguments() { print -l -- "$words" "$@"; }';
    const path = await scriptFor('zsh');
    const program = `${stubs}; source "$0"; words=("$@"); CURRENT=$#; _xpass`;
    const said = printedBy('zsh', '-f', '-c', program, path, 'xpass', 'switch', 'ctl', '--json', '');
    skip(said === undefined, notInstalled('zsh'));
    const [line, ...specs] = (said ?? '').trimEnd().split('\n');
    expect(line).toBe('ctl --json ');
    expect(specs).toContain('*--json[print one JSON object]');
    expect(specs).toContain('1:word:((ports link reset))');
    expect(specs.find((spec) => spec.startsWith('*--log-format='))).toMatch(/:value:\(text json\)$/);
  });

  it('is refused for a shell that it does not know', async () => {
    const { exitCode, err } = await runLine(['completion', 'fisch']);
    expect([exitCode, err]).toEqual([2, expect.stringContaining("did you mean 'fish'?; allowed: bash, zsh, fish")]);
  });
});
