import { readFileSync } from 'node:fs';
import { failureOf, usageFailure } from '../../base/failure.js';

/** What ioredis takes. */
export interface ConnectionOptions {
  readonly path?: string;
  readonly host?: string;
  readonly port?: number;
  readonly db?: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: { readonly servername: string; readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
}

/** The queue as --queue gives it. */
export interface QueueAddress {
  /** For the connection alone: it has the password. */
  readonly options: ConnectionOptions;
  /** Without user, password and files: for messages. */
  readonly shown: string;
}

/** The password where --queue has none: other users of a machine see the words of a command. */
const PASSWORD_VARIABLE = 'XPASS_QUEUE_PASSWORD';

const ALLOWED =
  'redis://HOST:PORT, rediss://HOST:PORT for TLS with ?ca=FILE&cert=FILE&key=FILE where needed, either with USER:PASSWORD@ and /DATABASE; unix:///PATH';
const USUAL_PORT = 6379;
/** What a TLS connection takes from files: an authority of one's own, and what this side shows the server. */
const TLS_FILES = ['ca', 'cert', 'key'] as const;

/** Throws a usage Failure, which shows no password. */
export function queueAddress(written: string, environment: NodeJS.ProcessEnv = process.env): QueueAddress {
  const url = parsed(written);
  if (url === null || !isFit(url)) {
    throw usageFailure(`--queue '${withoutSecret(written)}' is not allowed; allowed: ${ALLOWED}`);
  }
  const password = decodeURIComponent(url.password) || environment[PASSWORD_VARIABLE];
  const login = {
    ...(url.username !== '' && { username: decodeURIComponent(url.username) }),
    ...(password !== undefined && password !== '' && { password }),
  };
  if (url.protocol === 'unix:') {
    return { options: { path: decodeURIComponent(url.pathname), ...login }, shown: `unix://${url.pathname}` };
  }
  // A host in brackets is an address of IPv6.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? USUAL_PORT : Number(url.port);
  const db = Number(url.pathname.slice(1));
  const tls = url.protocol === 'rediss:' && { tls: { ...tlsFiles(url), servername: host } };
  return { options: { host, port, db, ...login, ...tls }, shown: `${url.protocol}//${url.host}${url.pathname}` };
}

function parsed(written: string): URL | null {
  try {
    return new URL(written);
  } catch {
    return null;
  }
}

function isFit({ protocol, hostname, pathname, searchParams }: URL): boolean {
  const names = [...searchParams.keys()];
  if (protocol === 'unix:') return hostname === '' && pathname.length > 1 && names.length === 0;
  if (hostname === '' || !/^\/?\d*$/.test(pathname)) return false;
  if (protocol === 'redis:') return names.length === 0;
  return protocol === 'rediss:' && names.every((name) => TLS_FILES.some((file) => file === name));
}

function tlsFiles({ searchParams }: URL): Record<string, Buffer> {
  return Object.fromEntries([...searchParams].map(([name, path]) => [name, fileOf(name, path)]));
}

function fileOf(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const why = failureOf(error, path)?.message ?? String(error);
    throw usageFailure(`--queue with ${name}=${path}: ${why}`);
  }
}

/** What stands before the last @ may be a password, also in what is no URL; so may a query. */
function withoutSecret(written: string): string {
  return written.replace(/^([a-z+]*:\/\/)?.*@/is, '$1').replace(/\?.*$/s, '');
}
