import { hostname, release, type } from 'node:os';
import { NO_DURATIONS } from '../../services/perf/histogram.js';
import { jainIndex } from '../../sim/measure/jain.js';
import { type Document, plainJson } from '../../telemetry/document.js';
import { type Compared, compared } from './compare.js';
import type { Interval } from './intervals.js';
import { jsonReport, lostFrames, type PerfReport, rttOf } from './report.js';
import { summarize } from './series.js';
import { lostOf, streamOf } from './streams.js';
import type { ClientResult, TestTerms } from './test-terms.js';

/** iperf3's document (its names and units: src/iperf_api.c), with ours under `xpass`. docs/PERF.md */

export interface StartParts {
  readonly terms: TestTerms;
  readonly version: string;
  readonly nowMs: number;
  /** The ends of the flows' socket; null before it is open, or behind a switch. */
  readonly connected: { readonly local: Place; readonly remote: Place } | null;
}

export interface Place {
  readonly host: string;
  readonly port: number;
}

export function startDocument({ terms, version, nowMs, connected }: StartParts): Document {
  const { request, streams } = terms;
  const from = connected === null ? [] : streams;
  return {
    connected: from.map(({ socket }) => ({
      socket,
      local_host: connected?.local.host,
      local_port: connected?.local.port,
      remote_host: connected?.remote.host,
      remote_port: connected?.remote.port,
    })),
    version: `xpass ${version}`,
    system_info: `${type()} ${hostname()} ${release()} ${process.arch}`,
    timestamp: { time: new Date(nowMs).toUTCString(), timesecs: Math.floor(nowMs / 1e3) },
    ...(terms.to !== null && { connecting_to: terms.to }),
    cookie: request.test,
    target_bitrate: request.pace?.rateBps ?? 0,
    ...NO_SOCKET,
    ...(terms.title !== undefined && { title: terms.title }),
    ...(terms.extraData !== undefined && { extra_data: terms.extraData }),
    test_start: {
      protocol: 'UDP',
      num_streams: request.flows,
      blksize: terms.lengthBytes,
      omit: request.omitNs / 1e9,
      duration: (request.durationNs ?? 0) / 1e9,
      bytes: terms.blocks === 0 ? (request.bytes ?? 0) * request.flows : 0,
      blocks: terms.blocks,
      reverse: Number(request.direction === 'reverse'),
      bidir: Number(request.direction === 'both'),
      tos: 0,
      target_bitrate: request.pace?.rateBps ?? 0,
    },
    xpass: { direction: request.direction, ignored_options: terms.ignored },
  };
}

/** What iperf3 says of its kernel's sockets; here they carry many flows. */
const NO_SOCKET = { tcp_mss_default: null, sock_bufsize: null, sndbuf_actual: null, rcvbuf_actual: null };

/** The end of a test that never began. */
export const NO_END: Document = {};

export function intervalDocument(interval: Interval, terms: Pick<TestTerms, 'request' | 'streams'>): Document {
  const { startS, endS, flowBytes, retransmits, underWayBytes, rtt, isOmitted } = interval;
  const times = { start: startS, end: endS, seconds: endS - startS };
  const of = (bytes: number) => ({ ...times, bytes, bits_per_second: (bytes * 8) / (endS - startS) });
  const shown = terms.streams.map((stream, at) => ({ stream, at }));
  const sumOf = (isSender: boolean): Document => {
    const ours = shown.filter(({ stream }) => stream.isSender === isSender);
    const bytes = ours.map(({ at }) => flowBytes[at] ?? 0);
    return {
      ...of(total(bytes)),
      retransmits: isSender ? total(ours.map(({ at }) => retransmits[at] ?? 0)) : null,
      packets: null,
      omitted: isOmitted,
      sender: isSender,
      xpass: plainJson({ jain: jainIndex(bytes), rttUs: rtt[ours[0]?.at] ?? NO_DURATIONS }),
    };
  };
  return plainJson({
    streams: shown.map(({ stream, at }) => ({
      socket: stream.socket,
      ...of(flowBytes[at] ?? 0),
      retransmits: retransmits[at] ?? null,
      packets: null,
      snd_cwnd: underWayBytes[at] ?? null,
      snd_wnd: null,
      rtt: Math.round(rtt[at]?.mean ?? Number.NaN),
      rttvar: null,
      pmtu: null,
      omitted: isOmitted,
      sender: stream.isSender,
    })),
    ...sums(terms, sumOf, 'sum'),
  }) as Document;
}

