// Tested by test/sim/fuzz/planted-bugs.test.ts
import type { Fabric } from '../../switch/fabric.js';
import type { LinkDirection } from '../../switch/link-direction.js';
import { PortDrop } from '../../switch/port-statistics.js';
import { FrameType } from '../../wire/layout.js';
import type { FrameAudit } from './frame-audit.js';
import { PortChecks } from './port-checks.js';
import { fail } from './violation.js';

/** Looks at all links now and then: every frame in the fabric is in a queue or on a line, every loss and every copy is counted, and no deadline is forgotten. */
export class FabricChecks {
  private readonly fabric: Fabric;
  private readonly audit: FrameAudit;
  private readonly ports: readonly PortChecks[];

  constructor(fabric: Fabric, audit: FrameAudit) {
    this.fabric = fabric;
    this.audit = audit;
    this.ports = fabric.linkDirections.map(({ place }) => new PortChecks(place.name));
  }

  check(nowNs: number): void {
    let [heldFrames, drops, copies, creditDrops] = [0, 0, 0, 0];
    for (const direction of this.fabric.linkDirections) {
      const { port, line, statistics, place } = direction;
      heldFrames += line.length + (port?.heldFrames ?? 0);
      for (const count of statistics.drops) drops += count;
      creditDrops += statistics.drops[PortDrop.creditQueueFull] + statistics.drops[PortDrop.lowCreditQueueFull];
      copies += statistics.duplicated;
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
