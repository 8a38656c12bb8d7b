import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BLOCKS } from './block-pool.js';
import { hasFoldersAbove } from './folders.js';
import { MOST_QUICK_BYTES, QUICK_FILES } from './quick-files.js';
import type { AskedFile } from './series-question.js';

const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The SHA-256 of each small file that is in the directory with this size, else null. Links are not followed. Datagrams are read between two files. */
export async function hashesOfExisting(
  directory: string,
  files: readonly (AskedFile | null)[],
  isOver: () => boolean = () => false,
): Promise<(string | null)[]> {
  const hashes: (string | null)[] = [];
  for (const file of files) {
    const isAsked = file !== null && file.bytes < MOST_QUICK_BYTES && !isOver();
    const hash = isAsked ? await hashOfExisting(directory, file).catch(() => null) : null;
    if (hash !== null) await nextTurn();
    hashes.push(hash);
  }
  return hashes;
}

async function hashOfExisting(directory: string, { name, bytes }: AskedFile): Promise<string | null> {
  const path = `${directory}/${name}`;
  if (!(await hasFoldersAbove({ directory, name, fileSystem: QUICK_FILES }))) return null;
  const found = await QUICK_FILES.lstat(path);
  if (!found.isFile() || found.size !== bytes) return null;
  const file = await QUICK_FILES.open(path, READ_ONLY);
  const block = BLOCKS.take(bytes);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size !== bytes) return null;
    const { bytesRead } = await file.read(block, 0, bytes, 0);
    return bytesRead === bytes ? hash('sha256', block.subarray(0, bytes), 'hex') : null;
  } finally {
    BLOCKS.give(block);
    await file.close();
  }
}
