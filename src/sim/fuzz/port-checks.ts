// Tested by test/sim/fuzz/planted-bugs.test.ts
import type { Port, PortConfig } from '../../switch/port.js';
import type { PortSnapshot } from '../../switch/port-statistics.js';
import { creditShare, wireBytes } from '../../wire/layout.js';
import { fail } from './violation.js';

/** Rounding of rates and times, in bytes. */
const ROUNDING_BYTES = 1e-3;

/** Looks at one port now and then: its queues keep their limits, its meter and its serialiser keep their rates. */
export class PortChecks {
  private readonly name: string;
  private settings: Readonly<PortConfig> | null = null;
  private sinceNs = 0;
  private creditBytes = 0;
  private allBytes = 0;
  /** The most that the port's meter may hold, and what of one frame its serialiser may have left. */
  private readonly meter = new Allowance();
  private readonly serialiser = new Allowance();

  constructor(name: string) {
    this.name = name;
  }

  /** `settings`: what the port is meant to have. It may be another port than before, after a crash. */
  check(port: Port, settings: Readonly<PortConfig>, nowNs: number): void {
    const seen = port.statistics.snapshot(nowNs);
    this.checkQueues(port, settings, seen);
    if (settings === this.settings) this.checkRates(settings, seen, nowNs);
    else {
      this.meter.fill(settings.creditBurstBytes);
      this.serialiser.fill(wireBytes(settings.maxFrameBytes));
    }
    this.settings = settings;
    this.sinceNs = nowNs;
    this.creditBytes = seen.credit.wireBytes;
    this.allBytes = bytesOf(seen);
  }

  private checkQueues(port: Port, settings: Readonly<PortConfig>, seen: PortSnapshot): void {
    const { dataQueueBytes, creditQueueFrames } = settings;
    const { name } = this;
    if (port.dataQueueBytes - port.speculativeQueueBytes > dataQueueBytes || port.speculativeQueueBytes < 0) {
      fail('queues', `the data queue of ${name} holds ${port.dataQueueBytes} bytes of ${dataQueueBytes}`);
    }
    // PROTOCOL §9.6: the last speculative frame may have found just as much as it may.
    const speculativeBytes = settings.speculativeQueueBytes + wireBytes(settings.maxFrameBytes);
    const mostBytes = dataQueueBytes + Math.min(dataQueueBytes, speculativeBytes);
    if (seen.dataQueueBytesMax > mostBytes || port.speculativeQueueBytes > Math.min(dataQueueBytes, speculativeBytes)) {
      fail('queues', `the data queue of ${name} held ${seen.dataQueueBytesMax} bytes of ${mostBytes}`);
    }
    if (Math.max(seen.creditQueueFramesMax, port.creditQueueFrames) > 2 * creditQueueFrames) {
      fail(
        'queues',
        `the credit queue of ${name} held ${seen.creditQueueFramesMax} frames of ${creditQueueFrames} for each class`,
      );
    }
    if (seen.dataQueueBytes !== port.dataQueueBytes || seen.creditQueueFrames !== port.creditQueueFrames) {
      fail('queues', `${name} counts other queues than it has`);
    }
    if (port.dataQueueBytes < 0 || (port.dataQueueBytes > 0 && port.heldFrames <= port.creditQueueFrames)) {
      fail('queues', `${name} has ${port.dataQueueBytes} bytes of data and no frame`);
    }
  }

  /** A transmission counts as a whole when it starts. */
  private checkRates({ rateBps, maxFrameBytes }: Readonly<PortConfig>, seen: PortSnapshot, nowNs: number): void {
    if (!Number.isFinite(rateBps)) return;
    const linkBytes = ((nowNs - this.sinceNs) * rateBps) / 8e9;
    const creditBytes = seen.credit.wireBytes - this.creditBytes;
    if (!this.meter.take(creditBytes, linkBytes * creditShare(maxFrameBytes))) {
      fail('meter', `${this.name} sent ${creditBytes} bytes of credits, more than its meter has`);
    }
    const bytes = bytesOf(seen) - this.allBytes;
    if (!this.serialiser.take(bytes, linkBytes)) {
      fail('serialiser', `${this.name} sent ${bytes} bytes where its rate allows ${linkBytes}`);
    }
  }
}

/** The most that a bucket may hold which is looked at now and then. */
class Allowance {
  private depthBytes = 0;
  private levelBytes = 0;

  fill(depthBytes: number): void {
    this.depthBytes = this.levelBytes = depthBytes;
  }

  /** False where `bytes` were taken out that cannot have been there, with `addedBytes` since the last look. */
  take(bytes: number, addedBytes: number): boolean {
    this.levelBytes = Math.min(this.depthBytes, this.levelBytes + addedBytes - bytes);
    return this.levelBytes >= -ROUNDING_BYTES;
  }
}

function bytesOf({ data, credit, control }: PortSnapshot): number {
  return data.wireBytes + credit.wireBytes + control.wireBytes;
}
