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

/** Senders that a page may ask for where the run began with fewer (ours: as many processes as a laptop bears). */
const WEB_SENDERS = 8;

/** As many as there are places for at the switch. */
export function mostSenders({ senders, web }: Pick<DemoValues, 'senders' | 'web'>): number {
  return web === undefined ? senders : Math.max(senders, WEB_SENDERS);
}

/** Name under which sender `index` (from 0) stores its file. */
export function fileName(index: number): string {
  return `from-sender-${index + 1}`;
}

/** The processes of the demonstration: a switch with a link to each host, a receiver, and senders. */
export class DemoNetwork {
  readonly control: SwitchControl;
  private readonly parts: NetworkParts;
  private current: Child;
  private others: Child[];

  private constructor(parts: NetworkParts & { control: SwitchControl; receiver: Child; senders: Child[] }) {
    this.control = parts.control;
    this.parts = parts;
    this.current = parts.receiver;
    this.others = parts.senders;
  }

  get receiver(): Child {
    return this.current;
  }

  get senders(): readonly Child[] {
    return this.others;
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
      const parts = { crew, address, directory };
      const receiver = spawnReceiver(values, parts);
      const senders = Array.from({ length: values.senders }, (_, index) => spawnSender(values, parts, index));
      await Promise.all([
        receiver.event('listening').then(onReady),
        ...senders.map((sender) => sender.event('ready').then(onReady)),
      ]);
      return new DemoNetwork({ control, receiver, senders, ...parts });
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
    await this.parts.crew.roster.unlessLost(sleep(REST_MS));
  }

  /** All senders begin. */
  go(): void {
    for (const sender of this.senders) sender.say('go');
  }

  /** Resolves when all processes have ended and nothing of theirs is left on the disk. */
  async stop(): Promise<void> {
    const { crew, directory } = this.parts;
    this.control.close();
    await crew.roster.stop();
    await rm(directory, { recursive: true, force: true });
  }

  /** Has as many senders send to nowhere as `values` say: starts some, or ends the last ones. */
  async setSenders(values: NetworkValues): Promise<void> {
    const { roster } = this.parts.crew;
    const leaving = this.others.splice(values.senders);
    await Promise.all(leaving.map((sender) => roster.dismiss(sender)));
    const coming = Array.from({ length: values.senders - this.others.length }, (_, at) =>
      spawnSender(values, this.parts, this.others.length + at),
    );
    this.others.push(...coming);
    await Promise.all(coming.map((sender) => sender.event('ready')));
  }

  /** Starts receiver and senders anew, with the algorithm of `values`. */
  async setAlgorithm(values: NetworkValues): Promise<void> {
    const { roster } = this.parts.crew;
    await Promise.all([this.current, ...this.others.splice(0)].map((process) => roster.dismiss(process)));
    this.current = spawnReceiver(values, this.parts);
    await this.current.event('listening');
    await this.setSenders(values);
  }
}

/** What processes need to find each other. */
interface NetworkParts {
  readonly crew: Crew;
  /** Of the switch. */
  readonly address: string;
  /** Of the receiver. */
  readonly directory: string;
}

function spawnReceiver(values: NetworkValues, { crew, address, directory }: NetworkParts): Child {
  return spawn(crew, 'the receiver', { args: receiverArguments(values, address, directory), isServer: true });
}

function spawnSender(values: NetworkValues, { crew, address }: NetworkParts, index: number): Child {
  return spawn(crew, `sender ${index + 1}`, { args: senderArguments(values, address, index), mayFail: true });
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

/** What is shown is how credits keep queues short: data without credits would be in them too. */
const CREDITS_ALONE = '--no-speculative';

function switchArguments(values: NetworkValues): string[] {
  const { linkRate } = values;
  const topology = ['--topology', 'star', '--hosts', String(mostSenders(values) + 1), '--link-rate', `${linkRate}bit`];
  return [
    'switch',
    '--listen',
    '127.0.0.1:0',
    ...topology,
    // A page may ask for window algorithms later.
    ...(needsMarks(values.algorithm) || values.web !== undefined ? ['--ecn-threshold', MARKED_QUEUE] : []),
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
    CREDITS_ALONE,
    ...driverArguments(values),
  ];
}

function senderArguments(values: NetworkValues, address: string, index: number): string[] {
  const { file, bytes } = values;
  const place = ['--switch', address, '--host-id', String(RECEIVER + 1 + index), '--to', String(RECEIVER)];
  const what = ['--bytes', String(bytes), '--as', fileName(index)];
  const window = windowAlgorithmOf(values.algorithm, index);
  const how = window === null ? [] : ['--algorithm', window];
  const run = ['--warm-up', 'hold', '--hold', '--json', CREDITS_ALONE];
  return ['send', file, ...what, ...how, ...place, ...run, ...driverArguments(values)];
}
