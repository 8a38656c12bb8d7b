import { Classes } from '../../base/classes.js';
import { displayCount, displayDuration, displayRate, displaySize } from '../../base/display.js';
import { counter, gauge, group, histogram, label, list, nullable, renamed } from '../../base/metric.js';
import { ENDPOINT_METRICS, type EndpointCounters } from '../../core/counters.js';
import { DOOR_METRICS, type DoorCounters } from '../../core/door.js';
import { HANDSHAKE_METRICS, type HandshakeCounters } from '../../core/handshakes.js';
import { MTU_METRICS, type MtuCounters } from '../../core/path-mtus.js';
import { PATH_METRICS, type PathCounters } from '../../core/paths.js';
import { OPENING_METRICS, type OpeningCounters } from '../../services/places.js';
import { type Reached, whereReached } from '../../services/reached.js';
import { SERVICE_METRICS, type ServiceCredits } from '../../services/service-host.js';
import { documentOf } from '../../telemetry/document.js';
import type { DatapathInfo } from '../../udp/datapath.js';
import { DRIVER_METRICS, type DriverStatistics } from '../../udp/statistics.js';
import type { Results } from '../shared/results.js';
import type { FileOutcome, FileProgress } from './file-service.js';
import type { ServedFlow } from './served-flows.js';

/** Where a daemon takes flows. */
export interface ListeningReport extends Reached {
  readonly rateBps: number;
  readonly frameBytes: number;
  readonly directory: string;
  readonly info: DatapathInfo;
  /** Of the live page, with its token; null for none. */
  readonly web: string | null;
}

/** What goes on at one moment. Counts are since the start, times of the driver's clock. */
export interface ProgressReport {
  readonly nowNs: number;
  readonly flows: readonly FileProgress[];
  readonly streams: readonly ServedFlow[];
  readonly credits: ServiceCredits;
}

export interface SummaryReport {
  readonly durationNs: number;
  readonly credits: ServiceCredits;
  /** Flows refused because as many as are taken were there. */
  readonly refusedStreams: number;
  readonly openings: OpeningCounters;
  readonly endpoint: EndpointCounters;
  readonly door: DoorCounters;
  readonly handshakes: HandshakeCounters;
  readonly paths: PathCounters;
  readonly mtu: MtuCounters;
  readonly driver: DriverStatistics;
}

const FLOW_NAME = { peerName: renamed(label('The sender'), 'peer'), flowId: renamed(gauge('id', 'Flow'), 'id') };

/** What is printed of a file. */
export const FILE_EVENT = {
  name: label('Name of the file'),
  bytes: gauge('bytes', 'Size of the file'),
  sha256: nullable(label('SHA-256 of what came')),
  verified: label('Whether it is complete and under its name', false),
  code: label('ok, or why it is not'),
  message: label('The same as a sentence'),
  offset: renamed(gauge('bytes', 'Where its bytes began: those before were there'), 'resumed_at'),
  keptBytes: gauge('bytes', 'Kept of a file that was given up, for a later transfer'),
  ...FLOW_NAME,
  durationNs: gauge('s', 'From the opening of the flow to the verdict'),
  goodputBps: nullable(gauge('bit/s', 'What came over the duration; null: not verified')),
};

/** What is printed at each interval. */
export const PROGRESS_EVENT = {
  timeNs: gauge('s', 'Time of its own clock'),
  flows: list('Files under way', {
    ...FLOW_NAME,
    name: label('Name of the file'),
    bytesDelivered: counter('bytes', 'Arrived in order'),
  }),
  streams: list('All flows that its services take, files included', {
    ...FLOW_NAME,
    algorithm: label('Credit algorithm; window where the sender rules the flow'),
    bytesDelivered: counter('bytes', 'Arrived in order'),
    rateBps: gauge('bit/s', 'Rate of its credits'),
    rttNs: gauge('s', 'Smoothed round-trip time; 0: not known'),
    state: label<Readonly<Record<string, number>>>('What its algorithm has in mind', {}),
  }),
  ...SERVICE_METRICS,
};

