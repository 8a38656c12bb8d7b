import { displayDuration, displayRate, displaySize } from '../shared/display.js';
import { snakeCase } from '../shared/json-names.js';
import type { PerfOutcome } from '../shared/perf/session.js';
import { type Reached, whereReached } from '../shared/reached.js';
import type { Results } from '../shared/results.js';
import { goodputBps } from './report.js';

/** What a server says on standard output: lines for people, or one JSON object a line with its kind in `event`. docs/APPLICATIONS.md, "Output of perf" */
export class ServerPrinter {
  private readonly results: Results;
  private readonly isJson: boolean;

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

  test(outcome: PerfOutcome): void {
    if (this.isJson) this.results.json(outcomeEvent(outcome));
    else this.results.line(outcomeLine(outcome));
  }
}

function outcomeEvent({ peerName, request, received }: PerfOutcome): unknown {
  const { direction, flows } = request;
  const measured =
    received === null
      ? { bytes: null, durationS: null, goodputBps: null }
      : { bytes: received.bytes, durationS: received.durationNs / 1e9, goodputBps: goodputBps(received) };
  return snakeCase({ event: 'test', peer: peerName, direction, flows, completed: received !== null, ...measured });
}

function outcomeLine({ peerName, request, received }: PerfOutcome): string {
  const { direction, flows } = request;
  const what = `${direction === 'forward' ? 'from' : 'to'} ${peerName}, ${flows === 1 ? '1 flow' : `${flows} flows`}`;
  if (received === null) return `${what}: given up, the client is lost or has ended`;
  const { bytes, durationNs } = received;
  return `${what}: ${displayRate(goodputBps(received))} (${displaySize(bytes)} in ${displayDuration(durationNs)})`;
}
