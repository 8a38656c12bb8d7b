// Tested by test/services/perf/service.test.ts

import type { DriverStatistics } from '../../udp/statistics.js';
import type { FlowHost } from '../service.js';
import { driverFigures, type ReceivedResults, type SentResults, type SideResults } from './results.js';

/** What was measured on one side: it received, sent, or did both. */
export interface Measured {
  readonly received?: ReceivedResults;
  readonly sent?: SentResults;
}

/** What a process used and counted when a test began, to tell what the test took of it. */
export class PerfSide {
  private readonly host: FlowHost;
  private readonly driver: (() => DriverStatistics) | null;
  private readonly driverBefore: DriverStatistics | null;
  private readonly cpuBefore = process.cpuUsage();

  /** Without `driver` the results say nothing of it. */
  constructor(host: FlowHost, driver: (() => DriverStatistics) | null) {
    this.host = host;
    this.driver = driver;
    this.driverBefore = driver?.() ?? null;
  }

  /** Everything about the test. */
  results({ received, sent }: Measured): SideResults {
    const cpu = process.cpuUsage(this.cpuBefore);
    const { creditAlgorithm, frameBytes, info, link } = this.host;
    return {
      algorithm: creditAlgorithm,
      frameBytes,
      datapath: info.kind,
      linkBps: Number.isFinite(link.rateBps) ? link.rateBps : null,
      received: received ?? null,
      sent: sent ?? null,
      cpu: { user: cpu.user / 1e6, system: cpu.system / 1e6 },
      driver: this.driver === null ? null : driverFigures(this.driver(), this.driverBefore),
    };
  }
}
