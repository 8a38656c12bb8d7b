// Tested by test/scenario/play/run-all.test.ts and test/loopback/queue.test.ts
import { displayDuration } from '../../base/display.js';
import { patienceMs, withPatience } from './patience.js';
import { type PlayAnswer, type PlayRequest, play } from './play.js';
import { startThread, type Thread } from './threads.js';

export type SimulationThread = Thread<PlayRequest, PlayAnswer>;

export function startSimulation(): SimulationThread {
  return startThread('scenario/play/simulation.worker', play);
}

/** For the `progress` of a PlayRequest. */
export function newProgress(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
}

/**
 * A run may take hours, but its virtual time advances, so a time without that is bounded: many times the patience that processes get, since building a
 * large world and summing its results up are not in virtual time (ours).
 */
const PATIENCES = 15;

/** Never rejects. Stops a thread that broke, since its other parts may wait for it for ever, and one that our own bug left in any state. */
export async function playInThread(thread: SimulationThread, request: PlayRequest): Promise<PlayAnswer> {
  const progress = new Float64Array(request.progress);
  const answered = thread.ask(request).catch(crash);
  const answer = await withPatience(answered, 'the simulation thread did not answer', {
    takesMs: (PATIENCES - 1) * patienceMs(),
    progress: () => progress[1],
    lastHeard: () => `simulation thread: at ${displayDuration(progress[1])} of its time`,
  }).catch(({ message }: Error) => ({ error: { message, stack: '', isMistake: false } }));
  if (thread.isOver || ('error' in answer && !answer.error.isMistake)) await thread.stop();
  return answer;
}

/** A thread that ran out of memory is the size of the scenario, not a bug. */
function crash(error: Error & { code?: string }): PlayAnswer {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY')
    return { error: { message: error.message, stack: error.stack ?? error.message, isMistake: false } };
  const message =
    'the simulation ran out of memory: allow more with NODE_OPTIONS=--max-old-space-size, or use fewer flows';
  return { error: { message, stack: '', isMistake: true } };
}
