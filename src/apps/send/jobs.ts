// Tested by test/loopback/send-folder.test.ts
import { basename } from 'node:path';
import { usageFailure } from '../../base/failure.js';
import { fileNameProblem } from '../../services/file/file-name.js';
import { FolderSource } from '../../services/file/folder-source.js';
import { expandPattern } from '../../services/file/glob.js';
import { type Entry, emptyListing, isFolder, type Listing, listFolder } from '../../services/file/list-entries.js';
import { PipeSource } from '../../services/file/pipe-source.js';
import { openFileSource, readSmallFile, type SendFileOptions } from '../../services/file/send-file.js';
import type { Job } from './job.js';

/** What names the things to send. */
export interface JobOptions {
  readonly positionals: readonly string[];
  readonly options: {
    readonly as: string | undefined;
    readonly name: string | undefined;
    readonly bytes: number | undefined;
    readonly hold: boolean;
    readonly warmUp: number | undefined;
  };
}

/** Finds what is to be sent. Files given by name are opened and closed again: nothing is sent when one of them cannot be read. */
export async function findJobs(invocation: JobOptions): Promise<{ jobs: Job[]; listing: Listing }> {
  const { positionals, options } = invocation;
  const file = fileOptions(invocation);
  const listing = emptyListing();
  const jobs: Job[] = [];
  for (const positional of positionals) {
    if (positional === '-') {
      jobs.push(pipeJob(options));
      continue;
    }
    for (const path of await expandPattern(positional)) {
      if (await isFolder(path)) await listFolder(path, listing);
      else jobs.push(await checkedJob(path, file));
    }
  }
  for (const entry of listing.entries) if (!entry.isFolder) jobs.push(entryJob(entry, options.bytes));
  // Folders come last, the deepest first: one that may not be written to has its files by then.
  for (const entry of listing.entries.reverse()) if (entry.isFolder) jobs.push(folderJob(entry));
  return { jobs, listing };
}

function fileOptions({ options, positionals }: JobOptions): SendFileOptions {
  const { as: name, bytes, name: piped } = options;
  if (name !== undefined && positionals.length > 1) {
    throw usageFailure(`--as '${name}' is given for ${positionals.length} files: it names one`);
  }
  const pipes = positionals.filter((positional) => positional === '-').length;
  if (pipes > 1) throw usageFailure("'-' is given twice: there is one standard input");
  if (piped !== undefined && pipes === 0)
    throw usageFailure(`--name '${piped}' is for standard input: give '-' as well`);
  return { ...(name !== undefined && { name }), ...(bytes !== undefined && { bytes }) };
}

async function checkedJob(path: string, options: SendFileOptions): Promise<Job> {
  const source = await openFileSource(path, options);
  await source.close();
  const { header } = source;
  const job = { header, open: () => openFileSource(path, options) };
  return options.bytes === undefined ? { ...job, read: () => readSmallFile(path, header.name) } : job;
}

function entryJob({ path, name, bytes: size }: Entry, bytes: number | undefined): Job {
  if (bytes !== undefined) {
    return { header: { name, bytes, offset: 0 }, open: () => openFileSource(path, { name, bytes }) };
  }
  const header = { name, bytes: size, offset: 0 };
  return { header, open: () => openFileSource(path, { name }), read: () => readSmallFile(path, name) };
}

function folderJob(entry: Entry): Job {
  const header = { name: entry.name, bytes: 0, offset: 0 };
  const compare = () => Promise.resolve({ isWhole: false, sha256: null });
  return {
    header,
    isFolder: true,
    open: () => Promise.resolve(Object.assign(new FolderSource(entry), { header, compare })),
  };
}

function pipeJob({ name, as, bytes, hold, warmUp }: JobOptions['options']): Job {
  const called = name ?? as;
  if (called === undefined) throw usageFailure("'-' needs --name: what standard input is called at the receiver");
  const problem = called === basename(called) ? fileNameProblem(called) : 'has a path separator';
  if (problem !== null) throw usageFailure(`--name '${called}' ${problem}: receivers do not take such names`);
  if (bytes !== undefined) throw usageFailure(`--bytes ${bytes} is not allowed with '-': use head -c`);
  if (hold) throw usageFailure("--hold is not allowed with '-': it waits for a line on standard input");
  if (warmUp !== undefined) throw usageFailure("--warm-up is not allowed with '-': it sends what it reads to nowhere");
  const source = new PipeSource(called, process.stdin);
  return { header: source.header, open: () => Promise.resolve(source) };
}
