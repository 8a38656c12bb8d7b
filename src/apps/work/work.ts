// Tested by test/loopback/queue.test.ts
import { availableParallelism } from 'node:os';
import { ExitCode } from '../../base/exit-codes.js';
import { serveRuns, type WorkEvent, type WorkSummary } from '../../scenario/queue/serve-runs.js';
import type { WorkInvocation } from './options.js';

/** Plays runs of a queue until a signal comes. */
export async function runWork({ options, results, logger, onInterrupt }: WorkInvocation): Promise<ExitCode> {
  const abort = new AbortController();
  const release = onInterrupt(() => abort.abort());
  const { queue, json, jobs = availableParallelism() } = options;
  const onEvent = (event: WorkEvent): void => {
    if (json) results.json(event);
    else logger[LEVELS[event.event]](sentence(event));
  };
  try {
    const summary = await serveRuns({ queue, jobs, signal: abort.signal, onEvent });
    if (json) results.json({ event: 'summary', ...summary });
    else results.line(summaryLine(summary));
    return ExitCode.done;
  } finally {
    release();
  }
}

const LEVELS = {
  listening: 'info',
  run: 'info',
  broke: 'warn',
  abandoned: 'info',
  refused: 'warn',
  handed_back: 'info',
} as const satisfies Record<WorkEvent['event'], 'info' | 'warn'>;

function sentence(event: WorkEvent): string {
  switch (event.event) {
    case 'listening':
      return `takes runs of xpass ${event.stamp} from ${event.queue}, ${event.jobs} at a time`;
    case 'run':
      return `'${event.scenario}' with seed ${event.seed}: ${event.error ?? `done in ${event.wall_s.toFixed(2)} s`} (${event.run})`;
    case 'broke':
      return `start ${event.attempt} of run ${event.run} broke: ${event.error}`;
    case 'abandoned':
      return `run ${event.run} belongs to a sweep that has ended`;
    case 'refused':
      return `refuses sweep ${event.sweep}, which needs xpass ${event.needs}: this is ${event.stamp}`;
    case 'handed_back':
      return `stops; ${event.runs} ${event.runs === 1 ? 'run goes' : 'runs go'} back to the queue`;
  }
}

function summaryLine({ done, failed, broke, handed_back, abandoned, refused }: WorkSummary): string {
  return `${done} runs done, ${failed} of them failed; ${broke} broken, ${handed_back} handed back, ${abandoned} of sweeps that had ended; ${refused} sweeps refused`;
}
