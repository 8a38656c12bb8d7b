// Tested by test/apps/cli/commands.test.ts
// Tested by test/loopback/receive.test.ts
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { displayDuration, displayRate, displaySize } from '../../base/display.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf, usageFailure } from '../../base/failure.js';
import { duration } from '../../base/quantities.js';
import { integer, text } from '../../base/value-kind.js';
import type { Host } from '../../net/host.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import type { FileHeader } from '../../services/file/file-header.js';
import { checkReceiveDirectory } from '../../services/file/incoming-file.js';
import { PipeSink } from '../../services/file/pipe-sink.js';
import { FileReceiver } from '../../services/file/receive-file.js';
import { ServiceHost } from '../../services/service-host.js';
import { address, formatAddress } from '../../udp/address.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import { openCommandHost } from '../shared/command-host.js';
import { flag, option, optionalOption } from '../shared/options.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import { type FileTaker, type Received, ReceiveService, type TakerEvents } from './receive-service.js';

const LISTEN_DEFAULTS = { host: '127.0.0.1', port: DEFAULT_HOST_PORT, anyPort: true };
const STANDARD_OUTPUT = '-';
/** Files of one command (ours): more are a daemon's work. */
const MOST_FILES = 1_000;
/** How long a sender may take to read its verdict (ours): several times the retries of a lost one. */
const LINGER_MS = 5_000;
const LOOK_MS = 10;

const RECEIVE_OPTIONS = {
  listen: optionalOption(address(LISTEN_DEFAULTS), {
    describe: `take the file at this address, 127.0.0.1:${DEFAULT_HOST_PORT} without it; not with --switch`,
    alias: 'l',
  }),
  output: option(text("a file, or '-'"), {
    describe: "where it goes: '-' is standard output, as it comes; a file has its name only when all is right",
    alias: 'o',
    defaultText: STANDARD_OUTPUT,
  }),
  overwrite: flag({ describe: 'let the file of --output be replaced' }),
  count: option(integer({ lowest: 1, highest: MOST_FILES }), {
    describe: 'files to take, one after the other, written in a row',
    alias: 'n',
    defaultText: '1',
  }),
  timeout: option(duration({ lowest: 100e6 }), {
    describe: 'how long to wait for a file to begin',
    // Somebody walks to the other machine and types a command (ours).
    defaultText: '10min',
  }),
  ...TRANSPORT_OPTIONS,
};

export const command = defineCommand({
  description:
    'Takes one file of `xpass send` and writes it to standard output, which carries nothing else; standard error says where it listens. The exit status ' +
    'is 0 only when all has arrived and its SHA-256 is right. A slow reader holds the sender back.',
  options: RECEIVE_OPTIONS,
  everyday: ['listen', 'output', 'overwrite', 'count', 'timeout', 'switch', 'hostId', 'key', 'insecure'],
  logLevel: 'info',
  examples: [
    { line: 'xpass receive', meaning: `Listen on 127.0.0.1:${DEFAULT_HOST_PORT}, write to standard output` },
    { line: 'xpass receive --listen 0.0.0.0 --key lab.key --output x.tar', meaning: 'Take a file from the network' },
    { line: 'xpass receive --switch 127.0.0.1 --host-id 2', meaning: 'Be host 2 behind a switch' },
  ],
  run: runReceive,
});

type ReceiveInvocation = Invocation<typeof RECEIVE_OPTIONS>;

async function runReceive(invocation: ReceiveInvocation): Promise<ExitCode> {
  const { options, logger } = invocation;
  if (options.switch !== undefined && options.listen !== undefined) {
    throw usageFailure('--listen is for receivers without a switch: leave it out beside --switch');
  }
  if (options.output !== STANDARD_OUTPUT && options.count > 1) {
    throw usageFailure(`--count ${options.count} is not allowed with --output '${options.output}'; allowed: 1, or '-'`);
  }
  const take = await takerOf(invocation);
  const run = new ReceiveRun(invocation, take);
  const place = { listen: options.listen ?? LISTEN_DEFAULTS };
  const host = await openCommandHost({ settings: options, place, logger });
  try {
    return await run.serve(host);
  } finally {
    await host.destroy();
  }
}

