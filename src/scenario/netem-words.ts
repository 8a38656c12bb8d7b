import { ConfigError } from '../base/config-error.js';
import { IMPAIRMENT_SETTINGS, type LinkFields, PORT_SETTINGS } from '../switch/link-settings.js';
import { DEFAULT_FRAME_BYTES, wireBytes } from '../wire/layout.js';

/** Where words stand that may be of the grammar of tc-netem(8): https://man7.org/linux/man-pages/man8/tc-netem.8.html */
export interface NetemPlace {
  readonly words: readonly string[];
  /** Of the word that begins a setting. */
  readonly at: number;
  /** The link, in errors. */
  readonly what: string;
}

export interface NetemChange {
  readonly fields: LinkFields;
  /** Words that it took. */
  readonly used: number;
}

/** What netem's words mean here, for help. */
export const NETEM_HELP: readonly (readonly [netem: string, meaning: string])[] = [
  ['delay TIME', 'delay TIME'],
  ['delay TIME JITTER', 'from TIME - JITTER to TIME + JITTER, uniform; frames keep their order'],
  ['loss [random] PART', 'loss PART'],
  ['duplicate PART', 'duplicate PART'],
  ['corrupt PART', 'corrupt PART'],
  ['reorder PART', 'reorder PART: these come reorder-delay later, instead of earlier as in netem'],
  ['rate RATE', 'rate RATE'],
  ['limit COUNT', 'data-queue of so many frames of 1472 B, which take 1538 B each of a link'],
];

/** Words of netem that nothing here answers to, and what to write instead. */
const NOT_HERE: ReadonlyMap<string, string> = new Map([
  ['distribution', 'delay TIME JITTER, which is uniform'],
  ['gap', 'reorder PART'],
  ['slot', 'rate RATE'],
  ['ecn', 'ecn-threshold SIZE'],
  ['seed', '--seed of `xpass switch`'],
]);
const LOSS_MODELS: ReadonlySet<string> = new Set(['state', 'gemodel']);
const CORRELATED: ReadonlySet<string> = new Set(['delay', 'loss', 'duplicate', 'corrupt', 'reorder']);
const MOST_FRAMES = 1_000_000;

/**
 * The setting that begins here, where it is written as netem has it and differs from ours; undefined for all others. Throws a ConfigError that names a word
 * of netem that there is nothing of here.
 */
export function netemChange(place: NetemPlace): NetemChange | undefined {
  const { words, at } = place;
  const [word, value = '', next = ''] = words.slice(at, at + 3);
  const instead = NOT_HERE.get(word);
  if (instead !== undefined) throw refusal(place, `'${word}' of tc-netem`, instead);
  if (word === 'limit') return { fields: { dataQueueBytes: frames(value, place) }, used: 2 };
  if (word === 'loss' && LOSS_MODELS.has(value)) {
    throw refusal(place, `'loss ${value}' of tc-netem`, 'loss PART, or burst-enter, burst-leave and burst-loss PART');
  }
  if (word === 'loss' && value === 'random') return { fields: { lossRate: part(next, place) }, used: 3 };
  if (word === 'delay' && isNumber(next) && !next.endsWith('%')) return jittered(value, next, place);
  refuseCorrelation(place, 2);
  return undefined;
}

/** netem draws from TIME - JITTER to TIME + JITTER, our jitter from 0 up. */
function jittered(value: string, next: string, place: NetemPlace): NetemChange {
  const { kind } = PORT_SETTINGS.delayNs;
  const [delayNs, jitterNs] = [kind.parse(value), kind.parse(next)];
  if (delayNs === undefined) throw refusal(place, `delay '${value}'`, kind.allowed);
  if (jitterNs === undefined || jitterNs > delayNs) {
    throw refusal(place, `jitter '${next}' of delay ${value}`, `a duration from 0ns to ${value}`);
  }
  refuseCorrelation(place, 3);
  return { fields: { delayNs: delayNs - jitterNs, jitterNs: 2 * jitterNs }, used: 3 };
}

function refuseCorrelation({ words, at, what }: NetemPlace, after: number): void {
  const found = words[at + after] ?? '';
  if (!CORRELATED.has(words[at]) || !isNumber(found)) return;
  const given = words.slice(at, at + after).join(' ');
  throw refusal({ words, at, what }, `the correlation '${found}' behind '${given}'`, `'${given}' without it`);
}

function frames(text: string, place: NetemPlace): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  const bytes = count * wireBytes(DEFAULT_FRAME_BYTES);
  if (count <= MOST_FRAMES && PORT_SETTINGS.dataQueueBytes.kind.accepts(bytes)) return bytes;
  throw refusal(place, `limit '${text}'`, 'a whole number of frames, whose queue is up to 1 GiB');
}

function part(text: string, place: NetemPlace): number {
  const { kind } = IMPAIRMENT_SETTINGS.lossRate;
  const value = kind.parse(text);
  if (value === undefined) throw refusal(place, `loss random '${text}'`, kind.allowed);
  return value;
}

function isNumber(word: string): boolean {
  return /^\.?\d/.test(word);
}

function refusal({ what }: NetemPlace, wrong: string, allowed: string): ConfigError {
  return new ConfigError(`${wrong} is not available for ${what}; allowed: ${allowed}`);
}
