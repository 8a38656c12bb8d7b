import { displayCount, displayDuration, displayRate, displaySize } from '../../base/display.js';
import { counter, gauge, group, label, nullable, renamed } from '../../base/metric.js';
import type { LeftOut } from '../../services/file/list-entries.js';
import type { Verdict } from '../../services/file/verdict.js';
import { type Document, documentOf } from '../../telemetry/document.js';
import type { Results } from '../shared/results.js';

/** What is said of a file, or of a folder, before it is sent. */
export interface SentEntry {
  /** At the receiver. */
  readonly name: string;
  /** Infinity of a pipe. */
  readonly bytes: number;
  readonly offset: number;
}

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
  /** Where the bytes began that were sent: the receiver had those before. */
  readonly offset: number;
  /** Nothing was sent, because the receiver has the file already. */
  readonly skipped: boolean;
  /** From the opening of the flow to the verdict. */
  readonly durationNs: number;
  /** Data frames that were lost and sent again. */
  readonly lostFrames: number;
}

export function verdictResult(
  header: SentEntry,
  verdict: Verdict,
  { durationNs, lostFrames }: Pick<FileResult, 'durationNs' | 'lostFrames'>,
): FileResult {
  const { name, bytes, offset } = header;
  const { ok, code, message, sha256 } = verdict;
  const measured = { offset, skipped: false, durationNs, lostFrames };
  return { name, bytes, sha256: ok ? sha256 : null, verified: ok, code, message, ...measured };
}

/** A file that the receiver has already, with this SHA-256. */
export function skippedResult({ name, bytes }: SentEntry, sha256: string): FileResult {
  const message = `'${name}' is there already, with the same SHA-256`;
  const measured = { offset: bytes, skipped: true, durationNs: 0, lostFrames: 0 };
  return { name, bytes, sha256, verified: true, code: 'ok', message, ...measured };
}

/** A file without a verdict. */
export function failedResult(header: SentEntry, code: string, message: string): FileResult {
  const { name, bytes } = header;
  const measured = { offset: 0, skipped: false, durationNs: 0, lostFrames: 0 };
  return { name, bytes, sha256: null, verified: false, code, message, ...measured };
}

/** A line for each file that was verified (the others' sentences go to standard error), or one JSON object for all. docs/APPLICATIONS.md, "Send" */
export function reportResults(results: Results, sent: SentReport, isJson: boolean): void {
  const { files, foldersMade, leftOut } = sent;
  if (isJson) {
    const listed = files.slice(0, MOST_LISTED).map(jsonOf);
    const filesUnlisted = files.length - listed.length;
    const summary = { ...summaryOf(files), foldersMade, filesUnlisted, leftOut };
    results.json({ files: listed, summary: documentOf(SENT_SUMMARY, summary) });
    return;
  }
  if (files.length <= MOST_LINES)
    for (const file of files.filter(({ verified }) => verified)) results.line(lineOf(file));
  if (files.length > 1 || foldersMade > 0) results.line(summaryLine(files));
  if (foldersMade > 0) results.line(counted(foldersMade, 'folder'));
  const others = Object.entries<number>({ ...leftOut }).filter(([, count]) => count > 0);
  if (others.length > 0)
    results.line(`left out: ${others.map(([what, count]) => counted(count, what.slice(0, -1))).join(', ')}`);
}

/** What became of everything. */
export interface SentReport {
  /** Folders are among them where they failed. */
  readonly files: readonly FileResult[];
  readonly foldersMade: number;
  readonly leftOut: LeftOut;
}

/** Files that get a line each; more have a summary (ours: a screen of 24 lines). */
const MOST_LINES = 20;
/** Files of the JSON document (ours: some 30 MB of text). */
const MOST_LISTED = 100_000;
/** Failures whose sentences are said. */
const MOST_SENTENCES = 10;

/** The sentence for standard error when some of the files failed. */
export function failureSentence(failed: readonly FileResult[], ofAll: number): string {
  const count = ofAll === 1 ? '' : `${failed.length} of ${ofAll} failed: `;
  const sentences = failed.slice(0, MOST_SENTENCES).map(({ message }) => message);
  const more = failed.length - sentences.length;
  return count + sentences.join('; ') + (more === 0 ? '' : `; and ${more} more`);
}

