import { MILLISECOND_NS } from '../../base/time.js';
import { DEFAULT_SWITCH_PORT } from '../../net/host-settings.js';
import { checkSentence } from '../../udp/crc.js';
import type { SocketProblem } from '../../udp/socket-errors.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import { ExitCode } from '../shared/exit-codes.js';
import { linkWords } from '../shared/link-settings.js';
import type { Logger } from '../shared/logger.js';
import { LabSwitch } from './lab-switch.js';
import { SWITCH_OPTIONS } from './options.js';
import { SwitchPrinter } from './report.js';
import type { LabTopology } from './topology-file.js';
import { chooseTopology } from './topology-options.js';

type SwitchInvocation = Invocation<typeof SWITCH_OPTIONS>;

export const command = defineCommand({
  description:
    'Runs a software switch, or several and the links between them, until SIGINT or SIGTERM: meters credits, marks ECN, queues and delays as the ' +
    'topology says. Hosts attach to it with --switch; `xpass switch ctl` asks it and changes its links while it runs.',
  options: SWITCH_OPTIONS,
  logLevel: 'info',
  examples: [
    { line: 'xpass switch --link-rate 100mbit', meaning: `A star of 8 hosts at 127.0.0.1:${DEFAULT_SWITCH_PORT}` },
    {
      line: 'xpass switch --topology dumbbell --link-rate 1g --core-rate 100mbit --delay 20us',
      meaning: 'Eight hosts that share one slow link',
    },
    {
      line: 'xpass switch --topology lab.yaml --listen 0.0.0.0 --control /run/xpass/switch.sock',
      meaning: 'A topology of your own, for hosts on other machines',
    },
    { line: 'xpass switch --loss 5% --interval 1s', meaning: 'Bad links, and what becomes of the frames' },
    { line: 'xpass switch --json --interval 100ms', meaning: 'Say what happens to a program' },
  ],
  subcommands: [{ name: 'ctl', summary: 'ask a running switch, change its links', load: () => import('./ctl.js') }],
  run,
});

async function run({ options, results, logger, onInterrupt }: SwitchInvocation): Promise<ExitCode> {
  const interrupted = new Promise<void>((resolve) => {
    onInterrupt(() => resolve());
  });
  const lab = await chooseTopology(options);
  const running = await open(lab, options, logger);
  const printer = new SwitchPrinter(results, options.json);
  printer.listening({ lab, addresses: running.addresses, control: running.control.address }, running.report());
  const timer =
    options.interval === undefined
      ? undefined
      : setInterval(() => printer.interval(running.report()), options.interval / MILLISECOND_NS);
  await interrupted;
  clearInterval(timer);
  printer.summary(running.report(), running.driver());
  await running.close();
  return ExitCode.done;
}

async function open(lab: LabTopology, options: SwitchInvocation['options'], logger: Logger): Promise<LabSwitch> {
  const links = Object.entries(options.link).map(
    ([name, words]) => [name, linkWords(words, `link '${name}'`)] as const,
  );
  const running = await LabSwitch.open({
    lab,
    listen: options.listen,
    ...(options.control !== undefined && { control: options.control }),
    spin: options.spin,
    datapath: options.datapath,
    keepAliveMs: Math.round(options.keepAlive / MILLISECOND_NS),
    ...(options.seed !== undefined && { seed: options.seed }),
    links: new Map(links),
    onProblem: (problem) => logProblem(problem, logger),
  });
  if (running.fallback !== undefined) logger.warn(running.fallback);
  for (const warning of running.warnings) logger.info(warning);
  logger.info(checkSentence(running.frameCheck));
  return running;
}

/** The same problem comes again with every frame; the summary has its count. */
function logProblem({ code, count, message }: SocketProblem, logger: Logger): void {
  if (count === 1) logger.warn({ code }, message);
}
