// The measurement of docs/PERF-LOG.md, "Before and after": benchmarks of two built checkouts in turns, so that both meet the same machine.
//   node deploy/measurements/turns.mjs [--seconds S] BEFORE AFTER TURNS NAME...      folders of the checkouts, and names for `xpass bench`
//
// Each NAME runs TURNS times in each checkout, by the Node.js that runs this and by the checkout's own benchmark. A row has the least, the median and the most
// of the figures, and of their ratios to the bare program. "lower" and "higher" say that no figure and no ratio of one checkout reaches those of the other. Two
// equal builds come to that by chance in one row of 35 with four turns, of 126 with five, so fewer than four turns say nothing of it.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { seconds: { type: 'string' } }, allowPositionals: true });
const [before, after, turnsText, ...names] = positionals;
const turns = Number(turnsText);
const seconds = values.seconds === undefined ? [] : ['--seconds', values.seconds];
if (names.length === 0 || !Number.isInteger(turns) || turns < 1) {
  process.stderr.write('usage: node deploy/measurements/turns.mjs [--seconds S] BEFORE AFTER TURNS NAME...\n');
  process.exit(2);
}

/** Longer than all usual rows of a benchmark of loopback take (ours). */
const MOST_MS = 600_000;
const LEAST_TURNS = 4;

/** Rows of one run; none where it fails, which standard error and the exit code tell. */
function rowsOf(checkout, name) {
  const program = join(checkout, 'bin', 'xpass.mjs');
  const options = { timeout: MOST_MS, killSignal: 'SIGKILL', encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  try {
    const text = execFileSync(process.execPath, [program, 'bench', name, '--runs', '1', '--json', ...seconds], options);
    return JSON.parse(text).results;
  } catch (error) {
    process.stderr.write(`${checkout}: ${name} failed: ${error.message.split('\n', 1)[0]}\n`);
    process.exitCode = 1;
    return [];
  }
}

/** Adds the row of a run of BEFORE (0) or AFTER (1) to the figures of its name and unit. */
function note(rows, side, { name, unit, value, ratio }) {
  const key = `${name} | ${unit}`;
  if (!rows.has(key)) rows.set(key, { values: [[], []], ratios: [[], []] });
  const { values, ratios } = rows.get(key);
  if (value !== null) values[side].push(value);
  if (ratio !== null) ratios[side].push(ratio);
}

function play(name) {
  const rows = new Map();
  for (let turn = 0; turn < turns; turn++) {
    for (const side of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      for (const row of rowsOf([before, after][side], name)) note(rows, side, row);
    }
    process.stderr.write(`${name}: turn ${turn + 1} of ${turns}\n`);
  }
  return rows;
}

function spread(figures) {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
  return [sorted[0], middle, sorted.at(-1)];
}

function cell(figures) {
  if (figures.length === 0) return '-';
  const shown = spread(figures).map((figure) =>
    Math.abs(figure) >= 1000 ? Math.round(figure) : +figure.toPrecision(3),
  );
  return shown.join(' ') + (figures.length === turns ? '' : ` (${figures.length} turns)`);
}

/** Of AFTER: 1 where all are above those of BEFORE, -1 where all are below, 0 where the ranges overlap or say too little. */
function sideOf([ours, theirs]) {
  if (Math.min(ours.length, theirs.length) < LEAST_TURNS) return 0;
  if (Math.min(...theirs) > Math.max(...ours)) return 1;
  return Math.max(...theirs) < Math.min(...ours) ? -1 : 0;
}

function verdict({ values, ratios }) {
  const side = sideOf(values);
  if (side === 0 || (ratios.flat().length > 0 && sideOf(ratios) !== side)) return '';
  return side > 0 ? 'higher' : 'lower';
}

process.stdout.write('| row | unit | before: least, median, most | after | ratio before | ratio after | after is |\n');
process.stdout.write('|---|---|---|---|---|---|---|\n');
for (const name of new Set(names)) {
  for (const [key, row] of play(name)) {
    const cells = [key, ...row.values.map(cell), ...row.ratios.map(cell), verdict(row)];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}
