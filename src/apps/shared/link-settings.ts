import { duration, fraction, rate, size } from '../../base/quantities.js';
import { decimal, integer, orWord, type ValueKind } from '../../base/value-kind.js';
import { PORT_FIELDS } from '../../switch/field-rules.js';
import { type ImpairmentConfig, NO_IMPAIRMENT } from '../../switch/impairment.js';
import { MAX_CREDIT_QUEUE_FRAMES, type PortConfig } from '../../switch/port.js';
import { DEFAULT_FRAME_BYTES, FrameType, MAX_FRAME_BYTES, MIN_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import { usageFailure } from './failure.js';
import { suggestion } from './nearest.js';
import { longName } from './options.js';

/** What `switch/topology.ts` and the `set` of `switch/control.ts` take as settings of a link. */
export type LinkFields = Readonly<Record<string, unknown>>;

interface Setting {
  /** The field of PortConfig or ImpairmentConfig. */
  readonly field: keyof PortConfig | keyof ImpairmentConfig;
  readonly kind: ValueKind<unknown>;
  /** A queue's size, which may be given in full frames as well. */
  readonly isQueue?: boolean;
}

/** As in switch/field-rules.ts, which has the last word; a size that reads well below its 1e9. */
const DELAY = duration({ highest: 1e11 });
/** Of a topology. */
export const FAILOVER_DELAY = orWord(duration(), 'never', Number.POSITIVE_INFINITY);
const PART = fraction();
const DATA_QUEUE = size({ highest: 2 ** 29 });
const ECN_THRESHOLD = orWord(size(), 'off', Number.POSITIVE_INFINITY);

/** As in switch/field-rules.ts. */
const CREDIT_CLASSES = orWord(decimal({ lowest: 0.001, highest: 1e6 }), 'strict', Number.POSITIVE_INFINITY);

const FLAG: ValueKind<boolean> = {
  allowed: 'true, false',
  parse: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  format: String,
};

/** Frames between a host and its switch cross no link of the topology. PROTOCOL §2.2 */
const CARRIED_TYPES = Object.keys(FrameType).filter((name) => !/^attach|^keepAlive$|^detach$/.test(name));

const FRAME_TYPES: ValueKind<readonly string[] | null> = {
  allowed: `all, or a list of ${CARRIED_TYPES.join(', ')}`,
  parse: (text) => {
    if (text === 'all') return null;
    const names = text.split(',').map((name) => name.trim());
    return names.every((name) => CARRIED_TYPES.includes(name)) ? names : undefined;
  },
  format: (names) => names?.join(',') ?? 'all',
};

/** Every setting of a link by its name in topology files; `xpass switch ctl` writes them in kebab-case. */
const SETTINGS: Readonly<Record<string, Setting>> = {
  rate: { field: 'rateBps', kind: rate({ unlimited: true }) },
  delay: { field: 'delayNs', kind: DELAY },
  frameSize: { field: 'maxFrameBytes', kind: size({ lowest: MIN_FRAME_BYTES, highest: MAX_FRAME_BYTES }) },
  creditQueue: { field: 'creditQueueFrames', kind: integer({ lowest: 1, highest: MAX_CREDIT_QUEUE_FRAMES }) },
  creditClasses: { field: 'creditClassWeight', kind: CREDIT_CLASSES },
  // 92: the largest credit has to fit. PROTOCOL §9.1
  creditBurst: { field: 'creditBurstBytes', kind: size({ lowest: 92, highest: 1e6 }) },
  creditMark: { field: 'creditMarkFrames', kind: integer({ lowest: 0, highest: MAX_CREDIT_QUEUE_FRAMES }) },
  dataQueue: { field: 'dataQueueBytes', kind: DATA_QUEUE, isQueue: true },
  ecnThreshold: { field: 'ecnThresholdBytes', kind: ECN_THRESHOLD, isQueue: true },
  ecnRtt: { field: 'ecnRttNs', kind: orWord(DELAY, 'off', 0) },
  ecnRamp: { field: 'ecnRampBytes', kind: orWord(DATA_QUEUE, 'off', 0), isQueue: true },
  speculativeQueue: { field: 'speculativeQueueBytes', kind: DATA_QUEUE, isQueue: true },
  phantomDrain: { field: 'phantomDrainShare', kind: orWord(PART, 'off', 0) },
  loss: { field: 'lossRate', kind: PART },
  burstEnter: { field: 'burstEnterRate', kind: PART },
  burstLeave: { field: 'burstLeaveRate', kind: PART },
  burstLoss: { field: 'burstLossRate', kind: PART },
  duplicate: { field: 'duplicateRate', kind: PART },
  reorder: { field: 'reorderRate', kind: PART },
  reorderDelay: { field: 'reorderDelayNs', kind: DELAY },
  corrupt: { field: 'corruptRate', kind: PART },
  extraDelay: { field: 'extraDelayNs', kind: DELAY },
  jitter: { field: 'jitterNs', kind: DELAY },
  down: { field: 'down', kind: FLAG },
  frameTypes: { field: 'frameTypes', kind: FRAME_TYPES },
};

/** The names of topology files. */
export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

/** Those that a port has: the others are impairments of a link. */
export const PORT_SETTING_NAMES = SETTING_NAMES.filter((name) => PORT_FIELDS.includes(SETTINGS[name].field));

/** What somebody may write for a setting, kept as text: what it means may depend on the frame size. */
export function settingKind(name: string): ValueKind<string> {
  const { kind, isQueue = false } = SETTINGS[name];
  return {
    allowed: isQueue ? `${kind.allowed}; ${IN_FRAMES}` : kind.allowed,
    parse: (text) => (kind.parse(text) !== undefined || (isQueue && frameCount(text) !== undefined) ? text : undefined),
    format: (text) => text,
  };
}

/** One setting as somebody wrote it. */
export interface WrittenSetting {
  readonly name: string;
  readonly text: string;
  /** What an error calls it: `loss of link 'h1'`. */
  readonly label: string;
}

/**
 * The fields that settings mean; later ones win. `maxFrameBytes` says what "20frames" of a queue are where the settings do not; null where it is not known, so
 * that only bytes are taken. Throws a usage Failure that names the setting, the value and what is allowed.
 */
export function linkFields(
  settings: readonly WrittenSetting[],
  maxFrameBytes: number | null = DEFAULT_FRAME_BYTES,
): LinkFields {
  const fields: Record<string, unknown> = {};
  const isSized = ({ name }: WrittenSetting): boolean => SETTINGS[name]?.isQueue === true;
  for (const setting of settings.filter((each) => !isSized(each))) {
    fields[SETTINGS[setting.name].field] = parseSetting(setting, null);
  }
  const frameBytes = (fields.maxFrameBytes as number | undefined) ?? maxFrameBytes;
  for (const setting of settings.filter(isSized)) {
    fields[SETTINGS[setting.name].field] = parseSetting(setting, frameBytes);
  }
  return fields;
}

function parseSetting({ name, text, label }: WrittenSetting, frameBytes: number | null): unknown {
  const { kind, isQueue = false } = SETTINGS[name];
  const frames = isQueue && frameBytes !== null ? frameCount(text) : undefined;
  const value = frames === undefined || frameBytes === null ? kind.parse(text) : frames * wireBytes(frameBytes);
  if (value !== undefined) return value;
  const allowed = isQueue && frameBytes !== null ? `${kind.allowed}; ${IN_FRAMES}` : kind.allowed;
  throw usageFailure(`${label} is ${text === '' ? 'empty' : `'${text}'`}; allowed: ${allowed}`);
}

const IN_FRAMES = 'or full frames, such as 20frames';

function frameCount(text: string): number | undefined {
  const match = /^(\d{1,6})\s?frames?$/i.exec(text);
  return match === null ? undefined : Number(match[1]);
}

/** The fields of a link as a topology file has them: the opposite of `linkFields`. */
export function writeLinkFields(fields: LinkFields): Readonly<Record<string, string>> {
  const written = Object.entries(SETTINGS).filter(([, { field }]) => fields[field] !== undefined);
  return Object.fromEntries(written.map(([name, { field, kind }]) => [name, kind.format(fields[field])]));
}

/** Words of `ctl` that take no value. */
const BARE_WORDS: Readonly<Record<string, LinkFields>> = {
  down: { down: true },
  up: { down: false },
  clear: { ...NO_IMPAIRMENT },
};

const VALUED_WORDS = new Map(SETTING_NAMES.filter((name) => name !== 'down').map((name) => [longName(name), name]));
const WORDS = [...VALUED_WORDS.keys(), ...Object.keys(BARE_WORDS)];

/** What may stand after a link's name on a command line. */
export const LINK_WORDS_ALLOWED = `${[...VALUED_WORDS.keys()].join(', ')}, each with a value; ${Object.keys(BARE_WORDS).join(', ')}`;

/**
 * The fields that `rate 10mbit loss 5%` or `down` mean; later words win. Throws a usage Failure that names the word and what is allowed. `what` names
 * the link.
 */
export function linkWords(text: string, what: string): LinkFields {
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length === 0) throw usageFailure(`${what} gets no setting; allowed: ${LINK_WORDS_ALLOWED}`);
  let fields: LinkFields = {};
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const name = VALUED_WORDS.get(word);
    if (name !== undefined) {
      const setting = { name, text: words[++at] ?? '', label: `${word} of ${what}` };
      fields = { ...fields, ...linkFields([setting], null) };
    } else if (Object.hasOwn(BARE_WORDS, word)) fields = { ...fields, ...BARE_WORDS[word] };
    else {
      const meant = suggestion(word, WORDS);
      throw usageFailure(`unknown setting '${word}' of ${what}${meant}; allowed: ${LINK_WORDS_ALLOWED}`);
    }
  }
  return fields;
}

/** The impairments that are in force, as somebody would write them: `loss 5% reorder 1% reorder-delay 1ms`; empty without any. */
export function impairmentWords(config: ImpairmentConfig): string {
  const said = SETTING_NAMES.flatMap((name) => {
    const { field, kind } = SETTINGS[name];
    if (!Object.hasOwn(NO_IMPAIRMENT, field)) return [];
    const value = config[field as keyof ImpairmentConfig];
    if (value === NO_IMPAIRMENT[field as keyof ImpairmentConfig]) return [];
    return [value === true ? name : `${longName(name)} ${formatValue(kind, value)}`];
  });
  return said.join(' ');
}

function formatValue(kind: ValueKind<unknown>, value: unknown): string {
  return kind === PART ? `${Number(((value as number) * 100).toPrecision(6))}%` : kind.format(value);
}
