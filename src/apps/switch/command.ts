// Tested by test/apps/switch/command.test.ts and test/loopback/switch-command.test.ts

import type { Logger } from 'pino';
import { ExitCode } from '../../base/exit-codes.js';
import { duration, formatDuration } from '../../base/quantities.js';
import { MILLISECOND_NS } from '../../base/time.js';
import { integer, text } from '../../base/value-kind.js';
import { DEFAULT_SWITCH_PORT } from '../../net/host-settings.js';
import { readKeys, refuseOpenDoor } from '../../net/keys.js';
import { linkWords } from '../../scenario/link-text.js';
import type { ChosenTopology } from '../../scenario/topology-file.js';
import { CONTROL_ADDRESS, isLocal } from '../../services/control/address.js';
import { readTokenFile } from '../../services/control/token.js';
import type { MetricsServer } from '../../services/metrics/server.js';
import { DEFAULT_KEEP_ALIVE_MS, SWITCH_METRICS } from '../../switch/switch.js';
import { address } from '../../udp/address.js';
import { checkSentence } from '../../udp/crc.js';
import type { SocketProblem } from '../../udp/socket-errors.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import { METRICS_OPTION, serveMetrics } from '../shared/metrics.js';
import { flag, mapOption, option, optionalOption } from '../shared/options.js';
import type { Results } from '../shared/results.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import { SUMMARY_METRICS, SwitchPrinter } from './report.js';
import { SwitchServer } from './switch-server.js';
import { chooseTopology, TOPOLOGY_OPTIONS } from './topology-options.js';

/** Ours; the field of ATTACHED takes 65.535 s. PROTOCOL §3.9 */
const MAX_KEEP_ALIVE_NS = 60_000 * MILLISECOND_NS;
/** One forwards for all ports: docs/decisions/0016-one-thread.md. */
const MAX_WORKERS = 1;
/** Seeds of the generator are 32-bit. */
const MAX_SEED = 2 ** 32 - 1;

const SWITCH_OPTIONS = {
  listen: option(address({ host: '127.0.0.1', port: DEFAULT_SWITCH_PORT, anyPort: true }), {
    describe: 'UDP address at which hosts find the switch',
    alias: 'l',
    defaultText: `127.0.0.1:${DEFAULT_SWITCH_PORT}`,
  }),
  control: optionalOption(CONTROL_ADDRESS, {
    describe: 'where `xpass switch ctl` finds the switch; a socket of this user for the UDP port without it',
  }),
  controlToken: optionalOption(text('a file whose first line is the token'), {
    describe: 'what `ctl` has to know where --control is TCP; made and printed once without it',
  }),
  key: optionalOption(text('a file'), {
    describe: 'secret that hosts have to know to attach (xpass key new)',
  }),
  insecure: flag({ describe: 'listen beyond loopback without a key: whoever reaches the switch may attach' }),
  ...TOPOLOGY_OPTIONS,
  link: mapOption(text('settings as `ctl link` takes them, such as "rate 10mbit loss 5%"'), {
    describe: 'settings of one link from the start',
  }),
  seed: optionalOption(integer({ highest: MAX_SEED }), {
    describe: 'have loss, duplication and so on meet the same frames in every run',
  }),
  keepAlive: option(duration({ lowest: MILLISECOND_NS, highest: MAX_KEEP_ALIVE_NS }), {
    describe: 'how often hosts say that they are there; a port is freed after four times this',
    defaultText: formatDuration(DEFAULT_KEEP_ALIVE_MS * MILLISECOND_NS),
  }),
  workers: option(integer({ lowest: 1, highest: MAX_WORKERS }), {
    describe:
      'threads that forward; more than one would cost more than it brings, see docs/decisions/0016-one-thread.md',
    defaultText: '1',
  }),
  spin: TRANSPORT_OPTIONS.spin,
  datapath: TRANSPORT_OPTIONS.datapath,
  interval: optionalOption(duration({ lowest: 10 * MILLISECOND_NS }), {
    describe: 'print the ports this often',
    alias: 'i',
  }),
  metrics: METRICS_OPTION,
  json: flag({ describe: 'one JSON object a line: metrics, listening, ports at each interval, summary' }),
};

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
      line: 'xpass switch --topology lab.yaml --listen 0.0.0.0 --key lab.key',
      meaning: 'A topology of your own, for hosts on other machines',
    },
    { line: 'xpass switch --loss 5% --interval 1s', meaning: 'Bad links, and what becomes of the frames' },
    { line: 'xpass switch --metrics :9101', meaning: 'Let Prometheus watch it at 127.0.0.1:9101' },
    { line: 'xpass switch --json --interval 100ms', meaning: 'Say what happens to a program' },
  ],
  subcommands: [{ name: 'ctl', summary: 'ask a running switch, change its links', load: () => import('./ctl.js') }],
  run,
});

