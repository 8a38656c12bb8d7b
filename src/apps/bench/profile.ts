import { readdir, readFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tableLines } from '../../report/table.js';

/** Where a function begins; lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** The part of a `.cpuprofile` that is read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** A function and the part of the samples in it, those of what it calls left out. */
export interface HotSpot {
  readonly name: string;
  readonly part: number;
}

/** Functions shown of each process (ours). */
const SHOWN = 12;
/** No work, whatever there is to wait for. */
const WAITING = new Set(['(idle)']);

/**
 * The functions with the most self time, as parts of the time that the process was not idle. Only the last `lastS` of a profile count: before that,
 * processes load and compile their code.
 */
export function hotSpots({ nodes, samples, timeDeltas }: CpuProfile, lastS = Number.POSITIVE_INFINITY): HotSpot[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const spent = new Map<string, number>();
  let leftUs = lastS * 1e6;
  for (let at = samples.length - 1; at >= 0 && leftUs > 0; at--) {
    const name = names.get(samples[at]) ?? '';
    leftUs -= timeDeltas[at];
    if (!WAITING.has(name)) spent.set(name, (spent.get(name) ?? 0) + timeDeltas[at]);
  }
  const total = [...spent.values()].reduce((sum, us) => sum + us, 0);
  return [...spent].map(([name, us]) => ({ name, part: us / total })).sort((a, b) => b.part - a.part);
}

/** Where the profiles of `directory` are, and the hot spots of the last `lastS` of each. */
export async function profileLines(directory: string, lastS: number): Promise<string[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.cpuprofile')).sort();
  const tables = await Promise.all(files.map((file) => profileTable(join(directory, file), lastS)));
  return [
    `CPU profiles, for the developer tools of Chrome and of editors: ${directory}`,
    `What takes the time of each in its last ${lastS} s, without that in which it was idle:`,
    ...tables.flat(),
  ];
}

async function profileTable(path: string, lastS: number): Promise<string[]> {
  const profile = await atSources(JSON.parse(await readFile(path, 'utf8')) as CpuProfile);
  const rows = hotSpots(profile, lastS).slice(0, SHOWN);
  const cells = rows.map(({ name, part }) => [`${(100 * part).toFixed(1)} %`, name]);
  return ['', path, ...tableLines([{ title: 'self', align: 'right' }, { title: 'function' }], cells)];
}

/** The profile with the places of its functions in the sources, for files that have a source map beside them. */
async function atSources(profile: CpuProfile): Promise<CpuProfile> {
  const urls = new Set(profile.nodes.map(({ callFrame: { url } }) => url).filter((url) => url.startsWith('file:')));
  const maps = new Map(await Promise.all([...urls].map(async (url) => [url, await sourceMap(url)] as const)));
  const nodes = profile.nodes.map(({ id, callFrame }) => {
    const entry = maps.get(callFrame.url)?.findEntry(callFrame.lineNumber, callFrame.columnNumber);
    if (entry === undefined || !('originalSource' in entry)) return { id, callFrame };
    const { originalSource: url, originalLine: lineNumber, originalColumn: columnNumber } = entry;
    return { id, callFrame: { ...callFrame, url, lineNumber, columnNumber } };
  });
  return { ...profile, nodes };
}

async function sourceMap(url: string): Promise<SourceMap | null> {
  try {
    return new SourceMap(JSON.parse(await readFile(`${fileURLToPath(url)}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return null;
  }
}

/** `send node:dgram:633`, `drain udp/machine-loop.ts:98`, `(garbage collector)`. */
function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  return `${name} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
}
