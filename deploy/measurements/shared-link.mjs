// The table of docs/SCENARIOS.md, "One link, any algorithm": each algorithm over processes and a link of 100 Mbit/s, with 2 and 8 flows, and EC4 beside DCTCP.
// node deploy/measurements/shared-link.mjs [name...]
//
// `taken` is the share of the cores' time that the host of a virtual machine took for others (`steal` in proc_stat(5)): a run with more than 1 % of it
// says little of the program.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { flows, cases } = JSON.parse(readFileSync(here('shared-link.json'), 'utf8'));
const names = process.argv.slice(2);

function stolenS() {
  return Number(readFileSync('/proc/stat', 'utf8').split(/\s+/, 9)[8]) / 100;
}

async function lab(file, set) {
  const [fromS, fromMs] = [stolenS(), performance.now()];
  const args = [here('../../bin/xpass.mjs'), 'lab', here(`../scenarios/${file}.yaml`), '--json'];
  const { stdout } = await run(process.execPath, [...args, ...set.flatMap((change) => ['--set', change])], {
    maxBuffer: 64 << 20,
  });
  const taken = (stolenS() - fromS) / cpus().length / ((performance.now() - fromMs) / 1e3);
  return { ...JSON.parse(stdout), taken };
}

function row(name, count, { utilisation, jain, links, taken }, more = '') {
  const queueBytes = links.find((link) => link.name === 's1->h1').data_queue_bytes_mean;
  const cells = [
    utilisation.toFixed(3),
    jain.toFixed(3),
    (queueBytes / 1e3).toFixed(0),
    `${(100 * taken).toFixed(1)} %`,
  ];
  console.log(`| \`${name}\`${more} | ${count} | ${cells.join(' | ')} |`);
}

function ratio(result) {
  const sum = (group) =>
    result.flows.filter((flow) => flow.group === group).reduce((all, flow) => all + flow.goodput_bps, 0);
  return (sum('credits') / sum('dctcp')).toFixed(2);
}

const isAsked = (name) => names.length === 0 || names.includes(name);
console.log('| algorithm | flows | utilisation | Jain, 1 s | mean queue, kB | taken |\n|---|---|---|---|---|---|');
for (const { name, set } of cases.filter((each) => isAsked(each.name))) {
  for (const count of flows) row(name, count, await lab('shared-link', [...set, `topology.hosts=${count + 1}`]));
}
if (isAsked('mix')) {
  const mix = await lab('ec4-beside-dctcp', []);
  row('ec4', '2 + 2', mix, ` and \`dctcp\`, ratio ${ratio(mix)}`);
}
