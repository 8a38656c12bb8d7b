import type { EndpointCounters } from '../../core/counters.js';
import type { DatapathInfo } from '../../udp/datapath.js';
import type { DriverStatistics } from '../../udp/statistics.js';
import { displayCount, displayDuration, displayRate, displaySize } from '../shared/display.js';
import { snakeCase } from '../shared/json-names.js';
import { type Reached, whereReached } from '../shared/reached.js';
import type { Results } from '../shared/results.js';
import type { CreditTotals } from '../shared/service-host.js';
import type { FileOutcome, FileProgress } from './file-service.js';

/** Where a daemon takes flows. */
export interface ListeningReport extends Reached {
  readonly rateBps: number;
  readonly frameBytes: number;
  readonly directory: string;
  readonly info: DatapathInfo;
}

/** What goes on at one moment. Counts are since the start, times of the driver's clock. */
export interface ProgressReport {
  readonly nowNs: number;
  readonly flows: readonly FileProgress[];
  readonly credits: CreditTotals;
}

export interface SummaryReport {
  readonly durationNs: number;
  readonly credits: CreditTotals;
  /** Flows refused because as many as are taken were there. */
  readonly refusedStreams: number;
  readonly endpoint: EndpointCounters;
  readonly driver: DriverStatistics;
}

/** What a daemon says on standard output: lines for people, or one JSON object a line with its kind in `event`. docs/APPLICATIONS.md, "Daemon" */
export class DaemonReport {
  private readonly results: Results;
  private readonly isJson: boolean;
  private filesVerified = 0;
  private filesFailed = 0;
  private verifiedBytes = 0;

  constructor(results: Results, isJson: boolean) {
    this.results = results;
    this.isJson = isJson;
  }

  /** The daemon is ready: programs wait for this line. */
  listening({ address, switchAddress, hostId, rateBps, frameBytes, directory, info }: ListeningReport): void {
    if (this.isJson) {
      this.results.json({
        event: 'listening',
        address,
        switch: switchAddress,
        host_id: switchAddress === null ? null : hostId,
        link_rate_bps: Number.isFinite(rateBps) ? rateBps : null,
        frame_bytes: frameBytes,
        directory,
        receive_buffer_bytes: info.receiveBufferBytes,
        send_buffer_bytes: info.sendBufferBytes,
      });
      return;
    }
    this.results.line(
      `${whereReached({ address, switchAddress, hostId })}, link ${displayRate(rateBps)}; files go to ${directory}`,
    );
  }

  file(outcome: FileOutcome): void {
    const { header, peerName, flowId, verdict, durationNs } = outcome;
    if (verdict.ok) {
      this.filesVerified++;
      this.verifiedBytes += header.bytes;
    } else this.filesFailed++;
    if (!this.isJson) {
      this.results.line(fileLine(outcome));
      return;
    }
    this.results.json({
      event: 'file',
      name: header.name,
      bytes: header.bytes,
      sha256: verdict.sha256,
      verified: verdict.ok,
      code: verdict.code,
      message: verdict.message,
      peer: peerName,
      id: flowId,
      duration_s: durationNs / 1e9,
      goodput_bps: verdict.ok ? goodputBps(outcome) : null,
    });
  }

  progress({ nowNs, flows, credits }: ProgressReport): void {
    if (!this.isJson) {
      for (const { name, peerName, bytesDelivered } of flows) {
        this.results.line(`receiving '${name}' from ${peerName}: ${displaySize(bytesDelivered)}`);
      }
      return;
    }
    this.results.json({
      event: 'progress',
      time_s: nowNs / 1e9,
      flows: flows.map(({ peerName, flowId, name, bytesDelivered }) => ({
        peer: peerName,
        id: flowId,
        name,
        bytes_delivered: bytesDelivered,
      })),
      ...lossKeys(credits),
    });
  }

  summary({ durationNs, credits, refusedStreams, endpoint, driver }: SummaryReport): void {
    const { filesVerified, filesFailed, verifiedBytes } = this;
    if (this.isJson) {
      this.results.json({
        event: 'summary',
        duration_s: durationNs / 1e9,
        files_verified: filesVerified,
        files_failed: filesFailed,
        bytes_verified: verifiedBytes,
        streams_refused: refusedStreams,
        ...lossKeys(credits),
        endpoint: snakeCase(endpoint),
        driver: snakeCase(driver),
      });
      return;
    }
    const { wakes, maxNs, overMillisecond } = driver.lateness;
    this.results.line(
      `${filesVerified} files verified (${displaySize(verifiedBytes)}), ${filesFailed} failed, in ${displayDuration(durationNs)}`,
    );
    this.results.line(
      `credits: ${displayCount(credits.sent)} sent, ${displayCount(credits.used)} used, ` +
        `${displayCount(credits.unused)} unused, ${displayCount(credits.dropped)} dropped`,
    );
    this.results.line(`data: ${displayCount(credits.dataLost)} frames lost and sent again`);
    this.results.line(
      `datagrams: ${displayCount(driver.datagramsIn)} in, ${displayCount(driver.datagramsOut)} out, ` +
        `${displayCount(driver.kernelDrops ?? Number.NaN)} dropped by the kernel`,
    );
    this.results.line(
      `late wakes: ${displayCount(wakes)}, ${displayCount(overMillisecond)} by more than 1 ms, the latest by ${displayDuration(maxNs)}`,
    );
  }
}

/** Two numbers: credits that a meter dropped, and data that was lost. */
function lossKeys({ dataLost, ...credits }: CreditTotals): object {
  return { credits, data_lost_frames: dataLost };
}

function goodputBps({ header, durationNs }: FileOutcome): number {
  return (header.bytes * 8e9) / durationNs;
}

/** A verdict's sentence may begin with the file's name, which the line has already. */
function reasonOf({ header, verdict }: FileOutcome): string {
  const name = `'${header.name}' `;
  return verdict.message.startsWith(name) ? verdict.message.slice(name.length) : verdict.message;
}

function fileLine(outcome: FileOutcome): string {
  const { header, peerName, verdict, durationNs } = outcome;
  if (!verdict.ok) return `not received '${header.name}' from ${peerName}: ${reasonOf(outcome)} (${verdict.code})`;
  const what = `'${header.name}' (${displaySize(header.bytes)}) from ${peerName}`;
  const pace = `${displayDuration(durationNs)}, ${displayRate(goodputBps(outcome))}`;
  return `received ${what} in ${pace}, SHA-256 verified`;
}
