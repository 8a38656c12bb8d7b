import { expect, it } from 'vitest';
import { type FieldSetting, type Setting, settingsOf } from '../../src/base/setting.js';
import { longName, type NumberKind } from '../../src/base/value-kind.js';
import { ENDPOINT_SETTINGS } from '../../src/core/config.js';
import { CREDIT_ALGORITHMS } from '../../src/core/credit/registry.js';
import { WINDOW_ALGORITHMS } from '../../src/core/window/registry.js';
import { HOST_SETTINGS } from '../../src/net/host-settings.js';
import { SIMULATION_CONFIG } from '../../src/sim/endpoint-defaults.js';
import { BUILTIN_TOPOLOGIES, builtinCounts } from '../../src/switch/builtin-topologies.js';
import { IMPAIRMENT_SETTINGS, PORT_SETTINGS } from '../../src/switch/link-settings.js';
import { TOPOLOGY_SETTINGS } from '../../src/switch/topology.js';

const HEAD = `# Settings

Every setting of a link, a topology, an endpoint, a host and an algorithm, made from the tables of the code by \`npm run docs:settings\`. Names are those of [scenario](SCENARIOS.md) and
[topology](../deploy/README.md#topology-files) files and of programs; the command line writes them with dashes, \`data-queue\`. A source that begins with "ours" is a choice of this project.
`;

type Columns = Readonly<Record<string, (setting: Setting) => string>>;

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const written = ({ kind }: Setting, value: unknown): string => (value === undefined ? '' : kind.format(value));

const NAMED: Columns = { setting: ({ name }) => code(name) };
const FIELD: Columns = { field: (setting) => code((setting as FieldSetting).field) };
const VALUES: Columns = {
  // Examples of how a quantity is written stand in SCENARIOS.md.
  allowed: ({ kind }) => kind.allowed.replace(/, such as [^;]*/, ''),
  default: (setting) => written(setting, setting.default),
};
const WORDS: Columns = { meaning: ({ meaning }) => meaning, source: ({ source }) => source };
const PARAMETER_VALUES: Columns = {
  lowest: ({ kind }) => String((kind as NumberKind).lowest),
  highest: ({ kind }) => String((kind as NumberKind).highest),
  default: ({ default: usual }) => String(usual),
  unit: ({ kind }) => (kind as NumberKind).unit,
};

function table(settings: readonly Setting[], columns: Columns): string {
  const cells = Object.values(columns);
  const rows = settings.map((setting) => cells.map((each) => cell(each(setting))));
  const lines = [Object.keys(columns), cells.map(() => '---'), ...rows];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function section(title: string, text: string, settings: readonly Setting[], columns: Columns): string {
  return [`## ${title}`, text, table(settings, columns)].join('\n\n');
}

function algorithms(): string[] {
  return [...CREDIT_ALGORITHMS, ...WINDOW_ALGORITHMS].map(({ name, summary, parameters }) => {
    const rows =
      parameters.length === 0 ? 'No parameters.' : table(parameters, { ...NAMED, ...PARAMETER_VALUES, ...WORDS });
    return `### ${name}\n\n${summary}.\n\n${rows}`;
  });
}

function reference(): string {
  const links = { ...NAMED, ...FIELD, ...VALUES, ...WORDS };
  const simulated: Columns = {
    'in the simulator': (setting) =>
      written(setting, SIMULATION_CONFIG[(setting as FieldSetting).field as keyof typeof SIMULATION_CONFIG]),
  };
  const owner: Columns = {
    topology: ({ name }) =>
      BUILTIN_TOPOLOGIES.filter((each) => builtinCounts(each).some((count) => count.name === name)).join(', '),
  };
  const counts = new Map(BUILTIN_TOPOLOGIES.flatMap((name) => builtinCounts(name).map((count) => [count.name, count])));
  return [
    HEAD.trimEnd(),
    section(
      'Ports of links',
      "A scenario's links have 10gbit and 4us by default. Queues may also be given in full frames: `250frames`, the default of `dataQueue`.",
      settingsOf(PORT_SETTINGS),
      links,
    ),
    section(
      'Impairments of links',
      'What a link does to frames besides carrying them.',
      settingsOf(IMPAIRMENT_SETTINGS),
      links,
    ),
    section(
      'Topologies',
      'Of all topologies, then the counts of those that are built in.',
      settingsOf(TOPOLOGY_SETTINGS),
      links,
    ),
    table([...counts.values()], { ...NAMED, ...owner, ...VALUES, meaning: WORDS.meaning }),
    section(
      'Hosts',
      'Options of `openHost` and of the commands `daemon`, `send`, `perf` and `tunnel`.',
      Object.values<Setting>(HOST_SETTINGS),
      { option: ({ name }) => code(`--${longName(name)}`), ...NAMED, ...VALUES, meaning: WORDS.meaning },
    ),
    section(
      'Endpoints',
      'Under `endpoint` of a group of hosts in a scenario. A time that has "or RTTs" beside it is the longer of the two.',
      settingsOf(ENDPOINT_SETTINGS),
      { ...NAMED, ...FIELD, ...VALUES, ...simulated, ...WORDS },
    ),
    '## Algorithms\n\nParameters are given as `parameters` in a scenario, `--set` and `set`.',
    ...algorithms(),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}

it('are listed in docs/SETTINGS.md as the code has them; npm run docs:settings writes it', async () => {
  await expect(reference()).toMatchFileSnapshot('../../docs/SETTINGS.md');
});
