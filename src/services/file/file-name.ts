import { hash } from 'node:crypto';

/** The name of a received file is the sender's word: components in a row, of which none leads anywhere but down. */

/** NAME_MAX of Linux and of most file systems, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 255;

/** Controls (they can rewrite a terminal), half surrogates (no UTF-8 has them), and marks that turn the direction of text (they disguise a suffix). */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * What is wrong with a name for a file in the receive directory, as the end of a sentence; null when nothing is. A leading dot is refused because it hides the
 * file, means something to programs in a home directory, and is how the names of unfinished files begin.
 */
export function fileNameProblem(name: string): string | null {
  if (name === '') return 'is empty';
  if (UNPRINTABLE.test(name)) return 'has a control character';
  if (/[/\\]/.test(name)) return 'has a path separator';
  if (name.startsWith('.')) return 'begins with a dot';
  const bytes = Buffer.byteLength(name);
  return bytes > MAX_NAME_BYTES ? `has ${bytes} bytes, more than ${MAX_NAME_BYTES}` : null;
}

/** Folders above a file, and bytes of its whole name (ours: deeper than source trees are, and below PATH_MAX of Linux, 4,096, with room for the directory). */
const MAX_DEPTH = 64;
const MAX_PATH_BYTES = 2_048;

/** Names of unfinished files, in the form of temporaryName. */
const UNFINISHED = /^\..+\.part$/is;

/**
 * What is wrong with a relative name such as `photos/2024/a.jpg`. Only components below the first may begin with a dot: no sender makes a hidden name in the
 * receive directory itself.
 */
export function pathNameProblem(name: string): string | null {
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_PATH_BYTES) return `has ${bytes} bytes, more than ${MAX_PATH_BYTES}`;
  const [first, ...below] = name.split('/');
  if (below.length > MAX_DEPTH) return `has ${below.length} folders above it, more than ${MAX_DEPTH}`;
  if (name.startsWith('/')) return 'begins at the root';
  return fileNameProblem(first) ?? below.map(innerProblem).find((problem) => problem !== null) ?? null;
}

function innerProblem(component: string): string | null {
  if (component === '.' || component === '..') return `has the component '${component}'`;
  if (UNFINISHED.test(component)) return 'has a component like that of an unfinished file';
  return fileNameProblem(component.startsWith('.') ? component.slice(1) : component);
}

/** What is wrong with a relative name, besides, for the file system of a receiver on `platform`. */
export function localPathProblem(name: string, platform: NodeJS.Platform = process.platform): string | null {
  for (const component of name.split('/')) {
    const problem = localNameProblem(component, platform);
    if (problem !== null) return problem;
  }
  return null;
}

/** Device names, which Windows takes in every directory and with every suffix; https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file */
const WINDOWS_DEVICE =
  /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$) *(\.|$)/i;

/**
 * What is wrong with a name, besides, for the file system of a receiver on `platform`. On Windows a colon would name a stream of another file,
 * and a dot or space at the
 * end would go, so that the file gets another name than the one that was checked.
 */
export function localNameProblem(name: string, platform: NodeJS.Platform = process.platform): string | null {
  if (platform !== 'win32') return null;
  if (/[<>:"|?*]/.test(name)) return 'has one of < > : " | ? *, which Windows does not allow';
  if (/[. ]$/.test(name)) return 'ends with a dot or a space, which Windows does not allow';
  return WINDOWS_DEVICE.test(name) ? 'is that of a device of Windows' : null;
}

/** Hexadecimal digits that tell files of one name in several folders apart (ours). */
const FOLDER_DIGITS = 12;

/**
 * `.name.tag.part`, at most 255 bytes: what a file is called until it is complete. It stands in the receive directory itself, so a file of a folder has a
 * digest of its whole name before its own.
 */
export function temporaryName(path: string, tag: string): string {
  const digest = hash('sha256', path, 'hex').slice(0, FOLDER_DIGITS);
  const name = path.includes('/') ? `${digest}-${path.slice(path.lastIndexOf('/') + 1)}` : path;
  const room = MAX_NAME_BYTES - Buffer.byteLength(`..${tag}.part`);
  return `.${cutToBytes(name, room)}.${tag}.part`;
}

function cutToBytes(text: string, room: number): string {
  if (Buffer.byteLength(text) <= room) return text;
  const characters = [...text];
  while (Buffer.byteLength(characters.join('')) > room) characters.pop();
  return characters.join('');
}
