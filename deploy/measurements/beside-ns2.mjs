// The measurement of docs/PERF-LOG.md, "Simulator": one second of the dumbbells, by the authors' ns-2 code and by this simulator in turns, so that both meet
// the same machine. Prints wall times, s, and how many times as long this simulator takes.
//   NS=~/ns-allinone-2.35/ns-2.35/ns node deploy/measurements/beside-ns2.mjs [turns]
//
// NS is the program that the README of kaist-ina/ns2-xpass builds. Its time has the start of the process in it, 0.1 s, which ours has not.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { NS } = process.env;
const turns = Number(process.argv[2] ?? 3);
if (NS === undefined || !Number.isInteger(turns) || turns < 1) {
  process.stderr.write('usage: NS=PROGRAM node deploy/measurements/beside-ns2.mjs [turns]\n');
  process.exit(2);
}

const TCL = fileURLToPath(new URL('dumbbell.tcl', import.meta.url));
const XPASS = fileURLToPath(new URL('../../bin/xpass.mjs', import.meta.url));
/** Twenty times what a run takes on an idle core. */
const MOST_MS = 60_000;

function secondsOfNs2(pairs) {
  const folder = mkdtempSync(join(tmpdir(), 'xpass-ns2-'));
  const startMs = performance.now();
  try {
    execFileSync(NS, [TCL, String(pairs), '1.0'], {
      cwd: folder,
      timeout: MOST_MS,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return (performance.now() - startMs) / 1e3;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function secondsOfXpass(pairs) {
  const name = `sim/dumbbell/${pairs}/1s`;
  const options = { timeout: MOST_MS, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  const { results } = JSON.parse(
    execFileSync(process.execPath, [XPASS, 'bench', name, '--runs', '1', '--json'], options),
  );
  return results.find((row) => row.name === `${name}/wall`).value;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

for (const pairs of [2, 64]) {
  const runs = Array.from({ length: turns }, () => [secondsOfNs2(pairs), secondsOfXpass(pairs)]);
  const listed = runs.map(([ns2, ours]) => `${ns2.toFixed(2)} and ${ours.toFixed(2)}`).join(', ');
  const ratio = median(runs.map(([ns2, ours]) => ours / ns2));
  process.stdout.write(
    `${pairs} flows, ns-2 and xpass on Node.js ${process.versions.node}: ${listed} s; ${ratio.toFixed(2)} times\n`,
  );
}