function lineOf(file: FileResult): string {
  const { name, bytes, offset, skipped, durationNs, lostFrames } = file;
  if (skipped) return `skipped '${name}' (${displaySize(bytes)}): the receiver has it already, SHA-256 verified`;
  const lost = lostFrames === 0 ? '' : `, ${counted(lostFrames, 'data frame')} lost and sent again`;
  const pace = `${displayDuration(durationNs)}, ${displayRate(goodputBps(file))}`;
  const resumed = offset === 0 ? '' : `, resumed at ${displaySize(offset)}`;
  return `sent '${name}' (${displaySize(bytes)}${resumed}) in ${pace}, SHA-256 verified by the receiver${lost}`;
}

/** `thing` forms its plural with an s. */
function counted(count: number, thing: string): string {
  return `${displayCount(count)} ${thing}${count === 1 ? '' : 's'}`;
}

function summaryLine(files: readonly FileResult[]): string {
  const { filesSent, filesResumed, filesSkipped, filesFailed, sentBytes } = summaryOf(files);
  const resumed = filesResumed === 0 ? '' : ` (${displayCount(filesResumed)} of them resumed)`;
  const rest = `${displayCount(filesSkipped)} skipped, ${displayCount(filesFailed)} failed`;
  return `${counted(filesSent, 'file')} sent${resumed}, ${rest}; ${displaySize(sentBytes)} sent`;
}

function summaryOf(files: readonly FileResult[]) {
  const verified = files.filter((file) => file.verified);
  const sent = verified.filter(({ skipped }) => !skipped);
  return {
    filesSent: sent.length,
    filesResumed: sent.filter(({ offset }) => offset > 0).length,
    filesSkipped: verified.length - sent.length,
    filesFailed: files.length - verified.length,
    sentBytes: sent.reduce((sum, file) => sum + sentBytesOf(file), 0),
  };
}

/** What is printed of a file. */
export const SENT_FILE = {
  name: label('Name at the receiver'),
  bytes: gauge('bytes', 'Size'),
  sha256: nullable(label('SHA-256 that the receiver computed')),
  verified: label('Whether the receiver has it under its name', false),
  skipped: label('Whether nothing was sent because the receiver had it already', false),
  offset: renamed(gauge('bytes', 'Where the sent bytes began: the receiver had those before'), 'resumed_at'),
  sentBytes: gauge('bytes', 'Sent of a file that is verified'),
  code: label('ok, or why it is not'),
  message: label('The same as a sentence'),
  durationNs: nullable(gauge('s', 'From the opening of the flow to the verdict; null: not verified')),
  goodputBps: nullable(gauge('bit/s', 'Size over the duration')),
  lostFrames: renamed(counter('frames', 'Data frames lost and sent again'), 'data_lost_frames'),
};

/** What is printed of all files. */
export const SENT_SUMMARY = {
  filesSent: counter('files', 'Verified files of which bytes were sent'),
  filesResumed: counter('files', 'Those of them that went on where an earlier transfer had ended'),
  filesSkipped: counter('files', 'Files that the receiver had already'),
  filesFailed: counter('files', 'Files that were not verified'),
  sentBytes: counter('bytes', 'Sent of verified files'),
  foldersMade: counter('files', 'Folders that the receiver has'),
  filesUnlisted: counter('files', 'Files beyond the first 100,000, which `files` leaves out'),
  leftOut: group('What folders have that is not sent', {
    links: counter('files', 'Symbolic links'),
    devices: counter('files', 'Devices'),
    sockets: counter('files', 'Sockets'),
    pipes: counter('files', 'Named pipes'),
  }),
};

function jsonOf(file: FileResult): Document {
  const isSent = file.verified && !file.skipped;
  const measured = isSent ? { goodputBps: goodputBps(file) } : { durationNs: null, goodputBps: null };
  return documentOf(SENT_FILE, { ...file, sentBytes: sentBytesOf(file), ...measured });
}

function sentBytesOf({ bytes, offset, verified }: FileResult): number {
  return verified ? bytes - offset : 0;
}

function goodputBps(file: FileResult): number {
  return (sentBytesOf(file) * 8e9) / file.durationNs;
}
