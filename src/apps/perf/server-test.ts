// Tested by test/loopback/perf-server.test.ts
import type { PerfSession } from '../../services/perf/session.js';
import type { Document } from '../../telemetry/document.js';
import { intervalDocument } from './document.js';
import { IntervalLog } from './interval-log.js';
import { TestLines } from './lines.js';
import type { PerfOptions } from './options.js';
import { serverTerms, type TestTerms } from './test-terms.js';

/** The intervals of one test as its server sees them. */
export class ServerTest {
  private readonly terms: Pick<TestTerms, 'request' | 'streams'>;
  private readonly format: PerfOptions['format'];
  private readonly log: IntervalLog;

  constructor(session: PerfSession, { interval, format }: Pick<PerfOptions, 'interval' | 'format'>) {
    this.terms = serverTerms(session.request);
    this.format = format;
    const { omitNs } = session.request;
    this.log = new IntervalLog({ intervalNs: interval, omitNs, onInterval: () => {} });
    this.log.start(() => session.sample());
  }

  /** The test is over. May be called again. */
  stop(): void {
    this.log.stop();
  }

  /** For people. */
  get lines(): string[] {
    const lines = new TestLines(this.terms, this.format);
    return [lines.header(), ...this.log.intervals.flatMap((interval) => lines.interval(interval))];
  }

  /** As they stand in the document. */
  get documents(): Document[] {
    return this.log.intervals.map((interval) => intervalDocument(interval, this.terms));
  }
}