/** What is printed in the end. */
export const SUMMARY_EVENT = {
  durationNs: gauge('s', 'Time since it was ready'),
  filesVerified: counter('files', 'Complete files'),
  filesExisting: counter(
    'files',
    'Files that were refused because one of the name was there: perhaps the same, which senders skip',
  ),
  filesFailed: counter('files', 'Files that failed otherwise'),
  bytesVerified: counter('bytes', 'Bytes of complete files'),
  streamsRefused: counter('streams', 'Streams refused because there were too many, or the daemon was ending'),
  openings: group('Streams that peers opened and no service has taken, those of tunnels left out', OPENING_METRICS),
  ...SERVICE_METRICS,
  endpoint: group('Its endpoint', ENDPOINT_METRICS),
  door: group('Its door', DOOR_METRICS),
  handshakes: group('Its handshakes', HANDSHAKE_METRICS),
  paths: group('Addresses of its peers', PATH_METRICS),
  mtu: group('Sizes of frames that its paths carry', MTU_METRICS),
  driver: group('Its sockets and event loop', DRIVER_METRICS),
};

/** Upper bounds of sizes, bytes: 1 kB to 1 TB (ours: one a decade). */
const SIZE_CLASSES_BYTES = Array.from({ length: 10 }, (_, at) => 10 ** (3 + at));
/** Of durations, ns: 1 ms to 1,000 s (ours: three a decade). */
const DURATION_CLASSES_NS = Array.from({ length: 19 }, (_, at) => [1, 2, 5][at % 3] * 10 ** (6 + Math.floor(at / 3)));

/** What a daemon counts of its services: for Prometheus. */
export const DAEMON_METRICS = {
  daemon: group('Files and streams', {
    filesVerified: SUMMARY_EVENT.filesVerified,
    filesExisting: SUMMARY_EVENT.filesExisting,
    filesFailed: SUMMARY_EVENT.filesFailed,
    bytesVerified: SUMMARY_EVENT.bytesVerified,
    fileSize: group('Sizes', { classes: histogram('bytes', 'Complete files by size') }),
    fileTransfer: group('Durations', {
      classes: histogram('ns', 'Complete files by the time from opening to verdict'),
    }),
    quotaBytes: nullable(gauge('bytes', 'Most that the files of the directory may take; not there without --quota')),
    storedBytes: nullable(
      gauge('bytes', 'What they take, as last measured; not there before a file came that a quota holds for'),
    ),
    openStreams: gauge('streams', 'Streams that are served'),
    refusedStreams: SUMMARY_EVENT.streamsRefused,
    openings: SUMMARY_EVENT.openings,
  }),
};

/** What a daemon says on standard output: lines for people, or one JSON object a line with its kind in `event`. docs/APPLICATIONS.md, "Daemon" */
export class DaemonReport {
  private readonly results: Results;
  private readonly isJson: boolean;
  private filesVerified = 0;
  private filesExisting = 0;
  private filesFailed = 0;
  private verifiedBytes = 0;
  private readonly fileSizes = new Classes(SIZE_CLASSES_BYTES);
  private readonly fileDurations = new Classes(DURATION_CLASSES_NS);

  constructor(results: Results, isJson: boolean) {
    this.results = results;
    this.isJson = isJson;
  }

  /** The daemon is ready: programs wait for this line. */
  listening(report: ListeningReport): void {
    const { address, switchAddress, hostId, rateBps, frameBytes, directory, info, web } = report;
    if (this.isJson) {
      this.results.json({
        event: 'listening',
        address,
        switch: switchAddress,
        host_id: switchAddress === null ? null : hostId,
        link_rate_bps: Number.isFinite(rateBps) ? rateBps : null,
        frame_bytes: frameBytes,
        directory,
        web,
        receive_buffer_bytes: info.receiveBufferBytes,
        send_buffer_bytes: info.sendBufferBytes,
      });
      return;
    }
    this.results.line(
      `${whereReached({ address, switchAddress, hostId })}, link ${displayRate(rateBps)}; files go to ${directory}`,
    );
    if (web !== null) this.results.line(`live page at ${web}`);
  }

  /** For DAEMON_METRICS. */
  get counts() {
    return {
      filesVerified: this.filesVerified,
      filesExisting: this.filesExisting,
      filesFailed: this.filesFailed,
      bytesVerified: this.verifiedBytes,
      fileSize: { classes: this.fileSizes.snapshot() },
      fileTransfer: { classes: this.fileDurations.snapshot() },
    };
  }

