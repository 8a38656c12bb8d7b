// Tested by test/apps/perf/test-terms.test.ts
import { randomBytes } from 'node:crypto';
import { DEFAULT_CONFIG } from '../../core/config.js';
import { isWindowAlgorithm } from '../../core/window/registry.js';
import type { ExchangeResults } from '../../services/perf/exchange.js';
import {
  DEFAULT_BLOCK_BYTES,
  type Direction,
  type Pace,
  PERF_KIND,
  type PerfRequest,
} from '../../services/perf/messages.js';
import { shareOf } from '../shared/transport-options.js';
import type { Interval } from './intervals.js';
import type { PerfOptions } from './options.js';
import type { PerfReport } from './report.js';
import { clientStreams, type Stream } from './streams.js';

/** Of --rr (ours: a small request of a program). */
const DEFAULT_MESSAGE_BYTES = 64;
const DEFAULT_TIME_NS = 10e9;

/** What a test is about, as far as its outputs tell. */
export interface TestTerms {
  readonly request: PerfRequest;
  readonly streams: readonly Stream[];
  readonly lengthBytes: number;
  /** Of -k; 0: none are counted. */
  readonly blocks: number;
  /** The server, where the client knows an address. */
  readonly to: { readonly host: string; readonly port: number } | null;
  readonly title?: string;
  readonly extraData?: string;
  readonly ignored: readonly string[];
}

/** As a server sees it: its streams are those that the client does not have. */
export function serverTerms(request: PerfRequest): Pick<TestTerms, 'request' | 'streams'> {
  const streams = clientStreams(request.direction, request.flows);
  return { request, streams: streams.map((stream) => ({ ...stream, isSender: !stream.isSender })) };
}

/** What TCP had. */
export interface PeerRun {
  /** As one types it. */
  readonly command: string;
  /** Such as `iperf 3.12`. */
  readonly version: string;
  readonly congestion: string;
  /** What arrived, bit/s, by the word of its receiver. */
  readonly goodputBps: number;
  /** null where iperf3 does not tell. */
  readonly retransmits: number | null;
  readonly intervals: readonly { readonly endS: number; readonly rateBps: number }[];
}

/** What a client knows at the end: a report for each direction of data. */
export interface ClientResult {
  readonly reports: readonly [PerfReport, ...PerfReport[]];
  readonly exchange: ExchangeResults | null;
  /** Frames sent again of each flow that the client sends. */
  readonly retransmits: readonly number[];
  readonly intervals: readonly Interval[];
  readonly intervalsOmitted: number;
  /** What the server printed, where it was asked and tells. */
  readonly serverOutput: unknown;
  /** Of --compare. */
  readonly peer: PeerRun | null;
}

export function testTerms(options: PerfOptions, to: TestTerms['to'], ignored: readonly string[]): TestTerms {
  const { parallel, title, extraData, blockcount = 0 } = options;
  const direction = directionOf(options);
  const lengthBytes = options.length ?? (options.rr ? DEFAULT_MESSAGE_BYTES : DEFAULT_BLOCK_BYTES);
  const bytes = options.bytes ?? (blockcount > 0 ? blockcount * lengthBytes : undefined);
  const pace = paceOf(options, lengthBytes);
  const isLengthTold = options.rr || options.length !== undefined;
  return {
    request: {
      kind: PERF_KIND,
      role: 'control',
      test: randomBytes(8).toString('hex'),
      direction,
      flows: parallel,
      durationNs: bytes === undefined ? (options.time ?? DEFAULT_TIME_NS) : null,
      bytes: bytes === undefined ? null : Math.ceil(bytes / parallel),
      omitNs: options.omit ?? 0,
      ...(pace !== null && { pace }),
      ...(isLengthTold && { lengthBytes }),
      ...requestedAlgorithm(options),
      share: shareOf(options),
      ...wantedOutput(options),
    },
    streams: clientStreams(direction, parallel),
    lengthBytes,
    blocks: blockcount,
    to,
    ...(title !== undefined && { title }),
    ...(extraData !== undefined && { extraData }),
    ignored,
  };
}

/** The page of --report takes the round trips of the server's intervals. */
function wantedOutput({ getServerOutput, report, json, jsonStream }: PerfOptions): Pick<PerfRequest, 'output'> {
  if (getServerOutput) return { output: json || jsonStream ? 'json' : 'text' };
  return report === undefined ? {} : { output: 'json' };
}

function directionOf({ reverse, bidir, rr }: PerfOptions): Direction {
  if (rr) return 'exchange';
  if (bidir) return 'both';
  return reverse ? 'reverse' : 'forward';
}

/** -b, --bandwidth and --fq-rate; the lowest holds. */
function paceOf({ bitrate, bandwidth, fqRate }: PerfOptions, lengthBytes: number): Pace | null {
  const told = bitrate ?? bandwidth;
  const rateBps = Math.min(told?.rateBps ?? Number.POSITIVE_INFINITY, fqRate ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(rateBps) ? { rateBps, burstBytes: (told?.burst ?? 0) * lengthBytes } : null;
}

/** What the client names, as far as it concerns the server: a client that receives chooses the credit algorithm itself. */
function requestedAlgorithm(options: PerfOptions): Pick<PerfRequest, 'window' | 'windowParameters'> {
  const { set, reverse } = options;
  const algorithm = options.algorithm ?? options.congestion;
  const isNamed = algorithm !== undefined || Object.keys(set).length > 0;
  const name = algorithm ?? DEFAULT_CONFIG.creditAlgorithm;
  if (!isNamed || (reverse && !isWindowAlgorithm(name))) return { window: '', windowParameters: {} };
  return { window: name, windowParameters: set };
}
