// Tested by test/loopback/demo.test.ts

import { access, constants, stat } from 'node:fs/promises';
import { displaySize } from '../../base/display.js';
import { ExitCode } from '../../base/exit-codes.js';
import { failureOf, usageFailure } from '../../base/failure.js';
import { LiveRegion } from '../../report/terminal.js';
import type { Invocation } from '../shared/command.js';
import { Roster } from '../shared/companion.js';
import type { Crew, DemoNetwork, DemoValues, NetworkValues } from './network.js';
import type { DEMO_OPTIONS } from './options.js';
import { prepare } from './prepare.js';
import { Recorder } from './recorder.js';
import { type DemoRun, demoResult, summaryLines } from './report.js';
import { DemoView } from './view.js';
import { runWebDemo } from './web-demo.js';

type DemoInvocation = Invocation<typeof DEMO_OPTIONS>;

/** How often the switch is asked for its ports. */
const POLL_MS = 100;

/** Runs the demonstration; 0 only if every file was verified. */
export async function runDemo(invocation: DemoInvocation): Promise<ExitCode> {
  const { options, results, onInterrupt, terminal } = invocation;
  const fileBytes = await checkFile(options);
  const ending = new AbortController();
  const crew: Crew = { roster: new Roster(), signal: ending.signal };
  const interrupted = new Promise<'interrupted'>((resolve) => onInterrupt(() => resolve('interrupted')));
  const view = new DemoView(new LiveRegion(terminal));
  if (options.web !== undefined) return runWebDemo(invocation, { fileBytes, crew, view, interrupted });
  const run = play(options, { fileBytes, crew, view });
  // When it is interrupted, the processes that it waits for end, and so does it; nobody waits for how.
  run.catch(() => {});
  try {
    const outcome = await Promise.race([run, interrupted]);
    if (outcome !== 'interrupted') return report(outcome, invocation, view);
    view.begin('interrupted: ending the processes');
    ending.abort();
    await crew.roster.stop();
    await run.catch(() => {});
  } finally {
    view.clear();
  }
  results.line('interrupted');
  return ExitCode.failed;
}

function report(run: DemoRun, { options, results }: DemoInvocation, view: DemoView): ExitCode {
  const result = demoResult(run);
  view.clear();
  if (options.json) results.json(result);
  else for (const line of summaryLines(result)) results.line(line);
  return result.files.every(({ verified }) => verified) ? ExitCode.done : ExitCode.failed;
}

interface Playing {
  readonly fileBytes: number;
  readonly crew: Crew;
  readonly view: DemoView;
}

/** Prepares the network, lets all senders go and watches until they have ended. */
async function play(given: DemoValues, { fileBytes, crew, view }: Playing): Promise<DemoRun> {
  const { network, values, choice } = await prepare({ given, fileBytes, crew, view });
  const recorder = new Recorder(values.senders, values.bytes);
  let durationS = 0;
  let failures: string[] = [];
  try {
    await network.rest();
    await network.impair(values.loss);
    // What the switch has counted so far is of the warm-up.
    await network.control.reset();
    view.begin(`sending ${displaySize(values.bytes)} from ${values.senders === 1 ? 'the' : 'each'} sender`);
    network.receiver.onEvent((event) => recorder.onReceiver(event, nowS()));
    const startS = nowS();
    network.go();
    await crew.roster.within(watch(network, { values, recorder, view }), 'the files did not arrive', {
      progress: () => progressOf(network, recorder),
    });
    durationS = nowS() - startS;
    failures = await failuresOf(network);
  } finally {
    await network.stop();
  }
  return { values, choice, recorder, durationS, failures };
}

/** What senders said that did not end well. */
async function failuresOf({ senders }: DemoNetwork): Promise<string[]> {
  const statuses = await Promise.all(senders.map(({ ended }) => ended));
  return senders.filter((_, index) => statuses[index] !== ExitCode.done).map((sender) => sender.failure().message);
}

/** Changes with every byte that arrives and every sender that ends. */
function progressOf({ senders }: DemoNetwork, { delivered, files }: Recorder): string {
  return [...delivered, files.size, senders.filter(({ isOver }) => isOver).length].join();
}

interface Watching {
  readonly values: NetworkValues;
  readonly recorder: Recorder;
  readonly view: DemoView;
}

async function watch(network: DemoNetwork, { values, recorder, view }: Watching): Promise<void> {
  let isOver = false;
  const ended = Promise.all(network.senders.map((sender) => sender.ended)).then(() => {
    isOver = true;
  });
  while (!isOver) {
    recorder.onSwitch(await network.control.ports(), nowS());
    view.draw(values, recorder);
    await Promise.race([ended, pause(POLL_MS)]);
  }
  recorder.onSwitch(await network.control.ports(), nowS());
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function nowS(): number {
  return performance.now() / 1e3;
}

/** Before anything is started: the file is one, can be read, and is long enough. Resolves with its length. */
async function checkFile({ file, bytes = 1 }: DemoValues): Promise<number> {
  try {
    await access(file, constants.R_OK);
    const found = await stat(file);
    if (!found.isFile()) throw usageFailure(`--file '${file}' is not a file; allowed: a regular file`);
    if (found.size < bytes) {
      const sizes = `${displaySize(found.size)} long, --bytes asks for ${displaySize(bytes)}`;
      throw usageFailure(`--file '${file}' is ${sizes}; allowed: as much as the file has`);
    }
    return found.size;
  } catch (error) {
    throw failureOf(error, `--file '${file}'`) ?? error;
  }
}