  file(outcome: FileOutcome): void {
    const { header, peerName, flowId, verdict, keptBytes, durationNs } = outcome;
    if (verdict.ok) {
      this.filesVerified++;
      this.verifiedBytes += header.bytes;
      this.fileSizes.add(header.bytes);
      this.fileDurations.add(durationNs);
    } else if (verdict.code === 'exists') this.filesExisting++;
    else this.filesFailed++;
    if (!this.isJson) {
      this.results.line(fileLine(outcome));
      return;
    }
    const { name, bytes, offset } = header;
    const { sha256, ok: verified, code, message } = verdict;
    const goodput = verified ? goodputBps(outcome) : null;
    const values = { name, bytes, sha256, verified, code, message, offset, keptBytes, peerName, flowId, durationNs };
    this.results.json({ event: 'file', ...documentOf(FILE_EVENT, { ...values, goodputBps: goodput }) });
  }

  progress({ nowNs, flows, streams, credits }: ProgressReport): void {
    if (!this.isJson) {
      for (const { name, peerName, bytesDelivered } of flows) {
        this.results.line(`receiving '${name}' from ${peerName}: ${displaySize(bytesDelivered)}`);
      }
      return;
    }
    this.results.json({
      event: 'progress',
      ...documentOf(PROGRESS_EVENT, { timeNs: nowNs, flows, streams, ...credits }),
    });
  }

  summary(report: SummaryReport): void {
    const { durationNs, credits, refusedStreams, openings, endpoint, door, handshakes, paths, mtu, driver } = report;
    const { filesVerified, filesExisting, filesFailed, verifiedBytes } = this;
    if (this.isJson) {
      const counts = { filesVerified, filesExisting, filesFailed, bytesVerified: verifiedBytes };
      const files = { ...counts, streamsRefused: refusedStreams };
      const values = { durationNs, ...files, openings, ...credits, endpoint, door, handshakes, paths, mtu, driver };
      this.results.json({ event: 'summary', ...documentOf(SUMMARY_EVENT, values) });
      return;
    }
    const { credits: all } = credits;
    const { wakes, maxNs, overMillisecond } = driver.lateness;
    const existing = filesExisting === 0 ? '' : ` ${filesExisting} existed,`;
    this.results.line(
      `${filesVerified} files verified (${displaySize(verifiedBytes)}),${existing} ${filesFailed} failed, in ${displayDuration(durationNs)}`,
    );
    this.results.line(
      `credits: ${displayCount(all.sent)} sent, ${displayCount(all.used)} used, ` +
        `${displayCount(all.unused)} unused, ${displayCount(all.dropped)} dropped`,
    );
    this.results.line(`data: ${displayCount(credits.dataLostFrames)} frames lost and sent again`);
    this.results.line(
      `datagrams: ${displayCount(driver.datagramsIn)} in, ${displayCount(driver.datagramsOut)} out, ` +
        `${displayCount(driver.kernelDrops ?? Number.NaN)} dropped by the kernel`,
    );
    this.results.line(
      `late wakes: ${displayCount(wakes)}, ${displayCount(overMillisecond)} by more than 1 ms, the latest by ${displayDuration(maxNs)}`,
    );
  }
}

function goodputBps({ header, durationNs }: FileOutcome): number {
  return ((header.bytes - header.offset) * 8e9) / durationNs;
}

/** A verdict's sentence may begin with the file's name, which the line has already. */
function reasonOf({ header, verdict }: FileOutcome): string {
  const name = `'${header.name}' `;
  return verdict.message.startsWith(name) ? verdict.message.slice(name.length) : verdict.message;
}

function fileLine(outcome: FileOutcome): string {
  const { header, peerName, verdict, keptBytes, durationNs } = outcome;
  if (!verdict.ok) {
    const kept = keptBytes === 0 ? '' : `; ${displaySize(keptBytes)} kept`;
    return `not received '${header.name}' from ${peerName}: ${reasonOf(outcome)} (${verdict.code})${kept}`;
  }
  const resumed = header.offset === 0 ? '' : `, resumed at ${displaySize(header.offset)}`;
  const what = `'${header.name}' (${displaySize(header.bytes)}${resumed}) from ${peerName}`;
  const pace = `${displayDuration(durationNs)}, ${displayRate(goodputBps(outcome))}`;
  return `received ${what} in ${pace}, SHA-256 verified`;
}
