// Tested by test/switch/topology.test.ts and test/switch/control.test.ts
import { ConfigError, type Path, showValue } from '../base/config-error.js';
import { duration, fraction, rate, size } from '../base/quantities.js';
import { checkFields, type FieldSetting, row, settingsOf, settingTable } from '../base/setting.js';
import { type CheckedKind, decimal, FLAG, integer, orWord } from '../base/value-kind.js';
import { DEFAULT_FRAME_BYTES, FrameType, MAX_FRAME_BYTES, MIN_FRAME_BYTES, wireBytes } from '../wire/layout.js';
import { type FrameTypeName, type ImpairmentConfig, NO_IMPAIRMENT } from './impairment.js';
import { DEFAULT_DATA_QUEUE_FRAMES, DEFAULT_PORT, MAX_CREDIT_QUEUE_FRAMES, type PortConfig } from './port.js';

/** What a link is told, as code has it: any fields of PortConfig and ImpairmentConfig. */
export type LinkFields = Partial<PortConfig> & Partial<ImpairmentConfig>;

/** What a link and a trunk have in common: both directions start with these settings. */
export interface LinkSettings {
  readonly port: PortConfig;
  readonly impairment: Partial<ImpairmentConfig>;
}

/** A delay of 100 s outlives every timeout of the protocol (ours). */
const DELAY = duration({ highest: 1e11 });
const PART = fraction();
/** A queue of 1 GiB is more than the frames that a process can hold (ours). */
const QUEUE = size({ highest: 2 ** 30 });
/** A credit of 92 wire bytes has to fit into the bucket. PROTOCOL §9.1 */
const MAX_CREDIT_WIRE_BYTES = 92;
const QUEUED_CREDITS = { highest: MAX_CREDIT_QUEUE_FRAMES, unit: 'credits' };
const DCTCP = 'RFC 8257; PROTOCOL §9.3';
const OURS = 'ours';

/** Every setting of a port, by its field. */
export const PORT_SETTINGS = settingTable<PortConfig>(DEFAULT_PORT, {
  rateBps: row('rate', rate({ unlimited: true }), 'rate of the link; an unlimited one has no credits to meter', OURS),
  delayNs: row('delay', DELAY, 'propagation delay, one way', OURS),
  maxFrameBytes: row(
    'frameSize',
    size({ lowest: MIN_FRAME_BYTES, highest: MAX_FRAME_BYTES }),
    'largest UDP payload; the hosts at the link use it too',
    'PROTOCOL §1.1',
  ),
  creditQueueFrames: row(
    'creditQueue',
    integer({ ...QUEUED_CREDITS, lowest: 1 }),
    'credits that wait at a port at most, of each class',
    'ExpressPass 2017',
  ),
  creditClassWeight: row(
    'creditClasses',
    // A class that gets less than a thousandth of the credits is starved (ours).
    orWord(decimal({ lowest: 0.001, highest: 1e6 }), 'strict', Number.POSITIVE_INFINITY),
    'credits of the high class for each of the low class while both wait; strict: the high class always goes first',
    'PROTOCOL §9.8',
  ),
  creditBurstBytes: row(
    'creditBurst',
    size({ lowest: MAX_CREDIT_WIRE_BYTES, highest: 1e6 }),
    'depth of the credit meter',
    'PROTOCOL §9.1',
  ),
  creditMarkFrames: row(
    'creditMark',
    integer(QUEUED_CREDITS),
    'credits after which the share that is marked is renewed (N_cdt); 0: none is marked',
    'SprayPass §III-B1; PROTOCOL §9.3',
  ),
  dataQueueBytes: row(
    'dataQueue',
    QUEUE,
    'what waits in the data queue of a port at most',
    "the authors' ns-2 runs on one bottleneck",
  ),
  ecnThresholdBytes: row(
    'ecnThreshold',
    orWord(size(), 'off', Number.POSITIVE_INFINITY),
    'frames that find more than this in the data queue are marked',
    DCTCP,
  ),
  ecnRttNs: row(
    'ecnRtt',
    orWord(DELAY, 'off', 0),
    'marks at rate * RTT / 7 of this RTT, one frame at least, where ecnThreshold is off',
    DCTCP,
  ),
  ecnRampBytes: row(
    'ecnRamp',
    orWord(QUEUE, 'off', 0),
    'over how much more than that the part of marked frames rises to all, as in RED',
    DCTCP,
  ),
  phantomDrainShare: row(
    'phantomDrain',
    // At 1 it is the data queue without its frames; beyond, it would never fill.
    orWord(PART, 'off', 0),
    'marks go by a phantom queue that drains at this part of the rate, for hull',
    'PROTOCOL §9.5',
  ),
  speculativeQueueBytes: row(
    'speculativeQueue',
    QUEUE,
    'speculative frames that find more than this in the data queue are dropped',
    'PROTOCOL §9.6',
  ),
});

