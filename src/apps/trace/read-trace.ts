// Tested by test/apps/trace/trace.test.ts
import { readFileSync } from 'node:fs';
import { usageFailure } from '../../base/failure.js';

/** One event of a flow. */
export interface TraceEvent {
  /** ms since the trace's reference. */
  readonly time: number;
  /** Without the name of the schema. */
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface FlowTraceFile {
  readonly title: string;
  readonly events: readonly TraceEvent[];
}

const SCHEMA_PREFIX = 'xpass:';

/** Reads a qlog file of ours; a last record that was cut off is left out. Throws a Failure for a file of another kind. */
export function readTrace(path: string): FlowTraceFile {
  const records = readFileSync(path, 'utf8').split('\u001e').slice(1).map(parsed);
  const [header, ...rest] = records;
  if (!isObject(header) || header.qlog_format !== 'JSON-SEQ' || !isObject(header.trace))
    throw usageFailure(`'${path}' is not a qlog file: allowed are the .sqlog files that --qlog writes`);
  return { title: String(header.title), events: rest.flatMap(eventOf) };
}

function eventOf(record: unknown): TraceEvent[] {
  if (!isObject(record) || !isObject(record.data) || typeof record.time !== 'number') return [];
  const name = String(record.name);
  return name.startsWith(SCHEMA_PREFIX)
    ? [{ time: record.time, name: name.slice(SCHEMA_PREFIX.length), data: record.data }]
    : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
