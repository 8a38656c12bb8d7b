// Tested by test/scenario/hosts.test.ts
import { listNames, misfit, type Path } from '../base/config-error.js';
import type { TopologyHost } from '../switch/topology.js';
import { suggestion } from './nearest.js';

/** What may stand where hosts are named. */
export const HOSTS_ALLOWED = 'all, ids, ranges of ids such as 5-9 or 5-, names of hosts, or a list of these';

/** Finds the hosts that a scenario names: `all`, ids, ranges of ids, names. */
export class HostList {
  readonly ids: readonly number[];
  private readonly hosts: readonly TopologyHost[];
  private readonly byName: ReadonlyMap<string, number>;
  private readonly known: ReadonlySet<number>;

  constructor(hosts: readonly TopologyHost[]) {
    this.hosts = hosts;
    this.ids = hosts.map(({ id }) => id);
    this.byName = new Map(hosts.map(({ id, name }) => [name, id]));
    this.known = new Set(this.ids);
  }

  /** The ids that the words mean, each once, in the order of the words. Throws a ConfigError. */
  find(words: readonly string[], path: Path): number[] {
    return [...new Set(words.flatMap((word) => this.findWord(word, path)))];
  }

  /** The one host that the words mean. Throws a ConfigError. */
  findOne(words: readonly string[], path: Path): number {
    const found = this.find(words, path);
    if (found.length === 1) return found[0];
    throw misfit(path, `names ${found.length} hosts; allowed: one of ${this.listed()}`);
  }

  private findWord(word: string, path: Path): readonly number[] {
    if (word === 'all') return this.ids;
    const named = this.byName.get(word);
    if (named !== undefined) return [named];
    const [, first, dash, last] = /^(\d+)(-?)(\d*)$/.exec(word) ?? [];
    const found = first === undefined ? [] : this.within(first, dash, last);
    if (found.length > 0) return found;
    const meant = suggestion(word, [...this.byName.keys()]);
    throw misfit(path, `names '${word}', and there is no such host${meant}; allowed: ${this.listed()}`);
  }

  /** A range may reach beyond the last host, so that one file fits topologies of several sizes, but has to hold one. */
  private within(first: string, dash: string, last: string): number[] {
    const lowest = Number(first);
    if (dash === '') return this.known.has(lowest) && last === '' ? [lowest] : [];
    const highest = last === '' ? Number.POSITIVE_INFINITY : Number(last);
    return this.ids.filter((id) => id >= lowest && id <= highest);
  }

  private listed(): string {
    return `all, ids or names of ${listNames(this.hosts.map(({ name }) => name))}`;
  }
}