async function run({ options, results, logger, onInterrupt }: SwitchInvocation): Promise<ExitCode> {
  const interrupted = new Promise<void>((resolve) => {
    onInterrupt(() => resolve());
  });
  const chosen = await chooseTopology(options);
  const running = await open(chosen, options, logger);
  const printer = new SwitchPrinter(results, options.json);
  const metrics = await openMetrics(running, options, results);
  const { addresses, control, controlToken } = running;
  printer.listening(
    { chosen, addresses, control: control.address, controlToken: shownToken(options, controlToken) },
    running.report(),
  );
  const timer =
    options.interval === undefined
      ? undefined
      : setInterval(() => printer.interval(running.report()), options.interval / MILLISECOND_NS);
  await interrupted;
  clearInterval(timer);
  printer.summary(running.report(), running.driver());
  await metrics?.close();
  await running.close();
  return ExitCode.done;
}

/** Without its metrics no switch is left running. */
async function openMetrics(
  running: SwitchServer,
  { metrics: listen, json: isJson }: SwitchInvocation['options'],
  results: Results,
): Promise<MetricsServer | null> {
  const sources = [
    { fields: SWITCH_METRICS, read: () => running.report() },
    { fields: { driver: SUMMARY_METRICS.driver }, read: () => ({ driver: running.driver() }) },
  ];
  try {
    return await serveMetrics({ listen, sources, trouble: () => null }, { results, isJson });
  } catch (error) {
    await running.close();
    throw error;
  }
}

async function open(
  chosen: ChosenTopology,
  options: SwitchInvocation['options'],
  logger: Logger,
): Promise<SwitchServer> {
  const links = Object.entries(options.link).map(
    ([name, words]) => [name, linkWords(words, `link '${name}'`)] as const,
  );
  const { key, insecure, listen } = options;
  const keys = await readKeys({ switchKey: key });
  refuseOpenDoor({ listen, hasKey: key !== undefined, insecure });
  const running = await SwitchServer.open({
    chosen,
    listen,
    proof: keys.proof,
    ...(options.control !== undefined && { control: options.control }),
    ...(options.controlToken !== undefined && { controlToken: readTokenFile(options.controlToken) }),
    spin: options.spin,
    datapath: options.datapath,
    keepAliveMs: Math.round(options.keepAlive / MILLISECOND_NS),
    ...(options.seed !== undefined && { seed: options.seed }),
    links: new Map(links),
    onProblem: (problem) => logProblem(problem, logger),
  });
  if (running.fallback !== undefined) logger.warn(running.fallback);
  for (const warning of running.warnings) logger.info(warning);
  if (!isLocal(running.control.address)) logger.warn(REMOTE_CONTROL);
  logger.info(checkSentence(running.frameCheck));
  return running;
}

/** Only one that was made: whoever wrote a file knows it. */
function shownToken({ controlToken: file }: SwitchInvocation['options'], token: string | null): string | null {
  return file === undefined ? token : null;
}

const REMOTE_CONTROL =
  'the control listens for other machines: its token and all commands cross the network as plain text; a tunnel to a Unix domain socket does not show them';

/** The same problem comes again with every frame; the summary has its count. */
function logProblem({ code, count, message }: SocketProblem, logger: Logger): void {
  if (count === 1) logger.warn({ code }, message);
}
