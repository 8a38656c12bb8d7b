// Tested by test/sim/fuzz/planted-bugs.test.ts

import type { Fabric } from '../../switch/fabric.js';
import type { LinkDirection } from '../../switch/link-direction.js';
import type { Port, PortConfig } from '../../switch/port.js';
import { PortField } from '../../switch/port-record.js';
import { PortDrop, type PortSnapshot } from '../../switch/port-statistics.js';
import { creditShare, FrameType, wireBytes } from '../../wire/layout.js';
import type { FrameAudit } from './frame-audit.js';
import { fail } from './violation.js';

/**
 * Looks at all links now and then: every frame in the fabric is in a queue or on a line, every loss and every copy is counted, and no deadline is
 * forgotten.
 */
export class FabricChecks {
  private readonly fabric: Fabric;
  private readonly audit: FrameAudit;
  private readonly ports: readonly PortChecks[];

  constructor(fabric: Fabric, audit: FrameAudit, hasLiars = false) {
    this.fabric = fabric;
    this.audit = audit;
    this.ports = fabric.linkDirections.map(({ place }) => new PortChecks(place.name, hasLiars));
  }

  check(nowNs: number): void {
    let [heldFrames, drops, copies, creditDrops] = [0, 0, 0, 0];
    for (const direction of this.fabric.linkDirections) {
      const { port, line, statistics, place } = direction;
      heldFrames += line.length + (port?.heldFrames ?? 0);
      for (const count of statistics.drops) drops += count;
      creditDrops += statistics.drops[PortDrop.creditQueueFull] + statistics.drops[PortDrop.lowCreditQueueFull];
      copies += statistics.read(PortField.duplicated);
      this.checkDeadline(direction, nowNs);
      if (port !== null) this.ports[place.index].check(port, direction.settings, nowNs);
    }
    const { insideCount, dropped, copied } = this.audit;
    if (heldFrames !== insideCount)
      fail('census', `${insideCount} frames went into the fabric and are not out, it has ${heldFrames}`);
    if (drops !== sum(dropped)) fail('drops', `${sum(dropped)} frames were dropped, ${drops} are counted`);
    if (copies !== sum(copied)) fail('copies', `${sum(copied)} frames were made by the network, ${copies} are counted`);
    if (creditDrops > dropped[FrameType.credit])
      fail('drops', `${creditDrops} credits found a full queue, of ${dropped[FrameType.credit]} dropped`);
    this.checkCredits();
  }

  /** What went in is out, dropped or on its way; by type, so that it holds for the credits too. */
  private checkCredits(): void {
    const { entered, left, dropped, copied, insideCount } = this.audit;
    let inside = 0;
    for (let type = 0; type < entered.length; type++) {
      const onTheWay = entered[type] + copied[type] - left[type] - dropped[type];
      if (onTheWay < 0) fail('census', `more frames of type ${type} came out than went in`);
      inside += onTheWay;
    }
    if (inside !== insideCount) fail('census', `${inside} frames should be on their way, ${insideCount} are`);
  }

  private checkDeadline(direction: LinkDirection, nowNs: number): void {
    const { place, deadlineNs, line, port } = direction;
    const nextNs = direction.nextTimeout();
    if (nextNs !== deadlineNs || deadlineNs < nowNs || this.fabric.nextTimeout() > deadlineNs) {
      fail('timers', `${place.name} has something to do at ${nextNs} ns, and is waited for at ${deadlineNs} ns`);
    }
    if (nextNs === Number.POSITIVE_INFINITY && line.length + (port?.heldFrames ?? 0) > 0) {
      fail('timers', `${place.name} holds frames and waits for nothing`);
    }
  }
}

function sum(counts: Float64Array): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Rounding of rates and times, in bytes. */
const ROUNDING_BYTES = 1e-3;

/** Looks at one port now and then: its queues keep their limits, its meter and its serialiser keep their rates. */
export class PortChecks {
  private readonly name: string;
  private readonly hasLiars: boolean;
  private settings: Readonly<PortConfig> | null = null;
  private sinceNs = 0;
  private creditBytes = 0;
  private allBytes = 0;
  /** The most that the port's meter may hold, and what of one frame its serialiser may have left. */
  private readonly meter = new Allowance();
  private readonly serialiser = new Allowance();

  /** `hasLiars`: credits may be as long as any frame, and overdraw the meter once. */
  constructor(name: string, hasLiars = false) {
    this.name = name;
    this.hasLiars = hasLiars;
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
    const overdraftBytes = this.hasLiars ? wireBytes(maxFrameBytes) : 0;
    if (!this.meter.take(creditBytes, linkBytes * creditShare(maxFrameBytes), overdraftBytes)) {
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
  take(bytes: number, addedBytes: number, overdraftBytes = 0): boolean {
    this.levelBytes = Math.min(this.depthBytes, this.levelBytes + addedBytes - bytes);
    return this.levelBytes >= -ROUNDING_BYTES - overdraftBytes;
  }
}

function bytesOf({ data, credit, control }: PortSnapshot): number {
  return data.wireBytes + credit.wireBytes + control.wireBytes;
}
