// Tested by test/scenario/link-text.test.ts
import { ConfigError } from '../base/config-error.js';
import { type FieldSetting, settingsOf } from '../base/setting.js';
import { longName, type ValueKind } from '../base/value-kind.js';
import { type ImpairmentConfig, NO_IMPAIRMENT } from '../switch/impairment.js';
import { IMPAIRMENT_SETTINGS, LINK_SETTINGS, type LinkFields, PORT_SETTINGS } from '../switch/link-settings.js';
import { DEFAULT_FRAME_BYTES, wireBytes } from '../wire/layout.js';
import { suggestion } from './nearest.js';
import { netemChange } from './netem-words.js';

/** Settings of a link as people write them, by their names: `{ rate: '10mbit', dataQueue: '20frames' }`. */
export type LinkTexts = Readonly<Record<string, string | undefined>>;

/** Queues whose size may be given in full frames as well. */
const QUEUES: ReadonlySet<FieldSetting> = new Set<FieldSetting>([
  PORT_SETTINGS.dataQueueBytes,
  PORT_SETTINGS.ecnThresholdBytes,
  PORT_SETTINGS.ecnRampBytes,
  PORT_SETTINGS.speculativeQueueBytes,
]);

/** A setting of a link by its name; throws for names that are none. */
function settingNamed(name: string): FieldSetting {
  return LINK_SETTINGS.find((setting) => setting.name === name) as FieldSetting;
}

/** What somebody may write for a setting, kept as text: what it means may depend on the frame size. */
export function linkTextKind(name: string): ValueKind<string> {
  const setting = settingNamed(name);
  const isQueue = QUEUES.has(setting);
  const isFit = (text: string): boolean =>
    setting.kind.parse(text) !== undefined || (isQueue && frameCount(text) !== undefined);
  return {
    allowed: isQueue ? `${setting.kind.allowed}; or full frames, such as 20frames` : setting.kind.allowed,
    parse: (text) => (isFit(text) ? text : undefined),
    format: (text) => text,
  };
}

/**
 * The fields that the settings of a document mean, which `linkTextKind` has taken; its other keys are left alone. `maxFrameBytes` says what
 * "20frames" of a queue are where the texts do not.
 */
export function linkFields(document: object, maxFrameBytes = DEFAULT_FRAME_BYTES): LinkFields {
  const texts = document as LinkTexts;
  const { frameSize } = texts;
  const { kind } = PORT_SETTINGS.maxFrameBytes;
  const frameBytes = (frameSize === undefined ? undefined : kind.parse(frameSize)) ?? maxFrameBytes;
  const given = LINK_SETTINGS.filter(({ name }) => texts[name] !== undefined);
  return Object.fromEntries(
    given.map((setting) => {
      const text = texts[setting.name] as string;
      const frames = QUEUES.has(setting) ? frameCount(text) : undefined;
      return [setting.field, frames === undefined ? setting.kind.parse(text) : frames * wireBytes(frameBytes)];
    }),
  );
}

function frameCount(text: string): number | undefined {
  const match = /^(\d{1,6})\s?frames?$/i.exec(text);
  return match === null ? undefined : Number(match[1]);
}

/** The fields of settings as files have them, by name; those that are undefined are left out. */
export function writeFields(settings: readonly FieldSetting[], fields: object): Readonly<Record<string, string>> {
  const values = fields as Readonly<Record<string, unknown>>;
  const written = settings.filter(({ field }) => values[field] !== undefined);
  return Object.fromEntries(written.map(({ name, field, kind }) => [name, kind.format(values[field])]));
}

/** Words of `ctl` that take no value. */
const BARE_WORDS: ReadonlyMap<string, LinkFields> = new Map<string, LinkFields>([
  ['down', { down: true }],
  ['up', { down: false }],
  ['clear', NO_IMPAIRMENT],
]);

const VALUED_WORDS: ReadonlyMap<string, FieldSetting> = new Map(
  LINK_SETTINGS.filter(({ name }) => name !== 'down').map((setting) => [longName(setting.name), setting]),
);
const WORDS = [...VALUED_WORDS.keys(), ...BARE_WORDS.keys()];

/** What may stand after a link's name on a command line. */
export const LINK_WORDS_ALLOWED = `${[...VALUED_WORDS.keys()].join(', ')}, each with a value; ${[...BARE_WORDS.keys()].join(', ')}`;

/**
 * The fields that `rate 10mbit loss 5%` or `down` mean; later words win.
 * The grammar of tc-netem(8) is understood too. Queues are sizes here: the frame size of a running link is not known. Throws
 * a ConfigError that names the word and what is allowed. `what` names the link.
 */
export function linkWords(text: string, what: string): LinkFields {
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length === 0) throw new ConfigError(`${what} gets no setting; allowed: ${LINK_WORDS_ALLOWED}`);
  let fields: LinkFields = {};
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const netem = netemChange({ words, at, what });
    if (netem !== undefined) {
      fields = { ...fields, ...netem.fields };
      at += netem.used - 1;
      continue;
    }
    const setting = VALUED_WORDS.get(word);
    const changes =
      setting === undefined ? BARE_WORDS.get(word) : wordFields(setting, words[++at] ?? '', `${word} of ${what}`);
    if (changes === undefined) {
      throw new ConfigError(
        `unknown setting '${word}' of ${what}${suggestion(word, WORDS)}; allowed: ${LINK_WORDS_ALLOWED}`,
      );
    }
    fields = { ...fields, ...changes };
  }
  return fields;
}

function wordFields({ field, kind }: FieldSetting, text: string, what: string): LinkFields {
  const value = kind.parse(text);
  if (value !== undefined) return { [field]: value };
  throw new ConfigError(`${what} is ${text === '' ? 'empty' : `'${text}'`}; allowed: ${kind.allowed}`);
}

/** The impairments that are in force, as somebody would write them: `loss 5% reorder 1% reorder-delay 1ms`; empty without any. */
export function impairmentWords(config: ImpairmentConfig): string {
  const inForce = settingsOf(IMPAIRMENT_SETTINGS).filter(({ field, default: usual }) => {
    return config[field as keyof ImpairmentConfig] !== usual;
  });
  const words = inForce.map(({ name, field, kind }) => {
    const value = config[field as keyof ImpairmentConfig];
    if (value === true) return name;
    const isPart = kind === IMPAIRMENT_SETTINGS.lossRate.kind;
    return `${longName(name)} ${isPart ? `${Number(((value as number) * 100).toPrecision(6))}%` : kind.format(value)}`;
  });
  return words.join(' ');
}
