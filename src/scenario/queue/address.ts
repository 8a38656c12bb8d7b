import { usageFailure } from '../../base/failure.js';

/** The queue as --queue gives it. */
export interface QueueAddress {
  /** With the password: for the connection alone. */
  readonly url: string;
  /** Without user and password: for messages. */
  readonly shown: string;
}

const ALLOWED = 'redis://HOST:PORT or rediss://HOST:PORT (TLS), with USER:PASSWORD@ and /DATABASE where needed';

/** Throws a usage Failure, which shows no password. */
export function queueAddress(written: string): QueueAddress {
  const url = parsed(written);
  const isFit =
    url !== null &&
    (url.protocol === 'redis:' || url.protocol === 'rediss:') &&
    url.hostname !== '' &&
    /^\/?\d*$/.test(url.pathname);
  if (!isFit) throw usageFailure(`--queue '${withoutSecret(written)}' is not allowed; allowed: ${ALLOWED}`);
  return { url: written, shown: `${url.protocol}//${url.host}${url.pathname}` };
}

function parsed(written: string): URL | null {
  try {
    return new URL(written);
  } catch {
    return null;
  }
}

/** What stands before the last @ may be a password, also in what is no URL; so may a query. */
function withoutSecret(written: string): string {
  return written.replace(/^([a-z+]*:\/\/)?.*@/is, '$1').replace(/\?.*$/s, '');
}