/** Who takes a file, after looking whether there is room for one. */
async function takerOf(invocation: ReceiveInvocation): Promise<(header: FileHeader, events: TakerEvents) => FileTaker> {
  const { results, options } = invocation;
  const { output, overwrite } = options;
  if (output === STANDARD_OUTPUT) return (header, events) => new PipeSink(header, { sink: results, ...events });
  const directory = await checkReceiveDirectory(dirname(output));
  const name = basename(output);
  return (header, events) => new FileReceiver({ ...header, name }, { directory, overwrite, ...events });
}

/** One command: waits for files until it has them, or something ends it. */
class ReceiveRun {
  private readonly invocation: ReceiveInvocation;
  private readonly services: ServiceHost;
  private readonly files: ReceiveService;
  private left: number;
  private waiting: NodeJS.Timeout | undefined;
  private readonly over: Promise<Failure | null>;
  private resolve: (failure: Failure | null) => void = () => undefined;

  constructor(invocation: ReceiveInvocation, take: (header: FileHeader, events: TakerEvents) => FileTaker) {
    const { options, logger } = invocation;
    this.invocation = invocation;
    this.left = options.count;
    this.files = new ReceiveService({
      count: options.count,
      take,
      onBegun: () => clearTimeout(this.waiting),
      onReceived: (received) => void this.finish(received),
    });
    this.services = new ServiceHost({ services: [this.files], logger });
    this.over = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  async serve(host: Host): Promise<ExitCode> {
    const { logger, onInterrupt } = this.invocation;
    this.services.serve(host);
    host.once('detached', (error) => this.resolve(failureOf(error)));
    onInterrupt((signal) => this.interrupt(signal));
    logger.info(`listening at ${formatAddress(host.info.local)}`);
    this.wait();
    const failure = await this.over;
    clearTimeout(this.waiting);
    if (failure !== null) throw failure;
    return ExitCode.done;
  }

  private wait(): void {
    const { timeout } = this.invocation.options;
    const failure = new Failure(ExitCode.peer, `no file came within ${displayDuration(timeout)}: --timeout`);
    // Longer than setTimeout can wait is as good as for ever.
    this.waiting = setTimeout(() => this.resolve(failure), Math.min(timeout / 1e6, 2 ** 31 - 1));
  }

  /** The sender is told, if there is one; its verdict then ends the wait. */
  private interrupt(signal: string): void {
    this.files.stop(`the receiver was interrupted by ${signal}`);
    const failure = new Failure(ExitCode.failed, `interrupted by ${signal}: what was under way was given up`);
    void this.untilRead().then(() => this.resolve(failure));
  }

  private async finish({ header, verdict, durationNs, stream }: Received): Promise<void> {
    const { logger } = this.invocation;
    const fields = { peer: stream.peerName, code: verdict.code, sha256: verdict.sha256 };
    if (verdict.ok) {
      const { bytesDelivered } = stream.receiver.statistics;
      const pace = `${displayDuration(durationNs)}, ${displayRate((bytesDelivered * 8e9) / durationNs)}`;
      logger.info(fields, `received '${header.name}' (${displaySize(bytesDelivered)}) in ${pace}, SHA-256 verified`);
    }
    this.left--;
    if (verdict.ok && this.left > 0) {
      this.wait();
      return;
    }
    await this.untilRead();
    this.resolve(verdict.ok ? null : new Failure(ExitCode.failed, `nothing whole was received: ${verdict.message}`));
  }

  /** Senders close their streams when they have their verdicts. */
  private async untilRead(): Promise<void> {
    const untilMs = performance.now() + LINGER_MS;
    while (this.services.streamCount > 0 && performance.now() < untilMs) await sleep(LOOK_MS);
  }
}
