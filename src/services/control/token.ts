import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { usageFailure } from '../../base/failure.js';
import { readSmallFile } from '../../net/small-file.js';

/** 128 bits, so that it cannot be guessed. */
const TOKEN_BYTES = 16;
/** Ours: what somebody writes by hand has as much chance in it as is reasonable. */
const MIN_TOKEN_CHARACTERS = 16;
const MAX_TOKEN_CHARACTERS = 256;
/** The token, and notes behind it (ours). */
const MAX_FILE_BYTES = 4_096;
/** Any mode of the group or of others. */
const OTHERS = 0o077;

export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

/** The first line of a file that only its owner may use. Throws a Failure that names it; `platform`: Windows has no modes. */
export async function readTokenFile(path: string, platform: NodeJS.Platform = process.platform): Promise<string> {
  const { text, mode } = await readSmallFile(path, `the token file '${path}'`, MAX_FILE_BYTES);
  if (platform !== 'win32' && (mode & OTHERS) !== 0) {
    throw usageFailure(`the token file '${path}' can be used by others: run chmod 600 '${path}'`);
  }
  const [token] = text.split(/\r?\n/);
  if (token.length >= MIN_TOKEN_CHARACTERS && token.length <= MAX_TOKEN_CHARACTERS) return token;
  throw usageFailure(
    `the first line of the token file '${path}' has ${token.length} characters; ` +
      `allowed: ${MIN_TOKEN_CHARACTERS} to ${MAX_TOKEN_CHARACTERS}`,
  );
}

/** In a time that says nothing of where they differ, nor of their lengths. */
export function isSameToken(given: unknown, token: string): boolean {
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
