// Tested by test/loopback/demo.test.ts

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child, type ChildEvent, END_WITH_PARENT } from '../shared/child.js';
import type { CompanionOptions } from '../shared/companion.js';
import type { OptionValues } from '../shared/options.js';
import { patienceMs } from '../shared/patience.js';
import type { Roster } from '../shared/roster.js';
import { SwitchControl } from '../shared/switch-control.js';
import { creditAlgorithmOf, needsMarks, windowAlgorithmOf } from './mix.js';
import type { DEMO_OPTIONS } from './options.js';

export type DemoValues = OptionValues<typeof DEMO_OPTIONS>;

/** The receiver's host id; senders follow. */
const RECEIVER = 1;
/**
 * All senders send to nowhere for so long before the run: measured, a process takes about two seconds of such traffic until its code is compiled
 * (docs/decisions/0007-late-processes.md).
 */
const WARM_UP_S = 3;
const REHEARSAL_BYTES = 8 * 1024 * 1024;
/**
 * Where the switch marks if reactive flows are there (ours): the 2.5 ms at 100 Mbit/s that processes are late by. C * RTT / 7 of an RTT of 3 ms would be three frames, and a sender that sleeps
 * for a millisecond leaves more at once.
 */
const MARKED_QUEUE = '20frames';
/** How often the receiver says how far each file is. */
const PROGRESS_INTERVAL = '100ms';

/** Name under which sender `index` (from 0) stores its file. */
export function fileName(index: number): string {
  return `from-sender-${index + 1}`;
}

/** The processes of the demonstration: a switch with a link to each host, a receiver, and senders. */
export class Lab {
  readonly control: SwitchControl;
  readonly receiver: Child;
  readonly senders: readonly Child[];
  private readonly roster: Roster;
  private readonly directory: string;

  private constructor(parts: {
    control: SwitchControl;
    roster: Roster;
    receiver: Child;
    senders: Child[];
    directory: string;
  }) {
    this.control = parts.control;
    this.roster = parts.roster;
    this.receiver = parts.receiver;
    this.senders = parts.senders;
    this.directory = parts.directory;
  }

  /**
   * Starts everything and waits until each process is ready, the senders holding their files. Throws a Failure with the words of the process that did not
   * start; what had started by then is stopped. `roster` gets each process as it starts.
   */
  static async start(values: DemoValues, roster: Roster): Promise<Lab> {
    const directory = await mkdtemp(join(tmpdir(), 'xpass-demo-'));
    try {
      const fabric = spawn('the switch', switchArguments(values), { roster, isServer: true });
      const listening = await fabric.event('listening');
      const address = String(listening.address);
      const control = await SwitchControl.connect(String(listening.control), {
        timeoutMs: patienceMs(),
        lastHeard: () => roster.lastHeard(),
      });
      const receiver = spawn('the receiver', receiverArguments(values, address, directory), { roster, isServer: true });
      await receiver.event('listening');
      await rehearse(values, address, { roster, receiver });
      const senders = await startSenders(values, address, roster);
      return new Lab({ control, roster, receiver, senders, directory });
    } catch (error) {
      await roster.stop();
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** All senders begin. */
  go(): void {
    for (const sender of this.senders) sender.say('go');
  }

  /** Resolves with the receiver's summary when all processes have ended and nothing of theirs is left on the disk. */
  async stop(): Promise<ChildEvent | null> {
    let summary: ChildEvent | null = null;
    this.receiver.onEvent((event) => {
      if (event.event === 'summary') summary = event;
    });
    this.control.close();
    await this.roster.stop();
    await rm(this.directory, { recursive: true, force: true });
    return summary;
  }
}

/** Sends a short file in the place of the first sender, so that the receiver has compiled what it does with files. */
async function rehearse(
  values: DemoValues,
  address: string,
  { roster, receiver }: { roster: Roster; receiver: Child },
): Promise<void> {
  const bytes = Math.min(values.bytes, REHEARSAL_BYTES);
  const place = ['--switch', address, '--host-id', String(RECEIVER + 1), '--to', String(RECEIVER)];
  const what = ['--bytes', String(bytes), '--as', 'rehearsal', '--json'];
  const args = ['send', values.file, ...what, ...place, ...driverArguments(values)];
  let delivered = '';
  receiver.onEvent(({ event, flows }) => {
    if (event === 'progress') delivered = JSON.stringify(flows);
  });
  await spawn('the rehearsal', args, { roster }).result({ progress: () => delivered });
}

async function startSenders(values: DemoValues, address: string, roster: Roster): Promise<Child[]> {
  const senders = Array.from({ length: values.senders }, (_, index) =>
    spawn(`sender ${index + 1}`, senderArguments(values, address, index), { roster, mayFail: true }),
  );
  await Promise.all(senders.map((sender) => sender.event('ready', { takesMs: WARM_UP_S * 1e3 })));
  return senders;
}

function spawn(name: string, args: readonly string[], options: CompanionOptions): Child {
  return new Child(name, args, END_WITH_PARENT, options);
}

/** How all processes wait and send. Many on few cores: spinning ones would keep the others from running. */
function driverArguments({ datapath }: DemoValues): string[] {
  return ['--spin', 'never', '--datapath', datapath];
}

function switchArguments(values: DemoValues): string[] {
  const { senders, linkRate, loss } = values;
  const topology = ['--topology', 'star', '--hosts', String(senders + 1), '--link-rate', `${linkRate}bit`];
  return [
    'switch',
    '--listen',
    '127.0.0.1:0',
    ...topology,
    '--loss',
    String(loss),
    ...(needsMarks(values.algorithm) ? ['--ecn-threshold', MARKED_QUEUE] : []),
    '--json',
    ...driverArguments(values),
  ];
}

function receiverArguments(values: DemoValues, address: string, directory: string): string[] {
  const place = ['--switch', address, '--host-id', String(RECEIVER), '--directory', directory];
  const reports = ['--json', '--interval', PROGRESS_INTERVAL];
  return [
    'daemon',
    ...place,
    '--algorithm',
    creditAlgorithmOf(values.algorithm),
    ...reports,
    ...driverArguments(values),
  ];
}

function senderArguments(values: DemoValues, address: string, index: number): string[] {
  const { file, bytes } = values;
  const place = ['--switch', address, '--host-id', String(RECEIVER + 1 + index), '--to', String(RECEIVER)];
  const what = ['--bytes', String(bytes), '--as', fileName(index)];
  const window = windowAlgorithmOf(values.algorithm, index);
  const how = window === null ? [] : ['--algorithm', window];
  return [
    'send',
    file,
    ...what,
    ...how,
    ...place,
    '--warm-up',
    `${WARM_UP_S}s`,
    '--hold',
    '--json',
    ...driverArguments(values),
  ];
}
