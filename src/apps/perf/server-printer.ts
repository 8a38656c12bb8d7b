import { displayDuration, displayRate, displaySize } from '../../base/display.js';
import { counter, gauge, group, initialValues, label, nullable } from '../../base/metric.js';
import { type MetricSource, metricSource } from '../../services/metrics/source.js';
import { RECEIVED_RESULTS } from '../../services/perf/results.js';
import type { PerfOutcome } from '../../services/perf/session.js';
import { type Reached, whereReached } from '../../services/reached.js';
import { type Document, documentOf } from '../../telemetry/document.js';
import type { Results } from '../shared/results.js';
import { goodputBps } from './report.js';

/** What a server counts. */
export const TEST_METRICS = {
  completedTests: counter('events', 'Tests with results'),
  failedTests: counter('events', 'Tests given up: the client was lost or ended'),
};

/** What a server says on standard output: lines for people, or one JSON object a line with its kind in `event`. docs/APPLICATIONS.md, "Output of perf" */
export class ServerPrinter {
  private readonly results: Results;
  private readonly isJson: boolean;
  private readonly counts = initialValues(TEST_METRICS);

  constructor(results: Results, isJson: boolean) {
    this.results = results;
    this.isJson = isJson;
  }

  /** The server is ready: programs wait for this line. */
  listening(reached: Reached): void {
    if (this.isJson) {
      const { address, switchAddress, hostId } = reached;
      const host = switchAddress === null ? null : hostId;
      this.results.json({ event: 'listening', address, switch: switchAddress, host_id: host });
      return;
    }
    this.results.line(`${whereReached(reached)}, for xpass perf -c`);
  }

  /** For Prometheus. */
  get metrics(): MetricSource {
    return metricSource({ perf: group('Tests', TEST_METRICS) }, () => ({ perf: this.counts }));
  }

  test(outcome: PerfOutcome): void {
    if (outcome.received === null) this.counts.failedTests++;
    else this.counts.completedTests++;
    if (this.isJson) this.results.json(outcomeEvent(outcome));
    else this.results.line(outcomeLine(outcome));
  }
}

/** What `--json` prints of a test. */
export const TEST_EVENT = {
  event: label('test'),
  peer: label('The client'),
  direction: label('forward: the client sends; reverse: the server'),
  flows: gauge('flows', 'Flows of data'),
  completed: label('Whether there are results', false),
  bytes: nullable(RECEIVED_RESULTS.bytes),
  durationNs: nullable(RECEIVED_RESULTS.durationNs),
  goodputBps: nullable(gauge('bit/s', 'Payload over the duration')),
};

function outcomeEvent({ peerName, request, received }: PerfOutcome): Document {
  const measured = received === null ? {} : { ...received, goodputBps: goodputBps(received) };
  return documentOf(TEST_EVENT, {
    ...request,
    bytes: null,
    durationNs: null,
    goodputBps: null,
    ...measured,
    event: 'test',
    peer: peerName,
    completed: received !== null,
  });
}

function outcomeLine({ peerName, request, received }: PerfOutcome): string {
  const { direction, flows } = request;
  const what = `${direction === 'forward' ? 'from' : 'to'} ${peerName}, ${flows === 1 ? '1 flow' : `${flows} flows`}`;
  if (received === null) return `${what}: given up, the client is lost or has ended`;
  const { bytes, durationNs } = received;
  return `${what}: ${displayRate(goodputBps(received))} (${displaySize(bytes)} in ${displayDuration(durationNs)})`;
}
