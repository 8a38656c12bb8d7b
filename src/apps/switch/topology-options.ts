import { existsSync } from 'node:fs';
import { fraction } from '../../base/quantities.js';
import { choice, integer, text } from '../../base/value-kind.js';
import { BUILTIN_COUNTS, BUILTIN_TOPOLOGIES, builtinTopology } from '../../switch/builtin-topologies.js';
import { MAX_HOST_ID } from '../../wire/layout.js';
import { usageFailure } from '../shared/failure.js';
import {
  FAILOVER_DELAY,
  type LinkFields,
  linkFields,
  settingKind,
  type WrittenSetting,
} from '../shared/link-settings.js';
import { suggestion } from '../shared/nearest.js';
import { longName, type OptionValues, option, optionalOption } from '../shared/options.js';
import { type LabTopology, readTopologyFile } from './topology-file.js';

const COUNT = integer({ lowest: 1, highest: MAX_HOST_ID });

/** Options that shape a built-in topology, or hold for all links. */
export const TOPOLOGY_OPTIONS = {
  topology: option(text(`${BUILTIN_TOPOLOGIES.join(', ')}, or a YAML or JSON file`), {
    describe: 'switches, hosts and links',
    defaultText: 'star',
  }),
  hosts: optionalOption(COUNT, { describe: 'star: how many hosts there are; 8 without it' }),
  pairs: optionalOption(COUNT, { describe: 'dumbbell: hosts on each side; 4 without it' }),
  bottlenecks: optionalOption(COUNT, {
    describe: 'parking-lot, multi-bottleneck: links that the longest flows share; 2 without it',
  }),
  receivers: optionalOption(COUNT, { describe: 'multi-bottleneck: hosts behind all bottlenecks; 4 without it' }),
  leaves: optionalOption(COUNT, { describe: 'leaf-spine: switches with hosts; 4 without it' }),
  spines: optionalOption(COUNT, { describe: 'leaf-spine: switches that join the leaves; 2 without it' }),
  hostsPerLeaf: optionalOption(COUNT, { describe: 'leaf-spine: hosts at each leaf; 4 without it' }),
  pods: optionalOption(COUNT, { describe: 'fat-tree: groups of ToR and aggregation switches; 8 without it' }),
  coreSwitches: optionalOption(COUNT, { describe: 'fat-tree: switches that join the pods; 8 without it' }),
  aggregationPerPod: optionalOption(COUNT, { describe: 'fat-tree: aggregation switches in each pod; 2 without it' }),
  torsPerPod: optionalOption(COUNT, { describe: 'fat-tree: ToR switches in each pod; 4 without it' }),
  hostsPerTor: optionalOption(COUNT, { describe: 'fat-tree: hosts at each ToR switch; 6 without it' }),
  linkRate: setting('rate', 'rate of all links; unlimited without it'),
  coreRate: setting('rate', 'rate of the links between switches, where it is another'),
  delay: setting('delay', 'propagation delay of all links; none without it'),
  coreDelay: setting('delay', 'propagation delay of the links between switches, where it is another'),
  creditQueue: setting('creditQueue', 'credits that wait at a port at most; 8 without it'),
  dataQueue: setting('dataQueue', 'what waits in the data queue of a port at most; 250frames without it'),
  ecnThreshold: setting('ecnThreshold', 'mark frames that find more than this in the data queue; off without it'),
  ecnRtt: setting('ecnRtt', 'mark at rate * RTT / 7 of this RTT where --ecn-threshold is off'),
  ecnRamp: setting('ecnRamp', 'over how much more the part of marked frames rises to all; at once without it'),
  phantomDrain: setting(
    'phantomDrain',
    'mark by a phantom queue that drains at this part of the rate; by the data queue without it',
  ),
  speculativeQueue: setting(
    'speculativeQueue',
    'drop speculative frames that find more than this in the data queue; 6000 without it',
  ),
  frameSize: setting('frameSize', 'largest UDP payload on all links; 1472 without it'),
  spread: optionalOption(choice(['flow', 'path']), {
    describe:
      'how frames choose among equal paths: all by the hash of their flow, or those with a path id by it; path without it',
  }),
  failoverDelay: optionalOption(FAILOVER_DELAY, {
    describe:
      'how long a link between switches, or a trunk, is dead before paths avoid it, and live before they use it again; 10ms without it',
  }),
  loss: optionalOption(fraction(), { describe: 'part of all frames that each direction of each link loses' }),
};

export type TopologyValues = OptionValues<typeof TOPOLOGY_OPTIONS>;

