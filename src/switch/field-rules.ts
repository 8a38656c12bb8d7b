// Tested by test/switch/topology.test.ts and test/switch/control.test.ts

import { DEFAULT_FRAME_BYTES, FrameType, MAX_FRAME_BYTES, MIN_FRAME_BYTES, wireBytes } from '../wire/layout.js';
import { ConfigError, showValue } from './config-error.js';
import type { FrameTypeName, ImpairmentConfig } from './impairment.js';
import { DEFAULT_DATA_QUEUE_FRAMES, DEFAULT_PORT, MAX_CREDIT_QUEUE_FRAMES, type PortConfig } from './port.js';

/** The values that a number may take. */
export interface NumberRule {
  readonly min: number;
  readonly max: number;
  readonly integer?: boolean;
}

const RATE: NumberRule = { min: 0, max: 1 };
/** A delay of 100 s outlives every timeout of the protocol (ours). */
const DELAY_NS: NumberRule = { min: 0, max: 1e11 };
const UNBOUNDED = Number.POSITIVE_INFINITY;
/** A credit of 92 wire bytes has to fit into the bucket. PROTOCOL §9.1 */
const MAX_CREDIT_WIRE_BYTES = 92;

const PORT_RULES: Readonly<Record<keyof PortConfig, NumberRule>> = {
  // 1 bit/s: below, a frame takes hours.
  rateBps: { min: 1, max: UNBOUNDED },
  delayNs: DELAY_NS,
  maxFrameBytes: { min: MIN_FRAME_BYTES, max: MAX_FRAME_BYTES, integer: true },
  creditQueueFrames: { min: 1, max: MAX_CREDIT_QUEUE_FRAMES, integer: true },
  // A class that gets less than a thousandth of the credits is starved (ours).
  creditClassWeight: { min: 0.001, max: UNBOUNDED },
  creditBurstBytes: { min: MAX_CREDIT_WIRE_BYTES, max: 1e6 },
  // More credits than an RTT holds would say nothing of the path as it is (ours).
  creditMarkFrames: { min: 0, max: MAX_CREDIT_QUEUE_FRAMES, integer: true },
  // A queue of 1 GB is more than the frames that a process can hold.
  dataQueueBytes: { min: 0, max: 1e9 },
  ecnThresholdBytes: { min: 0, max: UNBOUNDED },
  ecnRttNs: DELAY_NS,
  ecnRampBytes: { min: 0, max: 1e9 },
  // At 1 it is the data queue without its frames; beyond, it would never fill.
  phantomDrainShare: RATE,
  speculativeQueueBytes: { min: 0, max: 1e9 },
};

const IMPAIRMENT_RULES: Readonly<Record<Exclude<keyof ImpairmentConfig, 'down' | 'frameTypes'>, NumberRule>> = {
  lossRate: RATE,
  burstEnterRate: RATE,
  burstLeaveRate: RATE,
  burstLossRate: RATE,
  duplicateRate: RATE,
  reorderRate: RATE,
  reorderDelayNs: DELAY_NS,
  corruptRate: RATE,
  extraDelayNs: DELAY_NS,
  jitterNs: DELAY_NS,
};

/** The types that cross links: the others stay between a host and its switch. PROTOCOL §2.2 */
const CARRIED_TYPES = Object.keys(FrameType).filter((name) => {
  const type = FrameType[name as FrameTypeName];
  return type < FrameType.attach || type > FrameType.detach;
});

export const PORT_FIELDS: readonly string[] = Object.keys(PORT_RULES);
export const IMPAIRMENT_FIELDS: readonly string[] = ['down', 'frameTypes', ...Object.keys(IMPAIRMENT_RULES)];

/** `value` if the rule allows it; `what` names it in the error's sentence. */
export function checkNumber(value: unknown, what: string, rule: NumberRule): number {
  if (typeof value === 'number' && value >= rule.min && value <= rule.max) {
    if (!rule.integer || Number.isInteger(value)) return value;
  }
  throw new ConfigError(`${what} is ${showValue(value)}; allowed: ${describeRule(rule)}`);
}

function describeRule(rule: NumberRule): string {
  const kind = rule.integer ? 'a whole number' : 'a number';
  if (rule.max === UNBOUNDED) return `${kind} from ${rule.min}, or Infinity`;
  return `${kind} from ${rule.min} to ${rule.max}`;
}

/** A text of 1 to 64 characters without spaces, so that it can stand in a command line. */
export function checkName(value: unknown, what: string): string {
  if (typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value)) return value;
  throw new ConfigError(
    `${what} is ${showValue(value)}; a name has 1 to 64 letters, digits, dots, colons, dashes or underscores`,
  );
}

/** The port settings among the fields of an object. */
export function pickPortSettings(fields: Readonly<Record<string, unknown>>, what: string): Partial<PortConfig> {
  const settings: Partial<PortConfig> = {};
  for (const key of Object.keys(PORT_RULES) as (keyof PortConfig)[]) {
    if (fields[key] !== undefined) settings[key] = checkNumber(fields[key], `${key} of ${what}`, PORT_RULES[key]);
  }
  return settings;
}

/** The impairments among the fields of an object. */
export function pickImpairments(fields: Readonly<Record<string, unknown>>, what: string): Partial<ImpairmentConfig> {
  const settings: Partial<ImpairmentConfig> = {};
  for (const key of Object.keys(IMPAIRMENT_RULES) as (keyof typeof IMPAIRMENT_RULES)[]) {
    if (fields[key] !== undefined) settings[key] = checkNumber(fields[key], `${key} of ${what}`, IMPAIRMENT_RULES[key]);
  }
  if (fields.down !== undefined) settings.down = checkBoolean(fields.down, `down of ${what}`);
  if (fields.frameTypes !== undefined) settings.frameTypes = checkFrameTypes(fields.frameTypes, what);
  return settings;
}

function checkBoolean(value: unknown, what: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ConfigError(`${what} is ${showValue(value)}; allowed: true, false`);
}

function checkFrameTypes(value: unknown, what: string): readonly FrameTypeName[] | null {
  if (value === null) return null;
  if (!Array.isArray(value)) {
    throw new ConfigError(`frameTypes of ${what} is ${showValue(value)}; allowed: null or a list of frame types`);
  }
  const wrong = value.find((name) => !CARRIED_TYPES.includes(name));
  if (wrong === undefined) return value;
  throw new ConfigError(
    `frameTypes of ${what} names unknown type ${showValue(wrong)}; allowed: ${CARRIED_TYPES.join(', ')}`,
  );
}

/** A whole port configuration. The data queue follows the frame size where it is not given: 250 full frames. */
export function portConfig(settings: Partial<PortConfig>): PortConfig {
  const maxFrameBytes = settings.maxFrameBytes ?? DEFAULT_FRAME_BYTES;
  return { ...DEFAULT_PORT, dataQueueBytes: DEFAULT_DATA_QUEUE_FRAMES * wireBytes(maxFrameBytes), ...settings };
}
