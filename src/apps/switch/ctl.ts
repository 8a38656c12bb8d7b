// Tested by test/apps/switch/command.test.ts and test/loopback/switch-command.test.ts

import { ExitCode } from '../../base/exit-codes.js';
import { usageFailure } from '../../base/failure.js';
import { duration } from '../../base/quantities.js';
import { integer, text } from '../../base/value-kind.js';
import { DEFAULT_SWITCH_PORT } from '../../net/host-settings.js';
import { LINK_WORDS_ALLOWED, linkWords } from '../../scenario/link-text.js';
import { suggestion } from '../../scenario/nearest.js';
import { NETEM_HELP } from '../../scenario/netem-words.js';
import { CONTROL_ADDRESS, type ControlAddress } from '../../services/control/address.js';
import { type LinkSettingChanges, SwitchControl } from '../../services/control/client.js';
import { findControlPath, thisSystem } from '../../services/control/default-path.js';
import { readTokenFile } from '../../services/control/token.js';
import { DIRECTION_METRICS } from '../../switch/link-direction.js';
import { documentOf } from '../../telemetry/document.js';
import { DRIVER_METRICS } from '../../udp/statistics.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import { flag, optionalOption } from '../shared/options.js';
import { portsEvent } from './report.js';
import { driverLines, hostLines, portLines, settingLines } from './tables.js';

const OPTIONS = {
  control: optionalOption(CONTROL_ADDRESS, {
    describe: "where the switch takes commands, as its first line says; without it the socket of this user's switch",
    alias: 'c',
  }),
  port: optionalOption(integer({ lowest: 1, highest: 65_535 }), {
    describe: `UDP port of the switch whose socket is meant, where this user has several; ${DEFAULT_SWITCH_PORT} without it`,
    alias: 'p',
  }),
  controlToken: optionalOption(text('a file whose first line is the token'), {
    describe: 'what a switch that takes commands by TCP wants to hear',
  }),
  timeout: optionalOption(duration({ lowest: 1e6, highest: 3_600e9 }), {
    describe: 'how long the switch has for each answer; 5 s without it',
  }),
  json: flag({ describe: 'print one JSON object' }),
};

type CtlInvocation = Invocation<typeof OPTIONS>;
type Action = (control: SwitchControl, invocation: CtlInvocation) => Promise<void>;

const FORMS = 'ports, link NAME SETTING..., reset';

export const command = defineCommand({
  description:
    'Asks a running switch, or changes its links: `ports` prints what each port carried, queued and dropped; `link NAME SETTING...` changes both directions ' +
    `of a link, or one by its own name, from->to; \`reset\` begins all counts anew. Settings of a link: ${LINK_WORDS_ALLOWED}.`,
  positionals: { label: 'ACTION', describe: FORMS, least: 1, most: 100, words: ['ports', 'link', 'reset'] },
  options: OPTIONS,
  notes: { title: "Settings in tc-netem's words, and what they mean here", rows: NETEM_HELP },
  examples: [
    { line: 'xpass switch ctl ports', meaning: 'What each port carried, queued and dropped' },
    { line: 'xpass switch ctl link h1 rate 10mbit delay 5ms', meaning: 'Slow the link of host 1 down' },
    { line: 'xpass switch ctl link left-right loss 5% duplicate 1%', meaning: 'Spoil the link between two switches' },
    { line: 'xpass switch ctl link h1 delay 10ms 2ms loss 1% rate 100mbit limit 100', meaning: 'As tc-netem takes it' },
    { line: 'xpass switch ctl link h1 down', meaning: 'Take a link down; `up` brings it back' },
    { line: 'xpass switch ctl link h1 clear', meaning: 'No impairments any more' },
    { line: 'xpass switch ctl --port 28600 reset', meaning: 'Count anew, at another switch' },
  ],
  run,
});

async function run(invocation: CtlInvocation): Promise<ExitCode> {
  const { options, positionals } = invocation;
  // Read before there is a connection: wrong usage is said whether or not a switch runs.
  const action = readAction(positionals);
  const timeout = options.timeout === undefined ? {} : { timeoutMs: options.timeout / 1e6 };
  const at = controlOf(options);
  const token = options.controlToken === undefined ? {} : { token: await readTokenFile(options.controlToken) };
  const control = await SwitchControl.connect(at, { ...timeout, ...token });
  try {
    await action(control, invocation);
  } finally {
    control.close();
  }
  return ExitCode.done;
}

/** A switch at the default path is found by itself, where the user has one, or by its port. */
function controlOf({ control, port, controlToken }: CtlInvocation['options']): ControlAddress {
  if (control !== undefined && 'path' in control && controlToken !== undefined) {
    throw usageFailure('--control-token is for a switch that takes commands by TCP: leave it out beside a path');
  }
  return control ?? { path: findControlPath(port, thisSystem()) };
}

function readAction([verb, ...rest]: readonly string[]): Action {
  if (verb === 'link') return linkAction(rest);
  const action = ACTIONS.get(verb);
  if (action === undefined) {
    throw usageFailure(`unknown action '${verb}'${suggestion(verb, [...ACTIONS.keys(), 'link'])}; allowed: ${FORMS}`);
  }
  if (rest.length > 0) throw usageFailure(`unexpected argument '${rest[0]}' after ${verb}; allowed: ${FORMS}`);
  return action;
}

/** Those without arguments. */
const ACTIONS: ReadonlyMap<string, Action> = new Map([
  ['ports', showPorts],
  ['reset', resetCounts],
]);

async function showPorts(control: SwitchControl, { results, options }: CtlInvocation): Promise<void> {
  const report = await control.ports();
  const driver = await control.driver();
  if (options.json) results.json({ ...portsEvent('ports', report), driver: documentOf(DRIVER_METRICS, driver) });
  else results.line([...portLines(report), ...hostLines(report), ...driverLines(driver)].join('\n'));
}

async function resetCounts(control: SwitchControl, { results, options }: CtlInvocation): Promise<void> {
  await control.reset();
  if (options.json) results.json({ event: 'reset' });
  else results.line(`the switch at ${control.address} counts anew`);
}

function linkAction([name, ...words]: readonly string[]): Action {
  if (name === undefined) throw usageFailure(`the link is missing; allowed: ${FORMS}`);
  const changes: LinkSettingChanges = linkWords(words.join(' '), `link '${name}'`);
  return async (control, { results, options }) => {
    const ports = await control.setLink(name, changes);
    if (options.json)
      results.json({ event: 'link', link: name, ports: ports.map((port) => documentOf(DIRECTION_METRICS, port)) });
    else results.line([...settingLines(ports), `set: ${words.join(' ')}`].join('\n'));
  };
}
