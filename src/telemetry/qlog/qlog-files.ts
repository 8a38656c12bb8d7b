import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describeSystemError, isSystemError } from '../../base/system-errors.js';

/** Names the events of our own and what they say: docs/CAPTURES.md has the list. */
const EVENT_SCHEMA = 'urn:xpass:qlog:flow-events-01';
/** Begins each record of a JSON text sequence. RFC 7464 section 2.2 */
const RECORD_SEPARATOR = '\u001e';
/** Written together (ours): a system call for some 500 events. */
const BUFFERED_CHARACTERS = 65_536;
/** Files tell who talked to whom and when. */
const MODE = 0o600;

export interface QlogSettings {
  readonly directory: string;
  /** Of each file; what is left out is counted in its last event. */
  readonly sizeBytes: number;
  /** Flows with a file. */
  readonly files: number;
}

export interface QlogOptions extends QlogSettings {
  /** Wall time at the time 0 of the events, or null in virtual time. */
  readonly origin: Date | null;
  /** Nothing is written any more: one sentence. */
  onEnd(sentence: string): void;
}

/** Which flow a file is of. */
export interface LoggedFlow {
  readonly role: 'sender' | 'receiver';
  readonly hostId: number;
  readonly peer: number;
  readonly id: number;
}

type EventData = Readonly<Record<string, unknown>>;

/** The qlog files of a run, one for each end of a flow. */
export class QlogFiles {
  private readonly options: QlogOptions;
  private readonly names = new Set<string>();
  private readonly open = new Set<QlogFile>();
  private unlogged = 0;
  private isOver = false;

  /** Makes the directory. Throws the system's error. */
  constructor(options: QlogOptions) {
    this.options = options;
    mkdirSync(options.directory, { recursive: true });
  }

  /** The file of a flow; null when there are as many as are wanted. */
  readonly openLog = (flow: LoggedFlow): QlogFile | null => {
    if (this.isOver) return null;
    if (this.names.size === this.options.files) {
      this.unlogged++;
      return null;
    }
    const name = this.freeName(flow);
    const fail = (error: unknown): void => this.fail(error, name);
    try {
      const file = new QlogFile(openSync(join(this.options.directory, name), 'w', MODE), this.options, {
        onFailed: fail,
        onEnded: (ended) => this.open.delete(ended),
      });
      file.record(headerOf(flow, this.options.origin));
      this.open.add(file);
      return file;
    } catch (error) {
      fail(error);
      return null;
    }
  };

  /** Ends every file; returns a sentence for a log. */
  close(): string {
    for (const file of [...this.open]) file.end();
    const rest = this.unlogged === 0 ? '' : `; ${this.unlogged} more flows have none (--qlog-files)`;
    return `wrote ${this.names.size} qlog files in ${this.options.directory}${rest}`;
  }

  /** A flow id may come again. */
  private freeName({ role, hostId, peer, id }: LoggedFlow): string {
    const stem = `host-${hostId}-${role}-${id.toString(16).padStart(8, '0')}-peer-${peer}`;
    let name = `${stem}.sqlog`;
    for (let count = 2; this.names.has(name); count++) name = `${stem}-${count}.sqlog`;
    this.names.add(name);
    return name;
  }

  private fail(error: unknown, name: string): void {
    if (!isSystemError(error)) throw error;
    if (this.isOver) return;
    this.isOver = true;
    const path = join(this.options.directory, name);
    this.options.onEnd(describeSystemError(error, error.path === undefined ? path : undefined).sentence);
  }
}

interface FileOwner {
  onFailed(error: unknown): void;
  onEnded(file: QlogFile): void;
}

/** The events of one flow, in a JSON text sequence. */
export class QlogFile {
  private readonly fd: number;
  private readonly sizeBytes: number;
  private readonly owner: FileOwner;
  private buffered = '';
  private bytes = 0;
  private leftOut = 0;
  private lastNs = 0;
  private isFailed = false;

  constructor(fd: number, { sizeBytes }: QlogSettings, owner: FileOwner) {
    this.fd = fd;
    this.sizeBytes = sizeBytes;
    this.owner = owner;
  }

  event(atNs: number, name: string, data: EventData): void {
    this.lastNs = atNs;
    if (this.bytes >= this.sizeBytes) this.leftOut++;
    else this.record({ time: milliseconds(atNs), name: `xpass:${name}`, data });
  }

  record(value: object): void {
    const line = `${RECORD_SEPARATOR}${JSON.stringify(value)}\n`;
    this.bytes += line.length;
    this.buffered += line;
    if (this.buffered.length >= BUFFERED_CHARACTERS) this.flush();
  }

  end(): void {
    if (this.leftOut > 0) {
      const data = { count: this.leftOut, limit_bytes: this.sizeBytes };
      this.record({ time: milliseconds(this.lastNs), name: 'xpass:events_left_out', data });
    }
    this.flush();
    closeSync(this.fd);
    this.owner.onEnded(this);
  }

  private flush(): void {
    const text = this.buffered;
    this.buffered = '';
    if (this.isFailed) return;
    try {
      writeSync(this.fd, text);
    } catch (error) {
      this.isFailed = true;
      this.owner.onFailed(error);
    }
  }
}

function milliseconds(atNs: number): number {
  return Math.round(atNs) / 1e6;
}

/**
 * Both forms of header: `file_schema` of draft-ietf-quic-qlog-main-schema-10 and later, `qlog_version` and `qlog_format` by which qvis knows a file
 * (https://github.com/quiclog/qvis). Without `time_format` both take times as relative to the reference.
 */
function headerOf({ role, hostId, peer, id }: LoggedFlow, origin: Date | null): object {
  const flow = id.toString(16).padStart(8, '0');
  const title = `xpass flow ${flow}, ${role}`;
  return {
    file_schema: 'urn:ietf:params:qlog:file:sequential',
    serialization_format: 'application/qlog+json-seq',
    qlog_version: '0.3',
    qlog_format: 'JSON-SEQ',
    title,
    trace: {
      title,
      event_schemas: [EVENT_SCHEMA],
      vantage_point: { name: `host ${hostId}`, type: role === 'sender' ? 'client' : 'server' },
      common_fields: {
        group_id: flow,
        peer,
        protocol_types: ['XPASS'],
        reference_time: {
          clock_type: 'monotonic',
          epoch: 'unknown',
          ...(origin !== null && { wall_clock_time: origin.toISOString() }),
        },
      },
    },
  };
}
