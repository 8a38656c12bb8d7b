// Tested by test/loopback/demo.test.ts

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { patienceMs } from '../../scenario/play/patience.js';
import { SwitchControl } from '../../services/control/client.js';
import { DEFAULT_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import type { CompanionOptions, Roster } from '../shared/companion.js';
import { Child, END_WITH_PARENT } from '../shared/companion.js';
import type { OptionValues } from '../shared/options.js';
import { creditAlgorithmOf, needsMarks, windowAlgorithmOf } from './mix.js';
import type { DEMO_OPTIONS } from './options.js';

export type DemoValues = OptionValues<typeof DEMO_OPTIONS>;

/** What a run is made of, the rate and the length chosen. */
export interface NetworkValues extends Omit<DemoValues, 'linkRate' | 'bytes'> {
  readonly linkRate: number;
  readonly bytes: number;
}

/** The processes that have been started, and whether more may be. */
export interface Crew {
  readonly roster: Roster;
  readonly signal: AbortSignal;
}

/** The receiver's host id; senders follow. */
const RECEIVER = 1;
/**
 * Data that may queue for the receiver, full frames. Measured from 5.3 to 7: more lets the queue exceed 10 frames or shares become unequal,
 * less leaves the link empty where cores are
 * busy (docs/decisions/0007-late-processes.md).
 */
const QUEUE_BOUND_FRAMES = 5.5;
/**
 * Marking threshold with reactive flows (ours): 2.5 ms at 100 Mbit/s, by which processes are late. C * RTT / 7 at an RTT of 3 ms would be three
 * frames; a sender that sleeps for a millisecond sends more at once.
 */
const MARKED_QUEUE = '20frames';
/** What is under way when a warm-up ends has arrived by then (ours). */
const REST_MS = 300;
/** How often the receiver says how far each file is. */
const PROGRESS_INTERVAL = '100ms';

/** Name under which sender `index` (from 0) stores its file. */
export function fileName(index: number): string {
  return `from-sender-${index + 1}`;
}

/** The processes of the demonstration: a switch with a link to each host, a receiver, and senders. */
export class DemoNetwork {
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
   * Starts everything and waits until each process is ready, the senders sending to nowhere. Throws a Failure with the words of the process that did not
   * start; what had started by then is stopped. `onReady` is called when one is ready.
   */
  static async start(values: NetworkValues, crew: Crew, onReady: () => void): Promise<DemoNetwork> {
    const directory = await mkdtemp(join(tmpdir(), 'xpass-demo-'));
    try {
      const fabric = spawn(crew, 'the switch', { args: switchArguments(values), isServer: true });
      const listening = await fabric.event('listening');
      onReady();
      const address = String(listening.address);
      const control = await SwitchControl.connect(String(listening.control), {
        timeoutMs: patienceMs(),
        lastHeard: () => crew.roster.lastHeard(),
      });
      const receiver = spawn(crew, 'the receiver', {
        args: receiverArguments(values, address, directory),
        isServer: true,
      });
      const senders = Array.from({ length: values.senders }, (_, index) =>
        spawn(crew, `sender ${index + 1}`, { args: senderArguments(values, address, index), mayFail: true }),
      );
      await Promise.all([
        receiver.event('listening').then(onReady),
        ...senders.map((sender) => sender.event('ready').then(onReady)),
      ]);
      return new DemoNetwork({ control, roster: crew.roster, receiver, senders, directory });
    } catch (error) {
      await crew.roster.stop();
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** Has every link lose this part of all frames, each way. */
  async impair(lossRate: number): Promise<void> {
    if (lossRate === 0) return;
    const { ports } = await this.control.ports();
    for (const link of new Set(ports.map((port) => port.link))) await this.control.setLink(link, { lossRate });
  }

  /** Ends the warm-up, and waits until nothing of it is under way: flows that begin in a queue take it for their shortest RTT. */
  async rest(): Promise<void> {
    const ready = Promise.all(this.senders.map((sender) => sender.event('ready')));
    for (const sender of this.senders) sender.say('rest');
    await ready;
    await this.roster.unlessLost(sleep(REST_MS));
  }

  /** All senders begin. */
  go(): void {
    for (const sender of this.senders) sender.say('go');
  }

  /** Resolves when all processes have ended and nothing of theirs is left on the disk. */
  async stop(): Promise<void> {
    this.control.close();
    await this.roster.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

interface Spawned extends Pick<CompanionOptions, 'isServer' | 'mayFail'> {
  readonly args: readonly string[];
}

function spawn({ roster, signal }: Crew, name: string, { args, ...options }: Spawned): Child {
  signal.throwIfAborted();
  return new Child(name, args, END_WITH_PARENT, { roster, ...options });
}

/** How all processes wait and send. Many on few cores: spinning ones would keep the others from running. */
function driverArguments({ datapath }: NetworkValues): string[] {
  return ['--spin', 'never', '--datapath', datapath];
}

function switchArguments(values: NetworkValues): string[] {
  const { senders, linkRate } = values;
  const topology = ['--topology', 'star', '--hosts', String(senders + 1), '--link-rate', `${linkRate}bit`];
  return [
    'switch',
    '--listen',
    '127.0.0.1:0',
    ...topology,
    ...(needsMarks(values.algorithm) ? ['--ecn-threshold', MARKED_QUEUE] : []),
    '--json',
    ...driverArguments(values),
  ];
}

function queueBoundNs(rateBps: number): number {
  return Math.round((QUEUE_BOUND_FRAMES * wireBytes(DEFAULT_FRAME_BYTES) * 8e9) / rateBps);
}

function receiverArguments(values: NetworkValues, address: string, directory: string): string[] {
  const place = ['--switch', address, '--host-id', String(RECEIVER), '--directory', directory];
  const reports = ['--json', '--interval', PROGRESS_INTERVAL];
  return [
    'daemon',
    ...place,
    '--algorithm',
    creditAlgorithmOf(values.algorithm),
    '--queue-bound',
    `${queueBoundNs(values.linkRate)}ns`,
    ...reports,
    ...driverArguments(values),
  ];
}

function senderArguments(values: NetworkValues, address: string, index: number): string[] {
  const { file, bytes } = values;
  const place = ['--switch', address, '--host-id', String(RECEIVER + 1 + index), '--to', String(RECEIVER)];
  const what = ['--bytes', String(bytes), '--as', fileName(index)];
  const window = windowAlgorithmOf(values.algorithm, index);
  const how = window === null ? [] : ['--algorithm', window];
  return ['send', file, ...what, ...how, ...place, '--warm-up', 'hold', '--hold', '--json', ...driverArguments(values)];
}
