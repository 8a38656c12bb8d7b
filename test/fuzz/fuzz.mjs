// `npm run fuzz`: runs the targets of targets.ts, each in a thread that it watches. Exits 1 with a file for each target that broke.
import { createHash, randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { root } from '../../.config/prepare.mjs';
import { buildWorker } from './build.mjs';

const CORPUS = 'test/fuzz/corpus';
const FOUND = join(root, 'fuzz-found');
/** An input that takes longer never ends: TRIES times MOST_MS of engine/trial.ts, and what shrinking takes in between. */
const SILENT_MS = 30_000;
/** Of the heap of one worker: what no input needs. */
const HEAP_MB = 512;
const RUNNING_BYTES = 1_048_576;

const USAGE = `Usage: npm run fuzz -- [TARGET...] [--minutes N] [--jobs N] [--seed N] [--corpus FOLDER] [--update] [--blind]
       npm run fuzz -- TARGET --replay FILE
       npm run fuzz -- --list

  --minutes  for each target; 1
  --jobs     targets at a time; 1
  --seed     of the mutations; any
  --corpus   where the inputs to begin with are; ${CORPUS}
  --update   writes the smallest inputs that reach what was reached there
  --blind    changes the corpus alone, without guidance: for comparison

Exits with 1 when a target broke; it names a file that reproduces it.`;

function fail(sentence) {
  process.stderr.write(`fuzz: ${sentence}\n${USAGE}\n`);
  process.exit(2);
}

function readArguments() {
  const options = {
    minutes: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    seed: { type: 'string' },
    corpus: { type: 'string', default: CORPUS },
    replay: { type: 'string' },
    update: { type: 'boolean', default: false },
    blind: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  };
  try {
    return parseArgs({ args: process.argv.slice(2), options, allowPositionals: true });
  } catch (error) {
    return fail(error.message);
  }
}

function numberOf(name, text) {
  const value = Number(text);
  return text !== '' && Number.isFinite(value) && value > 0
    ? value
    : fail(`--${name} '${text}' is not a number above 0`);
}

/** The names of the targets, as the table has them. */
function namesIn(path) {
  const worker = new Worker(path, { workerData: null });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

/** Runs one target; resolves with the files of what it found. */
function fuzz(path, order) {
  const running = new SharedArrayBuffer(8 + RUNNING_BYTES);
  const [lengths, bytes] = [new Int32Array(running, 0, 2), new Uint8Array(running, 8)];
  const worker = new Worker(path, {
    workerData: { ...order, running },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  return new Promise((resolve) => {
    let found = null;
    const note = (input, message) => {
      found ??= save(order.name, input, message);
    };
    const noteRunning = (message) => note(Buffer.from(bytes.slice(0, Math.min(lengths[0], bytes.length))), message);
    let [executions, heardMs] = [-1, Date.now()];
    const watch = setInterval(() => {
      if (lengths[1] !== executions) [executions, heardMs] = [lengths[1], Date.now()];
      if (Date.now() - heardMs < SILENT_MS) return;
      noteRunning(`an input never ends: nothing was heard for ${SILENT_MS / 1e3} s`);
      void worker.terminate();
    }, 1_000);
    worker.on('message', (message) => {
      if (message.kind === 'failed') note(message.input, message.message);
      else say(order.name, message);
    });
    worker.on('error', (error) => noteRunning(error.stack ?? String(error)));
    worker.on('exit', () => {
      clearInterval(watch);
      resolve(found);
    });
  });
}

function save(name, input, message) {
  const digest = createHash('sha256').update(input).digest('hex').slice(0, 12);
  const path = join(FOUND, `${name}-${digest}`);
  mkdirSync(FOUND, { recursive: true });
  writeFileSync(path, input);
  process.stderr.write(`fuzz: ${name}: ${message}\nfuzz: npm run fuzz -- ${name} --replay ${path}\n`);
  return path;
}

function say(name, { kind, executions, perSecond, edges, kept }) {
  const end = kind === 'done' ? ', done' : '';
  process.stderr.write(`fuzz: ${name}: ${executions} inputs, ${perSecond}/s, ${edges} edges, ${kept} kept${end}\n`);
}

async function inTurn(jobs, count) {
  const found = [];
  const next = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) found.push(await job());
  };
  await Promise.all(Array.from({ length: count }, next));
  return found.filter((path) => path !== null);
}

const { values, positionals } = readArguments();
if (values.help) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
const path = await buildWorker();
process.once('exit', () => rmSync(path, { force: true }));
const names = await namesIn(path);
if (values.list) {
  process.stdout.write(`${names.join('\n')}\n`);
  process.exit(0);
}
const unknown = positionals.find((name) => !names.includes(name));
if (unknown !== undefined) fail(`unknown target '${unknown}'; allowed: ${names.join(', ')}`);
if (values.replay !== undefined && positionals.length !== 1) fail('--replay needs one target');

const chosen = positionals.length > 0 ? positionals : names;
const seconds = numberOf('minutes', values.minutes) * 60;
const seed = values.seed === undefined ? randomInt(2 ** 31) : numberOf('seed', values.seed);
const jobCount = numberOf('jobs', values.jobs);
process.stderr.write(`fuzz: ${chosen.length} targets, ${seconds} s each, --seed ${seed}\n`);
const orders = chosen.map((name) => ({
  name,
  seconds,
  seed,
  isBlind: values.blind,
  isUpdate: values.update && !values.blind,
  corpus: resolve(root, values.corpus, `${name}.txt`),
  replay: values.replay === undefined ? null : readFileSync(values.replay),
}));
const found = await inTurn(
  orders.map((order) => () => fuzz(path, order)),
  jobCount,
);
if (found.length > 0)
  process.stderr.write(`fuzz: ${found.length} of ${chosen.length} targets broke: ${found.join(', ')}\n`);
process.exitCode = found.length > 0 ? 1 : 0;
