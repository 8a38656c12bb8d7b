// Tested by test/report/live-data.test.ts
/** What a process tells its live page (web/live.page.ts): what there is, samples of what it does, and changes on the way. */
import { displayDuration, displayPercent, displayRate } from '../base/display.js';

/** What there is. It is told when somebody begins to look and whenever it changes. */
export interface LiveScene {
  readonly title: string;
  /** Another one is another process: counts begin anew. */
  readonly run: string;
  readonly nodes: readonly LiveNode[];
  readonly directions: readonly LiveDirection[];
  /** What the flows of the samples are. */
  readonly flowsAre: string;
  readonly controls: LiveControls;
}

export interface LiveNode {
  readonly name: string;
  readonly isHost: boolean;
  /** Somebody is attached; true of a switch. */
  readonly isThere: boolean;
}

/** One direction of a link, and its settings. */
export interface LiveDirection {
  /** `from->to`. */
  readonly name: string;
  readonly link: string;
  readonly from: string;
  readonly to: string;
  /** null: unlimited. */
  readonly rateBps: number | null;
  readonly delayNs: number;
  readonly lossRate: number;
  readonly isDown: boolean;
  readonly queueLimitBytes: number;
  /** null: nothing is marked. */
  readonly markBytes: number | null;
  readonly creditLimit: number;
}

/** What the process lets whoever has its token change. */
export interface LiveControls {
  /** Settings of links. */
  readonly links: boolean;
  readonly senders: { readonly count: number; readonly most: number } | null;
  readonly algorithm: { readonly name: string; readonly names: readonly string[] } | null;
}

export const NO_CONTROLS: LiveControls = { links: false, senders: null, algorithm: null };

/** The numbers of one direction in a sample, counts since the last reset of its port. */
export const PORT_NUMBERS = [
  'dataFrames',
  'dataBytes',
  'credits',
  'creditDrops',
  'dataDrops',
  'lost',
  'marks',
  'queueBytes',
  'creditQueue',
] as const;

export type PortNumbers = Record<(typeof PORT_NUMBERS)[number], number>;

/** What every flow is at one moment. */
export interface LiveFlow {
  /** Unique in the process. */
  readonly name: string;
  readonly algorithm: string;
  /** Bytes in order since it began. */
  readonly bytes: number;
  /** Of its credits; 0 where it has none. */
  readonly rateBps: number;
  /** Smoothed; 0 where it is not known. */
  readonly rttNs: number;
  /** What its algorithm has in mind; null for what is not finite. */
  readonly state: Readonly<Record<string, number | null>>;
}

export interface LiveSample {
  /** The process's own time, ms. */
  readonly atMs: number;
  /** In the order of the scene's directions, each in that of PORT_NUMBERS. */
  readonly ports: readonly (readonly number[])[];
  readonly flows: readonly LiveFlow[];
}

/** Something that was changed while the process ran. */
export interface LiveMark {
  readonly number: number;
  readonly atMs: number;
  readonly text: string;
}

/** What a process is asked to change. */
export type LiveCommand =
  | { readonly verb: 'set'; readonly link: string; readonly changes: Readonly<Record<string, unknown>> }
  | { readonly verb: 'senders'; readonly count: number }
  | { readonly verb: 'algorithm'; readonly name: string };

/** Most lines that one difference of scenes makes: a change of all links is one fact, not sixty (ours). */
const MOST_CHANGES = 4;

/** What is not as it was before, a sentence each; who changed it does not matter. */
export function sceneChanges(before: LiveScene, after: LiveScene): string[] {
  const old = new Map(before.directions.map((direction) => [direction.name, direction]));
  const byText = new Map<string, string[]>();
  for (const direction of after.directions) {
    const was = old.get(direction.name);
    for (const text of was === undefined ? [] : directionChanges(was, direction)) {
      byText.set(text, [...(byText.get(text) ?? []), direction.name]);
    }
  }
  const links = [...byText].map(([text, names]) => `${namesText(names, after)}: ${text}`);
  const all = [...links, ...controlChanges(before.controls, after.controls)];
  if (all.length <= MOST_CHANGES) return all;
  return [...all.slice(0, MOST_CHANGES - 1), `and ${all.length - MOST_CHANGES + 1} other changes`];
}

function directionChanges(was: LiveDirection, is: LiveDirection): string[] {
  const texts: string[] = [];
  if (was.rateBps !== is.rateBps) texts.push(`rate ${rateText(was.rateBps)} to ${rateText(is.rateBps)}`);
  if (was.delayNs !== is.delayNs) texts.push(`delay ${displayDuration(was.delayNs)} to ${displayDuration(is.delayNs)}`);
  if (was.lossRate !== is.lossRate)
    texts.push(`loss ${displayPercent(was.lossRate)} to ${displayPercent(is.lossRate)}`);
  if (was.isDown !== is.isDown) texts.push(is.isDown ? 'down' : 'up');
  return texts;
}

function rateText(rateBps: number | null): string {
  return rateBps === null ? 'unlimited' : displayRate(rateBps);
}

/** A link where both of its directions are meant. */
function namesText(names: readonly string[], { directions }: LiveScene): string {
  const links = new Map<string, string[]>();
  for (const { name, link } of directions) {
    if (names.includes(name)) links.set(link, [...(links.get(link) ?? []), name]);
  }
  if (names.length === directions.length) return 'all links';
  const parts = [...links].map(([link, own]) => (own.length === 2 ? `link ${link}` : own[0]));
  return parts.length > 3 ? `${parts.length} links` : parts.join(', ');
}

function controlChanges(was: LiveControls, is: LiveControls): string[] {
  const texts: string[] = [];
  if (was.senders?.count !== is.senders?.count) texts.push(`senders ${was.senders?.count} to ${is.senders?.count}`);
  if (was.algorithm?.name !== is.algorithm?.name) {
    texts.push(`algorithm ${was.algorithm?.name} to ${is.algorithm?.name}`);
  }
  return texts;
}
