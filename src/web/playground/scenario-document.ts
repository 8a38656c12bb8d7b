/** The text of a scenario and the few values of it that a form shows. A change in the form leaves everything else as it was written. */
import { type Document, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { ALGORITHM_NAMES } from '../../core/algorithms.js';
import { WORKLOAD_NAMES } from '../../sim/traffic/workloads.js';
import { BUILTIN_TOPOLOGIES, builtinCounts, builtinGroups } from '../../switch/builtin-topologies.js';

type Path = readonly (string | number)[];

/** One value in the form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  /** What holds, as it would be written, where the text says nothing. */
  readonly fallback: string;
  /** Every value that may be chosen; absent where people write one. */
  readonly choices?: readonly string[];
  /** What is there to choose from is known by a name: links of the topology. */
  readonly suggests?: 'links';
  readonly value: string;
}

/** A group of fields with a heading. */
export interface FormGroup {
  readonly title: string;
  readonly fields: readonly FormField[];
}

const TRAFFIC_KINDS = ['pairs', 'incast', 'permutation', 'shuffle', 'poisson'];
/** What the text says instead of a choice of the form. */
const AS_WRITTEN = 'as written';
const DEFAULT_TOPOLOGY = 'dumbbell';
const FIRST_FLOW: Path = ['flows', 0];
/** What a pattern needs to be whole. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  incast: { to: '1' },
  poisson: { workload: 'web-server', load: '0.6', flows: '200' },
};
/** Keys of traffic that every pattern has. */
const COMMON_KEYS = ['group', 'start', 'startJitter', 'algorithm', 'weight', 'class'];
/** What a link that goes down gets at first. */
const OUTAGE = { at: '20ms', for: '10ms' };

export class ScenarioDocument {
  private readonly document: Document;
  /** Why the text is no YAML; null where it is. */
  readonly problem: string | null;

  constructor(source: string) {
    this.document = parseDocument(source, { schema: 'failsafe', prettyErrors: true, logLevel: 'error' });
    const [error] = this.document.errors;
    this.problem = error === undefined ? null : error.message.split('\n')[0];
  }

  toString(): string {
    return this.document.toString({ lineWidth: 0 });
  }

  get seed(): number | undefined {
    const text = this.text(['seed']);
    return /^\d+$/.test(text) ? Number(text) : undefined;
  }

  get groups(): FormGroup[] {
    return [this.network(), this.traffic(), this.faults(), this.run()];
  }

  /** A value of the form; an empty one takes the line away. */
  set(name: string, value: string): void {
    if (name === 'topology') this.setTopology(value);
    else if (name === 'traffic') this.setTraffic(value);
    else if (name.startsWith('down.')) this.setOutage(name.slice('down.'.length), value);
    else this.write(name.split('.').map(stepOf), value);
  }

  private network(): FormGroup {
    const topology = this.topology;
    const own = (name: string, label: string, fallback: string) =>
      this.field({ name: `topology.${name}`, label, fallback });
    const counts = BUILTIN_TOPOLOGIES.includes(topology) ? builtinCounts(topology) : [];
    return {
      title: 'Network',
      fields: [
        {
          name: 'topology',
          label: 'topology',
          fallback: '',
          choices: choicesWith(BUILTIN_TOPOLOGIES, topology),
          value: topology,
        },
        ...counts.map((count) => own(count.name, wordsOf(count.name), String(count.default))),
        ...(topology === AS_WRITTEN
          ? []
          : [own('rate', 'rate of links', '10gbit'), own('delay', 'delay of links', '4us')]),
      ],
    };
  }

  private traffic(): FormGroup {
    const kind = this.trafficKind;
    const own = (name: string, label: string, fallback: string, choices?: readonly string[]) =>
      this.field({ name: `flows.0.${name}`, label, fallback, ...(choices && { choices }) });
    const size = kind === 'shuffle' ? '1MB' : 'endless';
    return {
      title: 'Flows',
      fields: [
        this.field({ name: 'algorithm', label: 'algorithm', fallback: ALGORITHM_NAMES[0], choices: ALGORITHM_NAMES }),
        { name: 'traffic', label: 'pattern', fallback: '', choices: choicesWith(TRAFFIC_KINDS, kind), value: kind },
        ...(kind === 'incast' ? [own('to', 'receiver', '')] : []),
        ...(kind === 'poisson'
          ? [
              own('workload', 'sizes', '', WORKLOAD_NAMES),
              own('load', 'load', ''),
              own('flows', 'number of flows', '1000'),
            ]
          : []),
        ...(['pairs', 'incast', 'permutation', 'shuffle'].includes(kind) ? [own('bytes', 'bytes of each', size)] : []),
        ...(kind === 'pairs' ? [own('count', 'flows of each pair', '1')] : []),
        ...(kind === AS_WRITTEN ? [] : [own('startJitter', 'start within', '0')]),
      ],
    };
  }

  private faults(): FormGroup {
    const at = this.outageIndex;
    const own = (name: string, label: string) => ({
      name: `down.${name}`,
      label,
      fallback: '',
      value: at === -1 ? '' : this.text(['faults', at, name]),
    });
    const isKnown = this.topology !== AS_WRITTEN;
    return {
      title: 'Faults',
      fields: [
        ...(isKnown ? [this.field({ name: 'topology.loss', label: 'loss on links', fallback: '0%' })] : []),
        { ...own('link', 'link that goes down'), fallback: 'none', suggests: 'links' },
        ...(at === -1 ? [] : [own('at', 'goes down at'), own('for', 'stays down for')]),
      ],
    };
  }

