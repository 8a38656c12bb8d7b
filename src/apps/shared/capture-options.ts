// Tested by test/apps/shared/capture-options.test.ts and test/loopback/capture.test.ts

import type { Logger } from 'pino';
import { size } from '../../base/quantities.js';
import { integer, text } from '../../base/value-kind.js';
import type { LinkDirection } from '../../switch/link-direction.js';
import { PORT_DROP_NAMES } from '../../switch/port-statistics.js';
import { Capture, type CapturedPort, type CaptureSettings, captureSentence } from '../../telemetry/capture/capture.js';
import { FILTER_WORDS } from '../../telemetry/capture/filter.js';
import { monotonicNs } from '../../udp/wake.js';
import { MAX_FRAME_BYTES } from '../../wire/layout.js';
import { type OptionValues, option, optionalOption } from './options.js';

/** Smallest file: eight of the longest packets (ours). */
const LEAST_SIZE_BYTES = 1_000_000;
/** Files of a ring that a directory still lists (ours). */
const MOST_FILES = 10_000;
/** Both headers of a frame, which filters need (ours). */
const LEAST_SNAP_BYTES = 40;

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
  captureSnaplen: option(size({ lowest: LEAST_SNAP_BYTES, highest: MAX_FRAME_BYTES }), {
    describe: 'bytes of each datagram to keep',
    defaultText: `${MAX_FRAME_BYTES}B`,
  }),
};

type CaptureValues = OptionValues<typeof CAPTURE_OPTIONS>;

/** Undefined without `--capture`. */
export function captureSettings(options: CaptureValues): CaptureSettings | undefined {
  const { capture: path, captureFilter: filter, captureSize, captureFiles: files, captureSnaplen } = options;
  return path === undefined ? undefined : { path, filter, sizeBytes: captureSize, files, snapBytes: captureSnaplen };
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

  async close(): Promise<void> {
    this.logger.warn(captureSentence(await this.capture.close()));
  }
}

function portOf({ place }: LinkDirection): CapturedPort {
  const { name, link, from, to } = place;
  return { name, link, description: `from ${from} to ${to}, link ${link}` };
}
