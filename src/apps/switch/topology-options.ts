import { existsSync } from 'node:fs';
import { ConfigError } from '../../base/config-error.js';
import type { FieldSetting } from '../../base/setting.js';
import { longName, text } from '../../base/value-kind.js';
import { linkFields, linkTextKind } from '../../scenario/link-text.js';
import { suggestion } from '../../scenario/nearest.js';
import { type ChosenTopology, readTopologyFile } from '../../scenario/topology-file.js';
import { BUILTIN_TOPOLOGIES, builtinCounts, builtinTopology, type Count } from '../../switch/builtin-topologies.js';
import { IMPAIRMENT_SETTINGS, type LinkFields, PORT_SETTINGS } from '../../switch/link-settings.js';
import { DEFAULT_DATA_QUEUE_FRAMES } from '../../switch/port.js';
import { TOPOLOGY_SETTINGS } from '../../switch/topology.js';
import { type OptionSpec, type OptionValues, option, optionalOption } from '../shared/options.js';

/** Options that give all links a setting, and the settings. */
const ALL_LINKS = {
  linkRate: PORT_SETTINGS.rateBps,
  delay: PORT_SETTINGS.delayNs,
  creditQueue: PORT_SETTINGS.creditQueueFrames,
  dataQueue: PORT_SETTINGS.dataQueueBytes,
  ecnThreshold: PORT_SETTINGS.ecnThresholdBytes,
  ecnRtt: PORT_SETTINGS.ecnRttNs,
  ecnRamp: PORT_SETTINGS.ecnRampBytes,
  phantomDrain: PORT_SETTINGS.phantomDrainShare,
  speculativeQueue: PORT_SETTINGS.speculativeQueueBytes,
  frameSize: PORT_SETTINGS.maxFrameBytes,
};
/** The same for the links between switches, where it is another. */
const CORE_LINKS = { coreRate: PORT_SETTINGS.rateBps, coreDelay: PORT_SETTINGS.delayNs };
/** The data queue follows the frame size. */
const DATA_QUEUE_DEFAULT = `${DEFAULT_DATA_QUEUE_FRAMES}frames`;

type LinkOptions<S> = { [K in keyof S]: OptionSpec<string | undefined> };

function linkOptions<S extends object>(settings: S, where: string): LinkOptions<S> {
  const options = Object.entries<FieldSetting>(settings as never).map(([key, setting]) => {
    const { name, meaning, kind, default: usual } = setting;
    const text = setting === PORT_SETTINGS.dataQueueBytes ? DATA_QUEUE_DEFAULT : kind.format(usual);
    const describe = where === '' ? `${meaning}; ${text} without it` : `${where}: ${meaning}`;
    return [key, optionalOption(linkTextKind(name), { describe })];
  });
  return Object.fromEntries(options);
}

/** How many there are of something in the built-in topologies that have it, by the name of the option. */
const COUNTS: ReadonlyMap<string, Count> = new Map(
  BUILTIN_TOPOLOGIES.flatMap((name) => builtinCounts(name).map((count) => [count.name, count])),
);

function countOption([key, { kind, meaning, default: usual }]: readonly [string, Count]) {
  const owners = BUILTIN_TOPOLOGIES.filter((name) => builtinCounts(name).some((count) => count.name === key));
  const describe = `${owners.join(', ')}: ${meaning}; ${usual} without it`;
  return [key, optionalOption(kind, { describe })] as const;
}

const { spread, failoverDelayNs } = TOPOLOGY_SETTINGS;

