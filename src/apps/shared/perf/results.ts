import type { DriverStatistics } from '../../../udp/statistics.js';
import { Fault } from '../files/fault.js';
import type { Message } from '../files/message.js';
import type { Percentiles } from './histogram.js';

/** What became of the credits of all flows; those that are still on their way are in none of the last three. */
export interface CreditFates {
  /** In the measurement, and those that were under way when it began. */
  readonly sent: number;
  readonly used: number;
  /** Reached a sender that had nothing to send. */
  readonly wasted: number;
  /** Without an answer: dropped by a meter, or their data was lost. */
  readonly dropped: number;
}

/** What the receiver of the data measured: the truth about what arrived. */
export interface ReceivedResults {
  readonly bytes: number;
  /** From the first byte of any flow to the last. */
  readonly durationNs: number;
  /** Data frames, how many of them came without a credit, how many repaired a loss, and how many were filled; and the chunks of these. PROTOCOL §3.16 */
  readonly frames: number;
  readonly speculativeFrames: number;
  readonly repairedFrames: number;
  readonly filledFrames: number;
  readonly chunks: number;
  readonly flowBytes: readonly number[];
  /** Data frames that arrived marked CE. */
  readonly markedFrames: number;
  /** From a credit to the data frame that it released; none of flows without credits. */
  readonly rtt: Percentiles;
  /** Between credits of one flow on their way out. */
  readonly creditGap: Percentiles;
  readonly credits: CreditFates;
}

/** What the sender of the data measured. */
export interface SentResults {
  /** Between credits of one flow as they arrive. */
  readonly creditGap: Percentiles;
  /** From a data frame to its acknowledgement; only of flows without credits. */
  readonly rtt: Percentiles;
  /** Data frames that were taken for lost and sent again; null from a peer of an older version. */
  readonly lostFrames: number | null;
}

/** Seconds of a core that a process used. */
export interface CpuUse {
  readonly user: number;
  readonly system: number;
}

/** What went wrong in one side's driver during the test; null where the system does not tell. */
export interface DriverFigures {
  readonly datagramsIn: number;
  readonly datagramsOut: number;
  /** Frames that shared a datagram with others, and those datagrams. PROTOCOL §2.8 */
  readonly bundledFramesOut: number;
  readonly bundlesOut: number;
  readonly kernelDrops: number | null;
  readonly sendQueueFull: number;
  readonly holdOverflows: number;
  /** Wakes that were more than a millisecond late. */
  readonly lateWakes: number;
  readonly contentions: number;
  /** Who computes the check of its frames. */
  readonly frameCheck: string;
}

/** Everything that one side knows of a test. Exactly one of `received` and `sent` is there. */
export interface SideResults {
  /** Credit algorithm of this side; that of the data's receiver ruled the test. */
  readonly algorithm: string;
  readonly frameBytes: number;
  /** How it sends and receives datagrams; '' from a peer of an older version. */
  readonly datapath: string;
  /** Rate of its link; null for unlimited. */
  readonly linkBps: number | null;
  readonly received: ReceivedResults | null;
  readonly sent: SentResults | null;
  readonly cpu: CpuUse;
  readonly driver: DriverFigures | null;
}

/** What a driver counted since `before`. */
export function driverFigures(after: DriverStatistics, before: DriverStatistics | null): DriverFigures {
  const since = (field: Exclude<keyof DriverFigures, 'kernelDrops' | 'lateWakes' | 'frameCheck'>): number =>
    after[field] - (before?.[field] ?? 0);
  return {
    datagramsIn: since('datagramsIn'),
    datagramsOut: since('datagramsOut'),
    bundledFramesOut: since('bundledFramesOut'),
    bundlesOut: since('bundlesOut'),
    kernelDrops: after.kernelDrops === null ? null : after.kernelDrops - (before?.kernelDrops ?? 0),
    sendQueueFull: since('sendQueueFull'),
    holdOverflows: since('holdOverflows'),
    lateWakes: after.lateness.overMillisecond - (before?.lateness.overMillisecond ?? 0),
    contentions: since('contentions'),
    frameCheck: after.frameCheck,
  };
}

