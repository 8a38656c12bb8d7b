import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { failureOf } from '../../base/failure.js';
import type { Results } from '../shared/results.js';
import type { PerfOptions } from './options.js';

/** Where a command's lines go: standard output, or a file to which they are appended. */
export type Output = Pick<Results, 'line' | 'json'> & {
  /** Whoever read it has gone. */
  readonly isUnread: boolean;
  close(): void;
};

type Parts = Pick<PerfOptions, 'logfile' | 'title' | 'timestamps'>;

/** Throws a Failure when the file cannot be written. JSON has neither title nor times in front. */
export function openOutput(results: Results, { logfile, title, timestamps }: Parts): Output {
  const file = logfile === undefined ? null : openLog(logfile);
  const raw = (text: string): void => {
    if (file === null) results.line(text);
    else writeSync(file, `${text}\n`);
  };
  return {
    line: (text) => {
      const time = timestamps === undefined ? '' : strftime(timestamps, new Date());
      raw(`${time}${title === undefined ? '' : `${title}:  `}${text}`);
    },
    json: (value) => raw(JSON.stringify(value)),
    get isUnread() {
      return file === null && results.isBroken;
    },
    close: () => {
      if (file !== null) closeSync(file);
    },
  };
}

function openLog(path: string): number {
  return orFailure(path, () => openSync(path, 'a'));
}

/** Writes the number of this process; the function that comes back removes it. Throws a Failure. */
export function writePidfile(path: string | undefined): () => void {
  if (path === undefined) return () => {};
  orFailure(path, () => writeFileSync(path, `${process.pid}\n`));
  return () => rmSync(path, { force: true });
}

function orFailure<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw failureOf(error, path) ?? error;
  }
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The letters of strftime(3) that times of day and dates need; others stay as they are. */
const LETTERS: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getFullYear()),
  m: (date) => two(date.getMonth() + 1),
  d: (date) => two(date.getDate()),
  e: (date) => String(date.getDate()).padStart(2),
  H: (date) => two(date.getHours()),
  M: (date) => two(date.getMinutes()),
  S: (date) => two(date.getSeconds()),
  s: (date) => String(Math.floor(date.getTime() / 1e3)),
  a: (date) => date.toDateString().slice(0, 3),
  b: (date) => date.toDateString().slice(4, 7),
  F: (date) => strftime('%Y-%m-%d', date),
  T: (date) => strftime('%H:%M:%S', date),
  c: (date) => strftime('%a %b %e %T %Y', date),
  '%': () => '%',
};

export function strftime(format: string, date: Date): string {
  return format.replace(/%(.)/g, (whole, letter: string) => LETTERS[letter]?.(date) ?? whole);
}