/** One sum, or with --bidir the client's and the server's. */
function sums(
  terms: Pick<TestTerms, 'request' | 'streams'>,
  sumOf: (isSender: boolean) => Document,
  name: string,
): Document {
  const { direction } = terms.request;
  if (direction === 'both') return { [name]: sumOf(true), [`${name}_bidir_reverse`]: sumOf(false) };
  return { [name]: sumOf(terms.streams.some(({ isSender }) => isSender)) };
}

/** Of the runs so far, bit/s: of xpass, and of TCP with --compare. */
export interface Goodputs {
  readonly ours: readonly number[];
  readonly peers: readonly number[];
}

/** What came of the whole test. */
export function endDocument(result: ClientResult, terms: TestTerms, goodputs: Goodputs): Document {
  const [first, second] = result.reports;
  const { ours } = goodputs;
  return plainJson({
    streams: terms.streams.map((_, at) => streamDocument(result, terms, at)),
    ...sumDocuments(first, ''),
    ...(second !== undefined && sumDocuments(second, '_bidir_reverse')),
    cpu_utilization_percent: cpuDocument(first),
    sender_tcp_congestion: first.algorithm,
    receiver_tcp_congestion: first.algorithm,
    xpass: {
      ...jsonReport(first),
      intervals_omitted: result.intervalsOmitted,
      reverse: second === undefined ? null : jsonReport(second),
      exchange: result.exchange,
      repeats: ours.length < 2 ? null : { ...summarize(ours), goodputsBps: ours, confidence: 0.95 },
      compare: result.peer === null ? null : compareDocument(compared(result.peer, goodputs)),
    },
  }) as Document;
}

function compareDocument({ intervals: _, ...rest }: Compared): Document {
  return { ...rest, protocol: 'TCP' };
}

function streamDocument(result: ClientResult, terms: TestTerms, at: number): Document {
  const { socket, isSender } = terms.streams[at];
  const { report, index } = streamOf(result.reports, at);
  const bytes = report.received.flowBytes[index] ?? 0;
  const times = timesOf(report);
  const bitsPerSecond = { bytes, bits_per_second: (bytes * 8) / times.seconds };
  const { min, max, mean } = rttOf(report);
  return {
    sender: {
      socket,
      ...times,
      ...bitsPerSecond,
      retransmits: lostOf(result, terms.streams[at], at),
      max_snd_cwnd: null,
      max_snd_wnd: null,
      max_rtt: max,
      min_rtt: min,
      mean_rtt: mean,
      sender: isSender,
    },
    receiver: { socket, ...times, ...bitsPerSecond, sender: isSender },
    udp: {
      socket,
      ...times,
      ...bitsPerSecond,
      ...lossOf(report, report.request.flows === 1),
      out_of_order: null,
      sender: isSender,
    },
  };
}

function sumDocuments(report: PerfReport, suffix: string): Document {
  const { bytes } = report.received;
  const times = timesOf(report);
  const sum = { ...times, bytes, bits_per_second: (bytes * 8) / times.seconds, ...lossOf(report, true) };
  return {
    [`sum${suffix}`]: { ...sum, sender: true },
    [`sum_sent${suffix}`]: { ...sum, retransmits: lostFrames(report), sender: true },
    [`sum_received${suffix}`]: { ...sum, sender: false },
  };
}

/** As iperf3 tells of UDP. Nobody measures the jitter of data here. */
function lossOf(report: PerfReport, isKnown: boolean): Document {
  const { frames } = report.received;
  const lost = lostFrames(report);
  return {
    jitter_ms: null,
    lost_packets: isKnown ? lost : null,
    packets: isKnown ? frames : null,
    lost_percent: isKnown ? (100 * lost) / (frames + lost) : null,
  };
}

function timesOf({ received }: PerfReport) {
  return { start: 0, end: received.durationNs / 1e9, seconds: received.durationNs / 1e9 };
}

/** Both sides have counted since the test began: the seconds of `--omit` are among them. */
function cpuDocument({ cpu, received, request }: PerfReport): Document {
  const wholeNs = request.omitNs + received.durationNs;
  const percent = (seconds: number): number => (seconds * 1e11) / wholeNs;
  const { client, server } = cpu;
  return {
    host_total: percent(client.user + client.system),
    host_user: percent(client.user),
    host_system: percent(client.system),
    remote_total: percent(server.user + server.system),
    remote_user: percent(server.user),
    remote_system: percent(server.system),
  };
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
