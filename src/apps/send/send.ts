// Tested by test/loopback/send.test.ts and test/loopback/send-failures.test.ts

import { isWindowAlgorithm, WINDOW_ALGORITHMS } from '../../core/window/registry.js';
import type { Invocation } from '../shared/command.js';
import { parseTarget } from '../shared/command-host.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure, usageFailure } from '../shared/failure.js';
import { openFileSource, type SendFileOptions } from '../shared/files/send-file.js';
import { unlimitedLossWarning } from '../shared/loss-warning.js';
import { flowShare, shareOf } from '../shared/share-options.js';
import type { SEND_OPTIONS } from './options.js';
import { reportResults } from './report.js';
import { type Job, SendRun } from './send-run.js';

type SendInvocation = Invocation<typeof SEND_OPTIONS>;

/** Sends the files and says what became of them. Throws a Failure unless all were verified; nothing is sent when one of them cannot be read. */
export async function runSend(invocation: SendInvocation): Promise<ExitCode> {
  const { options, positionals, results, logger, terminal } = invocation;
  checkAlgorithm(options);
  if (options.warmUp === Number.POSITIVE_INFINITY && !options.hold) {
    throw usageFailure("--warm-up 'hold' is not allowed without --hold; allowed: a duration, or --hold beside it");
  }
  const target = parseTarget(options.to, options.switch !== undefined);
  const jobs = await checkFiles(positionals, fileOptions(invocation));
  const run = new SendRun({
    settings: options,
    target,
    logger,
    terminal,
    jobs,
    share: flowShare(shareOf(options)),
    parallel: options.parallel,
    warmUpNs: options.warmUp,
  });
  invocation.onInterrupt((signal) => {
    run.stop(new Failure(ExitCode.failed, `interrupted by ${signal}: what was under way was given up`));
  });
  const ready = (): void => (options.json ? results.json({ event: 'ready' }) : results.line('ready'));
  await run.run(options.hold ? { input: process.stdin, ready } : null);
  const lostFrames = run.outcomes.reduce((sum, outcome) => sum + outcome.lostFrames, 0);
  const isUnlimited = options.switch === undefined && !Number.isFinite(options.rate);
  const warning = isUnlimited ? unlimitedLossWarning(lostFrames) : null;
  if (warning !== null) logger.warn(warning);
  reportResults(results, run.outcomes, options.json);
  if (run.fatal !== null) throw run.fatal;
  const failed = run.outcomes.filter(({ verified }) => !verified);
  if (failed.length === 0) return ExitCode.done;
  const count = jobs.length === 1 ? '' : `${failed.length} of ${jobs.length} files failed: `;
  throw new Failure(ExitCode.failed, count + failed.map(({ message }) => message).join('; '));
}

/** Throws a usage Failure for a credit algorithm: it would rule nothing but the verdicts. */
function checkAlgorithm({ algorithm, set }: SendInvocation['options']): void {
  if (algorithm !== undefined && isWindowAlgorithm(algorithm)) return;
  if (algorithm === undefined && Object.keys(set).length === 0) return;
  const what = algorithm === undefined ? '--set' : `--algorithm '${algorithm}'`;
  const allowed = WINDOW_ALGORITHMS.map(({ name }) => name).join(', ');
  throw usageFailure(
    `${what} is about credits, which the daemon issues: give it there; allowed for a sender: --algorithm ${allowed}`,
  );
}

function fileOptions({ options, positionals }: SendInvocation): SendFileOptions {
  const { as: name, bytes } = options;
  if (name !== undefined && positionals.length > 1) {
    throw usageFailure(`--as '${name}' is given for ${positionals.length} files: it names one`);
  }
  return { ...(name !== undefined && { name }), ...(bytes !== undefined && { bytes }) };
}

/** Opens each file and closes it again, so that any number of them can be checked before the first is sent. */
async function checkFiles(paths: readonly string[], options: SendFileOptions): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const path of paths) {
    const source = await openFileSource(path, options);
    await source.close();
    jobs.push({ header: source.header, open: () => openFileSource(path, options) });
  }
  return jobs;
}
