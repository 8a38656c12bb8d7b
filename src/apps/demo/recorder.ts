// Tested by test/apps/demo/view.test.ts

import type { SwitchReport } from '../../services/control/client.js';
import type { DirectionSnapshot } from '../../switch/link-direction.js';
import type { ChildEvent } from '../shared/companion.js';
import type { FlowSample, PortSample } from './measure.js';
import { fileName } from './network.js';

/** A file that the receiver is done with. */
export interface ReceivedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly verified: boolean;
}

/** The direction of the star's link to the receiver, which all senders share. */
export const BOTTLENECK = 's1->h1';

/** Everything that was seen of a run, in the order of its coming. Times are this process's, seconds. */
export class Recorder {
  readonly flowSamples: FlowSample[] = [];
  readonly portSamples: PortSample[] = [];
  readonly files = new Map<string, ReceivedFile>();
  ports: readonly DirectionSnapshot[] = [];
  private readonly bytesOf: number[];
  private readonly totalBytes: number;

  constructor(senders: number, totalBytes: number) {
    this.bytesOf = new Array<number>(senders).fill(0);
    this.totalBytes = totalBytes;
  }

  /** Bytes of each sender's file that have arrived. */
  get delivered(): readonly number[] {
    return this.bytesOf;
  }

  /** A line of the receiver. */
  onReceiver(event: ChildEvent, timeS: number): void {
    if (event.event === 'file') this.onFile(event);
    if (event.event !== 'progress') return;
    const flows = event.flows as readonly { name: string; bytes_delivered: number }[];
    for (const flow of flows) this.note(flow.name, Math.min(flow.bytes_delivered, this.totalBytes));
    this.flowSamples.push({ timeS, bytes: [...this.bytesOf] });
  }

  onSwitch(report: SwitchReport, timeS: number): void {
    this.ports = report.ports;
    const bottleneck = report.ports.find(({ name }) => name === BOTTLENECK);
    if (bottleneck !== undefined) this.portSamples.push({ timeS, wireBytes: bottleneck.data.wireBytes });
  }

  private onFile(event: ChildEvent): void {
    const { name, bytes, sha256, verified } = event as unknown as ReceivedFile;
    this.files.set(name, { name, bytes, sha256, verified });
    this.note(name, this.totalBytes);
  }

  private note(name: string, bytes: number): void {
    const sender = this.bytesOf.findIndex((_, index) => fileName(index) === name);
    if (sender >= 0) this.bytesOf[sender] = Math.max(this.bytesOf[sender], bytes);
  }
}
