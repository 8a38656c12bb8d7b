// Tested by test/apps/cli/commands.test.ts
// Tested by test/loopback/send.test.ts and test/loopback/send-failures.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, usageFailure } from '../../base/failure.js';
import { duration, rate, size } from '../../base/quantities.js';
import { integer, orWord, text } from '../../base/value-kind.js';
import { isWindowAlgorithm, WINDOW_ALGORITHMS } from '../../core/window/registry.js';
import { flowShare } from '../../net/host-options.js';
import type { Listing } from '../../services/file/list-entries.js';
import { unlimitedLossWarning } from '../../services/loss-warning.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import { parseTarget } from '../shared/command-host.js';
import { flag, option, optionalOption, requiredOption } from '../shared/options.js';
import { SHARE_OPTIONS, shareOf, TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import { findJobs } from './jobs.js';
import { RateLimiter } from './rate-limiter.js';
import { type FileResult, failedResult, failureSentence, reportResults } from './report.js';
import { SendRun } from './send-run.js';

const MAX_PARALLEL = 64;

/** The options of `xpass send`, and those of its endpoint. */
const SEND_OPTIONS = {
  to: requiredOption(text('HOST, HOST:PORT or [IPV6]:PORT; behind a switch a host id'), {
    describe: 'the daemon that takes the files',
  }),
  as: optionalOption(text("a relative name, folders with '/'"), {
    describe: "the file's name at the receiver, when there is one file; its own without it",
  }),
  bytes: optionalOption(size(), { describe: 'send only the first bytes of each file, this many' }),
  parallel: option(integer({ lowest: 1, highest: MAX_PARALLEL }), {
    describe: 'flows at a time: each carries a file, or small files in a row',
    alias: 'P',
    // A round trip and a sync of the disk for each file overlap with the bytes of others (measured: docs/decisions/0031-folders-and-pipes.md).
    defaultText: '16',
  }),
  name: optionalOption(text('a file name'), { describe: "the name of standard input ('-') at the receiver" }),
  limit: optionalOption(rate(), { describe: 'send no faster than this, all files together; no bound without it' }),
  quiet: flag({ describe: 'draw no progress, on a terminal too', alias: 'q' }),
  warmUp: optionalOption(orWord(duration(), 'hold', Number.POSITIVE_INFINITY), {
    describe:
      'first send to nowhere for this long, so that both processes run at full speed when the files begin; with hold until a first line comes, before that of --hold',
  }),
  hold: flag({ describe: 'open the files, attach, say "ready", and send when a line comes on standard input' }),
  json: flag({ describe: 'one JSON object at the end' }),
  ...SHARE_OPTIONS,
  ...TRANSPORT_OPTIONS,
};

export const command = defineCommand({
  description:
    'Sends files and folders to an `xpass daemon`, several at a time. A file counts as sent when the receiver has it whole under its name and says that ' +
    'its SHA-256 is right.',
  positionals: {
    label: 'FILE...',
    describe: "files, folders ('dir/' for what is in it), patterns such as '*.iso', '-' for standard input",
    least: 1,
    most: Number.POSITIVE_INFINITY,
  },
  options: SEND_OPTIONS,
  everyday: ['to', 'switch', 'as', 'parallel', 'rate', 'weight', 'key', 'json'],
  examples: [
    { line: 'xpass send big.iso --to 192.0.2.7', meaning: 'Send a file to the daemon of that host' },
    { line: 'xpass send big.iso --to 2 --switch 127.0.0.1', meaning: 'Send it to host 2 behind a switch' },
    { line: 'xpass send photos --to 192.0.2.7', meaning: 'Send a folder, as photos/...' },
    { line: 'xpass send - --name x.tar --to 192.0.2.7', meaning: 'Send standard input' },
    { line: 'xpass send a.log b.log -P 2 --to 127.0.0.1:28400 --json', meaning: 'Two at a time, JSON for a program' },
    { line: 'xpass send big.iso --bytes 16MiB --as sample.bin --to 127.0.0.1', meaning: 'Its first 16 MiB only' },
  ],
  run: runSend,
});

type SendInvocation = Invocation<typeof SEND_OPTIONS>;

/** Sends the files and says what became of them. Throws a Failure unless all were verified; nothing is sent when one of them cannot be read. */
async function runSend(invocation: SendInvocation): Promise<ExitCode> {
  const { options, results, logger, terminal } = invocation;
  checkAlgorithm(options);
  if (options.warmUp === Number.POSITIVE_INFINITY && !options.hold) {
    throw usageFailure("--warm-up 'hold' is not allowed without --hold; allowed: a duration, or --hold beside it");
  }
  const target = parseTarget(options.to, options.switch !== undefined);
  const { jobs, listing } = await findJobs(invocation);
  const run = new SendRun({
    settings: options,
    target,
    logger,
    terminal,
    jobs,
    share: flowShare(shareOf(options)),
    parallel: options.parallel,
    limiter: new RateLimiter(options.limit ?? Number.POSITIVE_INFINITY),
    isQuiet: options.quiet,
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
  const outcomes = [...run.outcomes, ...listing.problems.map(unreadResult)];
  const isMade = (at: number): boolean => jobs[at]?.isFolder === true && outcomes[at].verified;
  const files = outcomes.filter((_, at) => !isMade(at));
  reportResults(
    results,
    { files, foldersMade: outcomes.length - files.length, leftOut: listing.leftOut },
    options.json,
  );
  if (run.fatal !== null) throw run.fatal;
  const failed = outcomes.filter(({ verified }) => !verified);
  if (failed.length === 0) return ExitCode.done;
  throw new Failure(ExitCode.failed, failureSentence(failed, outcomes.length));
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

/** A file or folder of a folder that could not be looked at. */
function unreadResult({ name, message }: Listing['problems'][number]): FileResult {
  return failedResult({ name, bytes: 0, offset: 0 }, 'failed', message);
}