/** Every class crosses links: of the control frames those between hosts. PROTOCOL §2.2 */
const CARRIED_TYPES = Object.keys(FrameType) as FrameTypeName[];

function isCarried(name: unknown): name is FrameTypeName {
  return (CARRIED_TYPES as unknown[]).includes(name);
}

const FRAME_TYPES: CheckedKind<readonly FrameTypeName[] | null> = {
  allowed: `all, or a list of ${CARRIED_TYPES.join(', ')}`,
  values: `null, or a list of ${CARRIED_TYPES.join(', ')}`,
  accepts: (value): value is readonly FrameTypeName[] | null =>
    value === null || (Array.isArray(value) && value.every(isCarried)),
  parse: (text) => {
    if (text === 'all') return null;
    const names = text.split(',').map((name) => name.trim());
    return names.every(isCarried) ? names : undefined;
  },
  format: (names) => names?.join(',') ?? 'all',
};

const GILBERT = 'Gilbert 1960, Elliott 1963';

/** Every impairment of a link, by its field. */
export const IMPAIRMENT_SETTINGS = settingTable<ImpairmentConfig>(NO_IMPAIRMENT, {
  down: row('down', FLAG, 'the link loses everything', OURS),
  mtuBytes: row(
    'mtu',
    orWord(size({ lowest: MIN_FRAME_BYTES, highest: MAX_FRAME_BYTES }), 'off', 0),
    'UDP payload above which the link loses frames and tells nobody: a black hole',
    OURS,
  ),
  lossRate: row('loss', PART, 'part of the frames that is lost', OURS),
  burstEnterRate: row('burstEnter', PART, 'part of the frames that begins a burst of loss', GILBERT),
  burstLeaveRate: row('burstLeave', PART, 'part of the frames in a burst that ends it', GILBERT),
  burstLossRate: row('burstLoss', PART, 'part of the frames in a burst that is lost', GILBERT),
  duplicateRate: row('duplicate', PART, 'part of the frames that arrives twice', OURS),
  reorderRate: row('reorder', PART, 'part of the frames that is held back', OURS),
  reorderDelayNs: row('reorderDelay', DELAY, 'how long a reordered frame is held back', OURS),
  corruptRate: row('corrupt', PART, 'part of the frames whose bits are changed', OURS),
  extraDelayNs: row('extraDelay', DELAY, 'delay of all frames on top of the propagation', OURS),
  jitterNs: row('jitter', DELAY, 'random delay of each frame, up to this; frames keep their order', OURS),
  frameTypes: row('frameTypes', FRAME_TYPES, 'what loss, duplication, reordering and corruption befall', OURS),
});

/** Every setting of a link. */
export const LINK_SETTINGS: readonly FieldSetting[] = [
  ...settingsOf(PORT_SETTINGS),
  ...settingsOf(IMPAIRMENT_SETTINGS),
];
export const LINK_FIELDS: readonly string[] = LINK_SETTINGS.map(({ field }) => field);

/** The settings among the fields of an object, checked; `owner` names the link in errors. Throws a ConfigError. */
export function linkChanges(
  fields: object,
  owner: string,
): { port: Partial<PortConfig>; impairment: Partial<ImpairmentConfig> } {
  return {
    port: checkFields(PORT_SETTINGS, fields, owner),
    impairment: checkFields(IMPAIRMENT_SETTINGS, fields, owner),
  };
}

/** The settings of a new link. The data queue follows the frame size where it is not given: 250 full frames. Throws a ConfigError. */
export function linkSettings(fields: object, owner: string): LinkSettings {
  const { port, impairment } = linkChanges(fields, owner);
  const dataQueueBytes = DEFAULT_DATA_QUEUE_FRAMES * wireBytes(port.maxFrameBytes ?? DEFAULT_FRAME_BYTES);
  return { port: { ...DEFAULT_PORT, dataQueueBytes, ...port }, impairment };
}

/** Throws a ConfigError unless `value` is a text of 1 to 64 characters without spaces, so that it can stand in a command line. */
export function checkName(value: unknown, what: string, path?: Path): string {
  if (typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value)) return value;
  throw new ConfigError(
    `${what} is ${showValue(value)}; allowed: 1 to 64 letters, digits, dots, colons, dashes or underscores`,
    path,
  );
}