  private run(): FormGroup {
    return {
      title: 'Run',
      fields: [
        this.field({ name: 'duration', label: 'duration', fallback: '100ms' }),
        this.field({ name: 'seed', label: 'seed', fallback: '1' }),
      ],
    };
  }

  private field(about: Omit<FormField, 'value'>): FormField {
    const found = this.text(about.name.split('.').map(stepOf));
    return { ...about, value: found === '' && about.choices !== undefined ? about.fallback : found };
  }

  private get topology(): string {
    const node = this.document.get('topology', true);
    if (isScalar(node)) return String(node.value) || DEFAULT_TOPOLOGY;
    if (isMap(node) && (node.has('links') || node.get('name') === 'explicit')) return AS_WRITTEN;
    return this.text(['topology', 'name']) || DEFAULT_TOPOLOGY;
  }

  /** Counts and places are those of the old topology: they go with it. */
  private setTopology(name: string): void {
    if (name === AS_WRITTEN) return;
    const isList = this.topology === AS_WRITTEN;
    this.asMapping(['topology'], 'name');
    if (isList || !isMap(this.document.get('topology', true)))
      this.document.set('topology', this.document.createNode({ name }));
    const keep = ['aggregation'].filter((group) => builtinGroups(name).includes(group));
    const old = BUILTIN_TOPOLOGIES.flatMap((each) => builtinCounts(each).map((count) => count.name));
    for (const key of [...old, 'aggregation']) if (!keep.includes(key)) this.write(['topology', key], '');
    this.write(['topology', 'name'], name);
    for (const count of builtinCounts(name)) this.write(['topology', count.name], String(count.default));
    this.write(['bottlenecks'], name === 'dumbbell' ? ['left->right'] : '');
    this.write(['probes', 'links'], '');
    this.write(['faults'], '');
    if (this.namesHosts()) this.write(['hosts'], '');
  }

  /** Whether a group of hosts says which. */
  private namesHosts(): boolean {
    const groups = this.document.get('hosts', true);
    return isSeq(groups) && groups.items.some((group) => isMap(group) && group.has('hosts'));
  }

  private get trafficKind(): string {
    const flows = this.document.get('flows', true);
    if (!isSeq(flows) || flows.items.length !== 1) return AS_WRITTEN;
    const [entry] = flows.items;
    const kind = isScalar(entry) ? String(entry.value) : this.text([...FIRST_FLOW, 'kind']);
    return TRAFFIC_KINDS.includes(kind) ? kind : AS_WRITTEN;
  }

  private setTraffic(kind: string): void {
    if (kind === AS_WRITTEN) return;
    this.asMapping(FIRST_FLOW, 'kind');
    const kept = COMMON_KEYS.map((key) => [key, this.text([...FIRST_FLOW, key])]).filter(([, value]) => value !== '');
    const entry = { kind, ...NEEDED[kind], ...Object.fromEntries(kept) };
    this.document.set('flows', this.document.createNode([entry]));
  }

  private get outageIndex(): number {
    const faults = this.document.get('faults', true);
    return isSeq(faults) ? faults.items.findIndex((fault) => isMap(fault) && fault.has('down')) : -1;
  }

  private setOutage(key: string, value: string): void {
    const at = this.outageIndex;
    if (at !== -1 && key === 'link' && value === '') this.remove(at);
    else if (at !== -1) this.write(['faults', at, key], value);
    else if (key === 'link' && value !== '') this.add({ at: OUTAGE.at, link: value, down: 'true', for: OUTAGE.for });
  }

  private add(fault: Readonly<Record<string, string>>): void {
    const node = this.document.createNode(fault, { flow: true });
    if (isSeq(this.document.get('faults', true))) this.document.addIn(['faults'], node);
    else this.document.set('faults', this.document.createNode([node]));
  }

  private remove(at: number): void {
    const faults = this.document.get('faults', true);
    if (isSeq(faults) && faults.items.length > 1) this.document.deleteIn(['faults', at]);
    else this.document.delete('faults');
  }

  /** A name alone, as `topology: star`, is the mapping with that name. */
  private asMapping(path: Path, key: string): void {
    const node = this.document.getIn(path, true);
    if (isScalar(node)) this.document.setIn(path, this.document.createNode({ [key]: String(node.value) }));
  }

  private write(path: Path, value: string | readonly string[]): void {
    this.asMapping(['topology'], 'name');
    this.asMapping(FIRST_FLOW, 'kind');
    if (this.document.contents === null || isScalar(this.document.contents))
      this.document.contents = this.document.createNode({}) as never;
    if (value !== '') this.document.setIn(path, typeof value === 'string' ? value : this.listNode(value));
    else if (this.document.hasIn(path)) this.document.deleteIn(path);
  }

  private listNode(values: readonly string[]) {
    return this.document.createNode(values, { flow: true });
  }

  /** Empty where nothing is written, or more than one value. */
  private text(path: Path): string {
    const value = this.document.getIn(path);
    return typeof value === 'string' ? value : '';
  }
}

function choicesWith(names: readonly string[], value: string): readonly string[] {
  return names.includes(value) ? names : [...names, value];
}

function stepOf(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** `hostsPerLeaf` is `hosts per leaf`. */
function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
