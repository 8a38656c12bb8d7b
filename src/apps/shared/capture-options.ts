// Tested by test/loopback/capture.test.ts

import type { Logger } from 'pino';
import { size } from '../../base/quantities.js';
import { integer, text } from '../../base/value-kind.js';
import type { FlowTrace } from '../../core/flow-trace.js';
import { FlowTracer } from '../../core/flow-tracer.js';
import type { HostWatch } from '../../net/host-watch.js';
import { KeyLog } from '../../net/key-log.js';
import type { OnSecret } from '../../net/keys.js';
import type { LinkDirection } from '../../switch/link-direction.js';
import { PORT_DROP_NAMES } from '../../switch/port-statistics.js';
import {
  Capture,
  type CapturedPort,
  type CaptureSettings,
  type CaptureSummary,
  captureSentence,
} from '../../telemetry/capture/capture.js';
import { FILTER_WORDS } from '../../telemetry/capture/filter.js';
import { addressBytes, endsOfHosts, newMadeUpEnds } from '../../telemetry/capture/ip-headers.js';
import { QlogFiles, type QlogSettings } from '../../telemetry/qlog/qlog-files.js';
import type { UdpAddress } from '../../udp/address.js';
import type { Source } from '../../udp/datapath.js';
import type { DatagramTap } from '../../udp/tapped-datapath.js';
import { monotonicNs } from '../../udp/wake.js';
import { destinationHost, sourceHost } from '../../wire/decode.js';
import type { Frame } from '../../wire/frame.js';
import type { FrameTap } from '../../wire/frame-tap.js';
import { MAX_FRAME_BYTES } from '../../wire/layout.js';
import { type OptionSpec, type OptionValues, option, optionalOption } from './options.js';

/** Smallest qlog file: its header and some events (ours). */
const LEAST_QLOG_BYTES = 10_000;
/** Smallest file: eight of the longest packets (ours). */
const LEAST_SIZE_BYTES = 1_000_000;
/** Files of a ring that a directory still lists (ours). */
const MOST_FILES = 10_000;
/** Addresses that are kept as bytes (ours): more peers than a host usually has. */
const MOST_ADDRESSES = 1_000;
/** Both headers of a frame, which filters need (ours). */
const LEAST_SNAP_BYTES = 40;
/** Ours: every frame without payload whole, HELLO (184) too. docs/decisions/0029-captures.md */
const SWITCH_SNAP_BYTES = 256;

/** The options of every command whose frames can be captured. */
export const CAPTURE_OPTIONS = {
  capture: optionalOption(text('a file, as lab.pcapng'), {
    describe: 'write every frame into this file, for Wireshark (docs/CAPTURES.md)',
  }),
  captureFilter: optionalOption(text(FILTER_WORDS), { describe: 'capture only frames for which this holds' }),
  captureSize: option(size({ lowest: LEAST_SIZE_BYTES }), {
    describe: 'bytes of a capture file, after which the capture ends, or goes on in the next of --capture-files',
    defaultText: '1GB',
  }),
  captureFiles: option(integer({ lowest: 1, highest: MOST_FILES }), {
    describe: 'newest files to keep, numbered: a ring',
    defaultText: '1',
  }),
  captureSnaplen: snapOption(MAX_FRAME_BYTES),
};

/** The same for a switch. */
export const SWITCH_CAPTURE_OPTIONS = { ...CAPTURE_OPTIONS, captureSnaplen: snapOption(SWITCH_SNAP_BYTES) };

function snapOption(usualBytes: number): OptionSpec<number> {
  return option(size({ lowest: LEAST_SNAP_BYTES, highest: MAX_FRAME_BYTES }), {
    describe: 'bytes of each datagram to keep',
    defaultText: `${usualBytes}B`,
  });
}

/** The options of every command whose flows can be traced. */
export const QLOG_OPTIONS = {
  qlog: optionalOption(text('a directory'), {
    describe: 'write the events of each flow into a file there, for qvis and xpass trace (docs/CAPTURES.md)',
  }),
  qlogSize: option(size({ lowest: LEAST_QLOG_BYTES }), {
    describe: 'bytes of a qlog file; what is left out is counted at its end',
    defaultText: '16MB',
  }),
  qlogFiles: option(integer({ lowest: 1, highest: MOST_FILES }), {
    describe: 'flows with a qlog file: the first ones',
    defaultText: '100',
  }),
};

/** The option of every command whose frames can be sealed. */
export const KEYLOG_OPTIONS = {
  keylog: optionalOption(text('a file'), {
    describe: 'append the secret of each association with keys: it opens captures (docs/CAPTURES.md)',
  }),
};

type CaptureValues = OptionValues<typeof CAPTURE_OPTIONS>;
type QlogValues = OptionValues<typeof QLOG_OPTIONS>;

/** The options of a host that somebody looks at. */
export type WatchValues = CaptureValues & QlogValues & OptionValues<typeof KEYLOG_OPTIONS>;

/** Undefined without `--capture`. */
export function captureSettings(options: CaptureValues): CaptureSettings | undefined {
  const { capture: path, captureFilter: filter, captureSize, captureFiles: files, captureSnaplen } = options;
  return path === undefined ? undefined : { path, filter, sizeBytes: captureSize, files, snapBytes: captureSnaplen };
}

