import type { Endpoint } from '../../src/core/endpoint.js';
import { ReceiverState } from '../../src/core/receiver-flow.js';
import type { FuzzApplication, FuzzReader, FuzzWriter } from './fuzz-machine.js';

function must(condition: boolean, what: string): void {
  if (!condition) throw new Error(`broken invariant: ${what}`);
}

/** What holds for an endpoint after every input, once it has been advanced to `nowNs` and drained. */
export function checkEndpoint(endpoint: Endpoint, nowNs: number): void {
  const { counters, config } = endpoint;
  must(endpoint.nextTimeout() > nowNs, `no timer in the past: ${endpoint.nextTimeout()} at ${nowNs}`);
  must(endpoint.flowCount >= 0 && endpoint.flowCount <= config.maxFlows, `${endpoint.flowCount} flows are open`);
  must(endpoint.lingeringCount <= config.maxLingering, `${endpoint.lingeringCount} flows linger`);
  must(endpoint.budget.outstanding >= 0, 'the budget counts no less than nothing');
  must(counters.outputOverflows === 0, 'the output takes what one input causes');
}

/** What holds for a flow's receiver after every input. */
export function checkReader({ flow, received, kept }: FuzzReader, endpoint: Endpoint): void {
  const { config } = endpoint;
  const seen = flow.statistics;
  const known = seen.creditsUsed + seen.creditsUnused + seen.creditsDropped;
  must(known + seen.creditsOutstanding === seen.creditsSent, 'every credit has one fate');
  must(Math.min(seen.creditsUsed, seen.creditsUnused, seen.creditsDropped) >= 0, 'no fate counts below zero');
  must(seen.creditsOutstanding <= config.maxOutstandingCredits, 'credits outstanding are bounded');
  must(seen.bytesHeld <= config.receiveWindowBytes, `${seen.bytesHeld} bytes are held`);
  must(flow.isClosed || seen.bytesDelivered === received, 'what is delivered is what the reader got');
  must(kept <= received, 'no more is kept than came');
}

/** What holds for a flow's sender after every input. */
export function checkWriter({ flow, written }: FuzzWriter): void {
  const { bytesWritten, bytesSent, bytesAcknowledged } = flow.statistics;
  must(bytesWritten === written, 'what is written is what the writer gave');
  must(bytesAcknowledged <= bytesSent && bytesSent <= bytesWritten, 'acknowledged, sent and written are in order');
}

/**
 * What holds between a reader and the writer of the same flow in an honest network: a reader gets no more than was written, and where both closed in
 * order exactly that; where the writer did, so did the reader.
 */
export function checkStreams(sender: FuzzApplication, receiver: FuzzApplication): void {
  for (const writer of sender.writers) {
    const readers = receiver.readers.filter((reader) => reader.flow.id === writer.flow.id);
    for (const reader of readers) {
      must(reader.received <= writer.written, 'no byte comes that was not written');
      if (reader.life.closed === null) must(reader.received === writer.written, 'a stream that ended is whole');
    }
    if (writer.life.closed === null) {
      must(
        readers.some((reader) => reader.life.closed === null),
        'a writer is done when its reader is',
      );
    }
  }
}

/** The budget of a host counts what its flows that send credits have outstanding and not overtaken; one without a bound counts nothing. */
export function checkBudget(endpoint: Endpoint, readers: readonly FuzzReader[]): void {
  if (!endpoint.budget.isBounded) {
    must(endpoint.budget.outstanding === 0, 'nobody reports to a budget without a bound');
    return;
  }
  const crediting = readers.filter(({ flow }) => flow.state === ReceiverState.creditSending);
  const awaited = crediting.map(
    ({ flow: { statistics } }) => statistics.creditsOutstanding - statistics.creditsOvertaken,
  );
  const sum = awaited.reduce((total, credits) => total + credits, 0);
  must(endpoint.budget.outstanding === sum, `the budget counts ${endpoint.budget.outstanding} credits of ${sum}`);
}