type Key = keyof TopologyValues;

/** The options that say how many there are of something in a built-in topology. */
const COUNTED: ReadonlySet<Key> = new Set(
  Object.values(BUILTIN_COUNTS).flatMap((counts) => Object.keys(counts) as Key[]),
);
/** Settings that options give to all links, and to those between switches. */
const ALL_LINKS: ReadonlyMap<Key, string> = new Map([
  ['linkRate', 'rate'],
  ['delay', 'delay'],
  ['creditQueue', 'creditQueue'],
  ['dataQueue', 'dataQueue'],
  ['ecnThreshold', 'ecnThreshold'],
  ['ecnRtt', 'ecnRtt'],
  ['ecnRamp', 'ecnRamp'],
  ['phantomDrain', 'phantomDrain'],
  ['speculativeQueue', 'speculativeQueue'],
  ['frameSize', 'frameSize'],
]);
const CORE_LINKS: ReadonlyMap<Key, string> = new Map([
  ['coreRate', 'rate'],
  ['coreDelay', 'delay'],
]);
/** Everything about a topology that its file says itself. */
const SHAPES: ReadonlySet<Key> = new Set([
  ...COUNTED,
  ...ALL_LINKS.keys(),
  ...CORE_LINKS.keys(),
  'spread',
  'failoverDelay',
]);

function setting(name: string, describe: string) {
  return optionalOption(settingKind(name), { describe });
}

/** The topology that the options ask for. Throws a usage Failure, or a ConfigError of the switch, that says what is allowed. */
export async function chooseTopology(values: TopologyValues): Promise<LabTopology> {
  const chosen = BUILTIN_TOPOLOGIES.includes(values.topology) ? builtIn(values) : await fromFile(values);
  return values.loss === undefined ? chosen : withLoss(chosen, values.loss);
}

function builtIn(values: TopologyValues): LabTopology {
  const name = values.topology;
  const own = [...SHAPES].filter((key) => fits(key, name));
  const foreign = [...SHAPES].find((key) => values[key] !== undefined && !own.includes(key));
  if (foreign !== undefined) {
    const allowed = own.map((key) => `--${longName(key)}`).join(', ');
    throw usageFailure(`--${longName(foreign)} is not for topology ${name}; allowed with it: ${allowed}`);
  }
  const counts = Object.fromEntries([...COUNTED].map((key) => [key, values[key]]).filter(isGiven));
  const topology = builtinTopology(name, {
    ...counts,
    ...settingsOf(ALL_LINKS, values),
    core: settingsOf(CORE_LINKS, values),
    ...(values.spread !== undefined && { spread: values.spread }),
    ...(values.failoverDelay !== undefined && { failoverDelayNs: values.failoverDelay }),
  });
  return { name, topology, trunks: [] };
}

/** Whether an option says anything about a built-in topology: a star has no links between switches. */
function fits(key: Key, name: string): boolean {
  if (CORE_LINKS.has(key)) return name !== 'star';
  return !COUNTED.has(key) || key in BUILTIN_COUNTS[name];
}

function isGiven([, value]: readonly unknown[]): boolean {
  return value !== undefined;
}

function settingsOf(options: ReadonlyMap<Key, string>, values: TopologyValues): LinkFields {
  const written = [...options].flatMap(([key, name]): WrittenSetting[] => {
    const given = values[key];
    return given === undefined ? [] : [{ name, text: String(given), label: `--${longName(key)}` }];
  });
  return linkFields(written);
}

async function fromFile(values: TopologyValues): Promise<LabTopology> {
  const path = values.topology;
  if (!/[./]/.test(path) && !existsSync(path)) {
    const names = BUILTIN_TOPOLOGIES.join(', ');
    throw usageFailure(
      `unknown topology '${path}'${suggestion(path, BUILTIN_TOPOLOGIES)}; allowed: ${names}, or a YAML or JSON file`,
    );
  }
  const given = [...SHAPES].find((key) => values[key] !== undefined);
  if (given !== undefined) {
    throw usageFailure(
      `--${longName(given)} is for built-in topologies; the file '${path}' itself says it; allowed with it: --loss, --link`,
    );
  }
  return readTopologyFile(path);
}

function withLoss(chosen: LabTopology, lossRate: number): LabTopology {
  const lossy = <T extends { impairment: object }>(link: T): T => ({
    ...link,
    impairment: { ...link.impairment, lossRate },
  });
  const { links, trunks } = chosen.topology;
  return { ...chosen, topology: { ...chosen.topology, links: links.map(lossy), trunks: trunks.map(lossy) } };
}
