// Tested by test/apps/cli/commands.test.ts
// Tested by test/loopback/send.test.ts and test/loopback/send-failures.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, usageFailure } from '../../base/failure.js';
import { duration, size } from '../../base/quantities.js';
import { integer, orWord, text } from '../../base/value-kind.js';
import { isWindowAlgorithm, WINDOW_ALGORITHMS } from '../../core/window/registry.js';
import { flowShare } from '../../net/host-options.js';
import { openFileSource, type SendFileOptions } from '../../services/file/send-file.js';
import { unlimitedLossWarning } from '../../services/perf/histogram.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import { parseTarget } from '../shared/command-host.js';
import { flag, option, optionalOption, requiredOption } from '../shared/options.js';
import { SHARE_OPTIONS, shareOf, TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import { reportResults } from './report.js';
import { type Job, SendRun } from './send-run.js';

const MAX_PARALLEL = 64;

/** The options of `xpass send`, and those of its endpoint. */
const SEND_OPTIONS = {
  to: requiredOption(text('HOST, HOST:PORT or [IPV6]:PORT; behind a switch a host id'), {
    describe: 'the daemon that takes the files',
  }),
  as: optionalOption(text('a file name without directories'), {
    describe: "the file's name at the receiver, when there is one file; its own without it",
  }),
  bytes: optionalOption(size(), { describe: 'send only the first bytes of each file, this many' }),
  parallel: option(integer({ lowest: 1, highest: MAX_PARALLEL }), {
    describe: 'files under way at a time, each on a flow of its own',
    alias: 'P',
    defaultText: '1',
  }),
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
    'Sends files to an `xpass daemon`, one after the other or several at a time. A file counts as sent when the receiver has it whole under its name and says that ' +
    'its SHA-256 is right.',
  positionals: { label: 'FILE...', describe: 'regular files to send', least: 1, most: Number.POSITIVE_INFINITY },
  options: SEND_OPTIONS,
  everyday: ['to', 'switch', 'as', 'parallel', 'rate', 'weight', 'key', 'json'],
  examples: [
    { line: 'xpass send big.iso --to 192.0.2.7', meaning: 'Send a file to the daemon of that host' },
    { line: 'xpass send big.iso --to 2 --switch 127.0.0.1', meaning: 'Send it to host 2 behind a switch' },
    { line: 'xpass send a.log b.log -P 2 --to 127.0.0.1:28400 --json', meaning: 'Two at a time, JSON for a program' },
    { line: 'xpass send big.iso --bytes 16MiB --as sample.bin --to 127.0.0.1', meaning: 'Its first 16 MiB only' },
  ],
  run: runSend,
});

type SendInvocation = Invocation<typeof SEND_OPTIONS>;

/** Sends the files and says what became of them. Throws a Failure unless all were verified; nothing is sent when one of them cannot be read. */
async function runSend(invocation: SendInvocation): Promise<ExitCode> {
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