/** Options that shape a built-in topology, or hold for all links. */
export const TOPOLOGY_OPTIONS = {
  topology: option(text(`${BUILTIN_TOPOLOGIES.join(', ')}, or a YAML or JSON file`), {
    describe: 'switches, hosts and links',
    defaultText: 'star',
  }),
  ...(Object.fromEntries([...COUNTS].map(countOption)) as Record<never, never>),
  ...linkOptions(ALL_LINKS, ''),
  ...linkOptions(CORE_LINKS, 'links between switches, where it is another'),
  spread: optionalOption(spread.kind, { describe: `${spread.meaning}; ${spread.default} without it` }),
  failoverDelay: optionalOption(failoverDelayNs.kind, {
    describe: `${failoverDelayNs.meaning}; ${failoverDelayNs.kind.format(failoverDelayNs.default)} without it`,
  }),
  loss: optionalOption(IMPAIRMENT_SETTINGS.lossRate.kind, {
    describe: 'part of all frames that each direction of each link loses',
  }),
};

export type TopologyValues = OptionValues<typeof TOPOLOGY_OPTIONS>;

/** Everything about a topology that its file says itself. */
const SHAPES = [...COUNTS.keys(), ...Object.keys(ALL_LINKS), ...Object.keys(CORE_LINKS), 'spread', 'failoverDelay'];

function given(values: TopologyValues, key: string): unknown {
  return (values as Readonly<Record<string, unknown>>)[key];
}

/** The topology that the options ask for. Throws a ConfigError that says what is allowed. */
export async function chooseTopology(values: TopologyValues): Promise<ChosenTopology> {
  const chosen = BUILTIN_TOPOLOGIES.includes(values.topology) ? builtIn(values) : await fromFile(values);
  return values.loss === undefined ? chosen : withLoss(chosen, values.loss);
}

function builtIn(values: TopologyValues): ChosenTopology {
  const { topology: name, spread, failoverDelay: failoverDelayNs } = values;
  const own = SHAPES.filter((key) => fits(key, name));
  const foreign = SHAPES.find((key) => given(values, key) !== undefined && !own.includes(key));
  if (foreign !== undefined) {
    const allowed = own.map((key) => `--${longName(key)}`).join(', ');
    throw new ConfigError(`--${longName(foreign)} is not for topology ${name}; allowed with it: ${allowed}`);
  }
  const counts = [...COUNTS.keys()].flatMap((key) =>
    given(values, key) === undefined ? [] : [[key, given(values, key)]],
  );
  const topology = builtinTopology(name, {
    ...Object.fromEntries(counts),
    ...fieldsOf(ALL_LINKS, values),
    core: fieldsOf(CORE_LINKS, values),
    spread,
    failoverDelayNs,
  });
  return { name, topology, trunks: [] };
}

/** Whether an option says anything about a built-in topology: a star has no links between switches. */
function fits(key: string, name: string): boolean {
  if (key in CORE_LINKS) return name !== 'star';
  return !COUNTS.has(key) || builtinCounts(name).some((count) => count.name === key);
}

function fieldsOf(options: object, values: TopologyValues): LinkFields {
  const texts = Object.entries<FieldSetting>(options as never).map(([key, { name }]) => [name, given(values, key)]);
  return linkFields(Object.fromEntries(texts));
}

async function fromFile(values: TopologyValues): Promise<ChosenTopology> {
  const path = values.topology;
  if (!/[./]/.test(path) && !existsSync(path)) {
    const names = BUILTIN_TOPOLOGIES.join(', ');
    throw new ConfigError(
      `unknown topology '${path}'${suggestion(path, BUILTIN_TOPOLOGIES)}; allowed: ${names}, or a YAML or JSON file`,
    );
  }
  const shape = SHAPES.find((key) => given(values, key) !== undefined);
  if (shape !== undefined) {
    throw new ConfigError(
      `--${longName(shape)} is for built-in topologies; the file '${path}' itself says it; allowed with it: --loss, --link`,
    );
  }
  return readTopologyFile(path);
}

function withLoss(chosen: ChosenTopology, lossRate: number): ChosenTopology {
  const lossy = <T extends { impairment: object }>(link: T): T => ({
    ...link,
    impairment: { ...link.impairment, lossRate },
  });
  const { links, trunks } = chosen.topology;
  return { ...chosen, topology: { ...chosen.topology, links: links.map(lossy), trunks: trunks.map(lossy) } };
}
