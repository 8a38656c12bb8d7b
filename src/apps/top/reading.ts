import type { Sample } from '../../telemetry/prometheus.js';

/** One look at a process: its metrics under Prometheus' names, whichever way they came. */
export interface Reading {
  /** A clock that only moves forward. */
  readonly atNs: number;
  readonly families: ReadonlyMap<string, readonly Sample[]>;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/y;
/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
const ESCAPES: Readonly<Record<string, string>> = { n: '\n' };

/** The samples of a scrape by name. Lines that are none are left out: of the text format this takes what `--metrics` of xpass writes. */
export function parseExposition(text: string): Map<string, Sample[]> {
  const families = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    const [, name, labelText = '', value] = LINE.exec(line) ?? [];
    const labels = name === undefined ? null : labelsOf(labelText);
    if (labels === null) continue;
    const samples = families.get(name) ?? [];
    samples.push({ labels, value: numberOf(value) });
    families.set(name, samples);
  }
  return families;
}

function labelsOf(text: string): Record<string, string> | null {
  const labels: [string, string][] = [];
  let end = 0;
  while (end < text.length) {
    LABEL.lastIndex = end;
    const match = LABEL.exec(text);
    if (match === null) return null;
    labels.push([match[1], match[2].replace(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped)]);
    end = LABEL.lastIndex;
  }
  return Object.fromEntries(labels);
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
}

/** The sum of a family's samples that have these labels; undefined where there are none. */
export function sumOf(
  { families }: Reading,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels);
  const fitting = (families.get(name) ?? []).filter((sample) =>
    wanted.every(([label, value]) => sample.labels[label] === value),
  );
  return fitting.length === 0 ? undefined : fitting.reduce((sum, { value }) => sum + value, 0);
}