/** The results in a message of a peer, every number of them checked. */
export function parseResults(message: Message, flows: number): SideResults | Fault {
  try {
    const side = new Fields(message);
    return {
      algorithm: side.word('algorithm'),
      frameBytes: side.number('frameBytes'),
      datapath: side.has('datapath') ? side.word('datapath') : '',
      linkBps: side.has('linkBps') ? side.number('linkBps') : null,
      received: side.optional('received', (fields) => received(fields, flows)),
      sent: side.optional('sent', sent),
      cpu: cpu(side.object('cpu')),
      driver: side.optional('driver', driver),
    };
  } catch (error) {
    if (error instanceof Malformed)
      return new Fault('badMessage', `the peer's results make no sense: ${error.message}`);
    throw error;
  }
}

function received(fields: Fields, flows: number): ReceivedResults {
  return {
    bytes: fields.number('bytes'),
    durationNs: fields.number('durationNs'),
    frames: fields.number('frames'),
    speculativeFrames: fields.number('speculativeFrames'),
    repairedFrames: fields.number('repairedFrames'),
    filledFrames: fields.number('filledFrames'),
    chunks: fields.number('chunks'),
    flowBytes: fields.numbers('flowBytes', flows),
    markedFrames: fields.has('markedFrames') ? fields.number('markedFrames') : 0,
    rtt: percentiles(fields.object('rtt')),
    creditGap: percentiles(fields.object('creditGap')),
    credits: creditFates(fields.object('credits')),
  };
}

function sent(fields: Fields): SentResults {
  return {
    creditGap: percentiles(fields.object('creditGap')),
    rtt: percentiles(fields.object('rtt')),
    lostFrames: fields.has('lostFrames') ? fields.number('lostFrames') : null,
  };
}

function percentiles(fields: Fields): Percentiles {
  return {
    min: fields.numberOrNone('min'),
    mean: fields.numberOrNone('mean'),
    p50: fields.numberOrNone('p50'),
    p90: fields.numberOrNone('p90'),
    p99: fields.numberOrNone('p99'),
    p999: fields.numberOrNone('p999'),
    max: fields.numberOrNone('max'),
    count: fields.number('count'),
  };
}

function creditFates(fields: Fields): CreditFates {
  return {
    sent: fields.number('sent'),
    used: fields.number('used'),
    wasted: fields.number('wasted'),
    dropped: fields.number('dropped'),
  };
}

function cpu(fields: Fields): CpuUse {
  return { user: fields.number('user'), system: fields.number('system') };
}

function driver(fields: Fields): DriverFigures {
  const kernelDrops = fields.numberOrNone('kernelDrops');
  return {
    datagramsIn: fields.number('datagramsIn'),
    datagramsOut: fields.number('datagramsOut'),
    bundledFramesOut: fields.number('bundledFramesOut'),
    bundlesOut: fields.number('bundlesOut'),
    kernelDrops: Number.isNaN(kernelDrops) ? null : kernelDrops,
    sendQueueFull: fields.number('sendQueueFull'),
    holdOverflows: fields.number('holdOverflows'),
    lateWakes: fields.number('lateWakes'),
    contentions: fields.number('contentions'),
    frameCheck: fields.word('frameCheck'),
  };
}

/** A field that is missing or not what it must be; caught by parseResults. */
class Malformed extends Error {}

/** An object that a peer sent, field by field. By hand, since zod takes 90 ms to load, a third of what a short test takes. */
class Fields {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    if (typeof value !== 'object' || value === null) throw new Malformed('an object is missing');
    this.values = value as Readonly<Record<string, unknown>>;
  }

  number(name: string): number {
    const value = this.values[name];
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    throw new Malformed(`'${name}' is no number from 0 up`);
  }

  /** A peer of an older version leaves some out. */
  has(name: string): boolean {
    return this.values[name] !== undefined && this.values[name] !== null;
  }

  /** NaN, which JSON writes as null, for none. */
  numberOrNone(name: string): number {
    return this.values[name] === null ? Number.NaN : this.number(name);
  }

  numbers(name: string, count: number): number[] {
    const list = this.values[name];
    if (!Array.isArray(list) || list.length !== count) throw new Malformed(`'${name}' has not ${count} numbers`);
    const fields = new Fields(list);
    return list.map((_, at) => fields.number(String(at)));
  }

  /** A short word that is safe to show. */
  word(name: string): string {
    const value = this.values[name];
    if (typeof value === 'string' && /^[\w.-]{1,64}$/.test(value)) return value;
    throw new Malformed(`'${name}' is no word`);
  }

  object(name: string): Fields {
    return new Fields(this.values[name]);
  }

  optional<T>(name: string, read: (fields: Fields) => T): T | null {
    return this.values[name] === null ? null : read(this.object(name));
  }
}
