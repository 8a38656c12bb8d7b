import { displayCount, displayDuration, displayRate, displaySize } from '../../base/display.js';
import { counter, gauge, label, nullable, renamed } from '../../base/metric.js';
import type { FileHeader } from '../../services/file/file-header.js';
import type { Verdict } from '../../services/file/verdict.js';
import { type Document, documentOf } from '../../telemetry/document.js';
import type { Results } from '../shared/results.js';

/** What became of one file. */
export interface FileResult {
  /** At the receiver. */
  readonly name: string;
  readonly bytes: number;
  /** What the receiver computed, when it has the file. */
  readonly sha256: string | null;
  /** The receiver has the file under its name, with the right SHA-256. */
  readonly verified: boolean;
  /** `ok`, or why not: a verdict's word, an error's code, `notSent`. */
  readonly code: string;
  readonly message: string;
  /** From the opening of the flow to the verdict. */
  readonly durationNs: number;
  /** Data frames that were lost and sent again. */
  readonly lostFrames: number;
}

export function verdictResult(
  header: FileHeader,
  verdict: Verdict,
  { durationNs, lostFrames }: Pick<FileResult, 'durationNs' | 'lostFrames'>,
): FileResult {
  const { name, bytes } = header;
  const { ok, code, message, sha256 } = verdict;
  return { name, bytes, sha256: ok ? sha256 : null, verified: ok, code, message, durationNs, lostFrames };
}

/** A file without a verdict. */
export function failedResult(header: FileHeader, code: string, message: string): FileResult {
  const { name, bytes } = header;
  return { name, bytes, sha256: null, verified: false, code, message, durationNs: 0, lostFrames: 0 };
}

/** A line for each file that was verified (the others' sentences go to standard error), or one JSON object for all. docs/APPLICATIONS.md, "Send" */
export function reportResults(results: Results, files: readonly FileResult[], isJson: boolean): void {
  if (isJson) {
    results.json({ files: files.map(jsonOf) });
    return;
  }
  for (const file of files.filter(({ verified }) => verified)) {
    const { name, bytes, durationNs, lostFrames } = file;
    const lost = lostFrames === 0 ? '' : `, ${displayCount(lostFrames)} data frames lost and sent again`;
    const pace = `${displayDuration(durationNs)}, ${displayRate(goodputBps(file))}`;
    results.line(`sent '${name}' (${displaySize(bytes)}) in ${pace}, SHA-256 verified by the receiver${lost}`);
  }
}

/** What is printed of a file. */
export const SENT_FILE = {
  name: label('Name at the receiver'),
  bytes: gauge('bytes', 'Size'),
  sha256: nullable(label('SHA-256 that the receiver computed')),
  verified: label('Whether the receiver has it under its name', false),
  code: label('ok, or why it is not'),
  message: label('The same as a sentence'),
  durationNs: nullable(gauge('s', 'From the opening of the flow to the verdict; null: not verified')),
  goodputBps: nullable(gauge('bit/s', 'Size over the duration')),
  lostFrames: renamed(counter('frames', 'Data frames lost and sent again'), 'data_lost_frames'),
};

function jsonOf(file: FileResult): Document {
  const measured = file.verified ? { goodputBps: goodputBps(file) } : { durationNs: null, goodputBps: null };
  return documentOf(SENT_FILE, { ...file, ...measured });
}

function goodputBps({ bytes, durationNs }: FileResult): number {
  return (bytes * 8e9) / durationNs;
}
