// Tested by test/loopback/demo.test.ts

import { access, constants, stat } from 'node:fs/promises';
import type { Invocation } from '../shared/command.js';
import { displaySize } from '../shared/display.js';
import { ExitCode } from '../shared/exit-codes.js';
import { failureOf, usageFailure } from '../shared/failure.js';
import { Roster } from '../shared/roster.js';
import { LiveRegion } from '../shared/terminal.js';
import { type DemoValues, Lab } from './lab.js';
import type { DEMO_OPTIONS } from './options.js';
import { Recorder } from './recorder.js';
import { demoResult, summaryLines } from './report.js';
import { DemoView } from './view.js';

type DemoInvocation = Invocation<typeof DEMO_OPTIONS>;

/** How often the switch is asked for its ports. */
const POLL_MS = 100;

/** Runs the demonstration; 0 only if every file was verified. */
export async function runDemo(invocation: DemoInvocation): Promise<ExitCode> {
  const { options, results, onInterrupt, terminal } = invocation;
  await checkFile(options);
  const roster = new Roster();
  const interrupted = new Promise<'interrupted'>((resolve) => onInterrupt(() => resolve('interrupted')));
  const view = new DemoView(new LiveRegion(terminal), options);
  const run = play(options, roster, view);
  // When it is interrupted, the processes that it waits for end, and so does it; nobody waits for how.
  run.catch(() => {});
  const outcome = await Promise.race([run, interrupted]);
  if (outcome === 'interrupted') {
    await roster.stop();
    await run.catch(() => {});
    view.clear();
    results.line('interrupted');
    return ExitCode.failed;
  }
  view.clear();
  const result = demoResult(options, outcome.recorder, outcome.durationS);
  if (options.json) results.json(result);
  else for (const line of summaryLines(result)) results.line(line);
  return result.files.every(({ verified }) => verified) ? ExitCode.done : ExitCode.failed;
}

/** Starts the lab, lets all senders go and watches until they have ended. */
async function play(
  values: DemoValues,
  roster: Roster,
  view: DemoView,
): Promise<{ recorder: Recorder; durationS: number }> {
  const lab = await Lab.start(values, roster);
  // What the switch has counted so far is of the warm-up.
  await lab.control.reset();
  const recorder = new Recorder(values.senders, values.bytes);
  lab.receiver.onEvent((event) => recorder.onReceiver(event, nowS()));
  const startS = nowS();
  let durationS = 0;
  try {
    lab.go();
    const ended = Promise.all(lab.senders.map((sender) => sender.ended));
    await roster.within(watch(lab, { recorder, view, ended }), 'the files did not arrive', {
      progress: () => progressOf(lab, recorder),
    });
    durationS = nowS() - startS;
  } finally {
    await lab.stop();
  }
  return { recorder, durationS };
}

/** Changes with every byte that arrives and every sender that ends. */
function progressOf({ senders }: Lab, { delivered, files }: Recorder): string {
  return [...delivered, files.size, senders.filter(({ isOver }) => isOver).length].join();
}

interface Watching {
  recorder: Recorder;
  view: DemoView;
  ended: Promise<readonly number[]>;
}

async function watch(lab: Lab, { recorder, view, ended }: Watching): Promise<void> {
  let isOver = false;
  ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    recorder.onSwitch(await lab.control.ports(), nowS());
    view.draw(recorder);
    await Promise.race([ended, pause(POLL_MS)]);
  }
  recorder.onSwitch(await lab.control.ports(), nowS());
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function nowS(): number {
  return performance.now() / 1e3;
}

/** Before anything is started: the file is one, can be read, and is long enough. */
async function checkFile({ file, bytes }: DemoValues): Promise<void> {
  try {
    await access(file, constants.R_OK);
    const found = await stat(file);
    if (!found.isFile()) throw usageFailure(`--file '${file}' is not a file; allowed: a regular file`);
    if (found.size < bytes) {
      const sizes = `${displaySize(found.size)} long, --bytes asks for ${displaySize(bytes)}`;
      throw usageFailure(`--file '${file}' is ${sizes}; allowed: as much as the file has`);
    }
  } catch (error) {
    throw failureOf(error, `--file '${file}'`) ?? error;
  }
}
