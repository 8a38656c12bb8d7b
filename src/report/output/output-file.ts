import { constants } from 'node:fs';
import { access, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { failureOf, usageFailure } from '../../base/failure.js';

/** Makes a directory for results where there is none. Throws a Failure that names it unless it can be written to. */
export async function prepareDirectory(path: string, what: string): Promise<void> {
  try {
    await makeDirectory(resolve(path));
    await access(path, constants.W_OK);
  } catch (error) {
    throw failureOf(error, `${what} '${path}'`) ?? error;
  }
}

/** Parents first, one by one: `mkdir` of Node.js 20 with `recursive` never comes back from `/proc`, where nothing can be made. */
async function makeDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() === true) return;
  if (found !== null) throw usageFailure(`'${path}' is a file: a directory is needed there`);
  if (dirname(path) !== path) await makeDirectory(dirname(path));
  await mkdir(path).catch(async (error: unknown) => {
    const made = await stat(path).catch(() => null);
    if (made?.isDirectory() !== true) throw error;
  });
}

/** Throws a Failure unless a file can be written there: before a run, since nobody wants to hear of it after an hour. */
export async function checkWritable(path: string, what: string): Promise<void> {
  try {
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory() === true) throw usageFailure(`${what} '${path}' is a directory: name a file`);
    if (found !== null) return await access(path, constants.W_OK);
  } catch (error) {
    throw failureOf(error, `${what} '${path}'`) ?? error;
  }
  const directory = dirname(resolve(path));
  await access(directory, constants.W_OK).catch((error: unknown) => {
    throw failureOf(error, `directory '${directory}' of ${what}`) ?? error;
  });
}

/** Writes a file as a whole or not at all: under another name first. Throws a Failure that names it. */
export async function writeWhole(path: string, text: string | Uint8Array, what: string): Promise<void> {
  const partial = `${path}.partial`;
  try {
    const found = await stat(path).catch(() => null);
    // A device or a pipe cannot be replaced by a file.
    if (found !== null && !found.isFile()) return await writeFile(path, text);
    await writeFile(partial, text);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw failureOf(error, `${what} '${path}'`) ?? error;
  }
}

/** Writes files by their names into a directory. */
export async function writeAll(
  directory: string,
  files: ReadonlyMap<string, string | Uint8Array>,
  what: string,
): Promise<void> {
  for (const [name, text] of files) await writeWhole(join(directory, name), text, what);
}
