// Tested by test/loopback/lab.test.ts

import { ExitCode } from '../../base/exit-codes.js';
import { failureOf } from '../../base/failure.js';
import { compileBaselineOnMainThread, keepYoungGenerationSmall } from '../shared/v8-flags.js';
import { HostSession } from './host-session.js';
import type { FromHost, HostOrder, ToHost } from './messages.js';

keepYoungGenerationSmall();
compileBaselineOnMainThread();

/** One host of a lab, started by lab-processes.ts; takes orders by process messages and ends with its parent. */
function tell(message: FromHost): void {
  process.send?.(message);
}

let session: HostSession | null = null;

async function attach(order: HostOrder): Promise<void> {
  session = new HostSession(order, tell);
  try {
    await session.attach();
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    tell({ event: 'failed', message: failure.message, exitCode: failure.exitCode });
  }
}

function obey(session: HostSession, message: ToHost): void {
  switch (message.order) {
    case 'rehearse':
      session.rehearse(message.to);
      break;
    case 'rest':
      session.rest();
      break;
    case 'run':
      session.run(message.run);
      break;
    case 'reader':
      session.setReaderRate(message.rateBps);
      break;
    case 'look':
      tell({ event: 'flows', flows: session.look() });
      break;
    case 'report':
      tell({ event: 'report', report: session.report() });
      break;
  }
}

process.on('message', (message: ToHost) => {
  if (message.order === 'attach') void attach(message.host);
  else if (message.order === 'answer') tell({ event: 'alive' });
  else if (session !== null) obey(session, message);
});
// Ctrl-C in a terminal reaches every process of its group: the lab ends this one when it is done with it.
process.on('SIGINT', () => {});
process.once('disconnect', () => process.exit(ExitCode.done));