/** Undefined without `--qlog`. */
export function qlogSettings({ qlog: directory, qlogSize, qlogFiles: files }: QlogValues): QlogSettings | undefined {
  return directory === undefined ? undefined : { directory, sizeBytes: qlogSize, files };
}

/** What looks at a host as its command's options say; undefined without any. Throws where a file cannot be written. */
export function hostWatch(options: WatchValues, logger: Logger): HostWatch | undefined {
  const [settings, qlog] = [captureSettings(options), qlogSettings(options)];
  const { keylog } = options;
  if (settings === undefined && qlog === undefined && keylog === undefined) return undefined;
  const datagrams = settings === undefined ? null : new SocketCapture(settings, logger);
  return {
    ...(qlog !== undefined && { flows: flowTrace(qlog, logger) }),
    ...(keylog !== undefined && { secrets: keyLog(keylog, logger) }),
    ...(datagrams !== null && { datagrams, nic: datagrams.nic }),
  };
}

function keyLog(path: string, logger: Logger): OnSecret {
  logger.warn(`--keylog: whoever can read '${path}' can read what this host sends and receives`);
  return new KeyLog(path, (sentence) => logger.warn(`the key log ends: ${sentence}`)).append;
}

/** A flow's file is whole once the flow is over. What the process leaves open when it ends is written then. */
function flowTrace(settings: QlogSettings, logger: Logger): (hostId: number) => FlowTrace {
  const onEnd = (sentence: string): void => logger.warn(`the qlog ends: ${sentence}`);
  const origin = new Date(Date.now() - monotonicNs() / 1e6);
  const files = new QlogFiles({ ...settings, origin, onEnd });
  process.once('exit', () => files.close());
  return (hostId) => new FlowTracer(hostId, files.openLog);
}

/** A capture of a process, with a log of how it ends. */
export class ProcessCapture {
  readonly capture: Capture;
  private readonly logger: Logger;

  /** Throws what `Capture` throws. */
  constructor(settings: CaptureSettings, ports: readonly CapturedPort[], logger: Logger) {
    this.logger = logger;
    this.capture = new Capture({
      ...settings,
      ports,
      dropNames: PORT_DROP_NAMES,
      originNs: BigInt(Date.now()) * 1_000_000n - BigInt(Math.round(monotonicNs())),
      onEnd: (sentence) => logger.warn(`the capture ends: ${sentence}`),
    });
  }

  /** Both directions of every link of a switch. */
  static ofLinks(settings: CaptureSettings, links: readonly LinkDirection[], logger: Logger): ProcessCapture {
    const started = new ProcessCapture(settings, links.map(portOf), logger);
    links.forEach((link, port) => {
      link.tap = started.capture.tap(port);
    });
    return started;
  }

  async close(): Promise<CaptureSummary> {
    const summary = await this.capture.close();
    this.logger.warn(captureSentence(summary));
    return summary;
  }
}

const SOCKET_PORTS: readonly CapturedPort[] = [
  { name: 'in', link: 'socket', description: 'datagrams that the socket received' },
  { name: 'out', link: 'socket', description: 'datagrams that the socket sent, and frames that its NIC dropped' },
];
const [IN, OUT] = [0, 1];

/** The datagrams of a host's socket, with the addresses that they have, and what its NIC drops. */
class SocketCapture implements DatagramTap {
  readonly nic: FrameTap;
  private readonly started: ProcessCapture;
  /** By text, since the same few come with every datagram. */
  private readonly addresses = new Map<string, Uint8Array>();
  private local: End = { address: new Uint8Array(4), port: 0 };

  constructor(settings: CaptureSettings, logger: Logger) {
    this.started = new ProcessCapture(settings, SOCKET_PORTS, logger);
    const { capture } = this.started;
    const ends = newMadeUpEnds();
    this.nic = {
      sent: () => undefined,
      marked: () => undefined,
      dropped: (frame, code, atNs) => {
        endsOfHosts(sourceHost(frame.bytes), destinationHost(frame.bytes), ends);
        capture.droppedFrame(OUT, frame, code, { ends, atNs });
      },
    };
  }

  bound({ address, port }: UdpAddress): void {
    this.local = { address: this.bytesOf(address), port };
  }

  received(bytes: Uint8Array, length: number, { address, port }: Source): void {
    const { local } = this;
    const ends = {
      source: this.bytesOf(address),
      destination: local.address,
      sourcePort: port,
      destinationPort: local.port,
    };
    this.started.capture.datagram(IN, bytes, ends, { length, atNs: monotonicNs() });
  }

  sent({ bytes, length }: Frame, { address, port }: Source): void {
    const { local } = this;
    const ends = {
      source: local.address,
      destination: this.bytesOf(address),
      sourcePort: local.port,
      destinationPort: port,
    };
    this.started.capture.datagram(OUT, bytes, ends, { length, atNs: monotonicNs() });
  }

  async closed(): Promise<void> {
    await this.started.close();
  }

  private bytesOf(text: string): Uint8Array {
    const known = this.addresses.get(text);
    if (known !== undefined) return known;
    const bytes = addressBytes(text) ?? new Uint8Array(4);
    if (this.addresses.size < MOST_ADDRESSES) this.addresses.set(text, bytes);
    return bytes;
  }
}

interface End {
  readonly address: Uint8Array;
  readonly port: number;
}

function portOf({ place }: LinkDirection): CapturedPort {
  const { name, link, from, to } = place;
  return { name, link, description: `from ${from} to ${to}, link ${link}` };
}
