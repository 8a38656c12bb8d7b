import type { NetConnectOpts } from 'node:net';
import { basename, join } from 'node:path';
import type { ValueKind } from '../../base/value-kind.js';
import { DEFAULT_SWITCH_PORT } from '../../net/host-settings.js';
import { type Address, address, formatAddress, isLoopback } from '../../udp/address.js';

/** Where a switch takes commands: a TCP address, or the path of a Unix domain socket, on Windows that of a named pipe. */
export type ControlAddress = Address | { readonly path: string };

/** Longest path of a Unix domain socket without its terminating zero: unix(7) of Linux. */
const MAX_LINUX_PATH_BYTES = 107;
/** The same of macOS, unix(4), and of the BSDs. A longer path would be cut off without a word by some versions of Node.js. */
const MAX_PATH_BYTES = 103;
/** https://learn.microsoft.com/en-us/windows/win32/ipc/pipe-names */
export const PIPE_PREFIX = '\\\\.\\pipe\\';
const MAX_PIPE_CHARACTERS = 256;
const DEFAULT_HOST = '127.0.0.1';

const TCP = address({ host: DEFAULT_HOST, port: DEFAULT_SWITCH_PORT, anyPort: true });

/** A control address as people write it: a text with a slash is a path; on Windows one that begins as names of pipes do. */
export function controlAddress(platform: NodeJS.Platform): ValueKind<ControlAddress> {
  return platform === 'win32' ? pipeOrTcp() : socketOrTcp(platform === 'linux' ? MAX_LINUX_PATH_BYTES : MAX_PATH_BYTES);
}

function socketOrTcp(mostBytes: number): ValueKind<ControlAddress> {
  return {
    allowed: `PATH of a Unix domain socket with a slash in it and at most ${mostBytes} bytes; or for TCP ${TCP.allowed}`,
    parse: (text) => {
      if (!text.includes('/')) return TCP.parse(text);
      return Buffer.byteLength(text) <= mostBytes ? { path: text } : undefined;
    },
    format: formatControlAddress,
  };
}

function pipeOrTcp(): ValueKind<ControlAddress> {
  return {
    allowed: `${PIPE_PREFIX}NAME of a named pipe, at most ${MAX_PIPE_CHARACTERS} characters; or for TCP ${TCP.allowed}`,
    parse: (text) => {
      if (!isPipe(text)) return TCP.parse(text);
      const isWhole = text.length > PIPE_PREFIX.length && text.length <= MAX_PIPE_CHARACTERS;
      return isWhole ? { path: text } : undefined;
    },
    format: formatControlAddress,
  };
}

/** Of the system that this process runs on. */
export const CONTROL_ADDRESS = controlAddress(process.platform);

/**
 * Path of a control channel that only the owner of the temporary `directory` can reach.
 * Windows keeps its pipes elsewhere; there the random name of the directory makes the pipe's name unguessable.
 */
export function privateControlPath(directory: string, number: number, platform = process.platform): string {
  const name = `control-${number}`;
  return platform === 'win32' ? `${PIPE_PREFIX}${basename(directory)}-${name}` : join(directory, `${name}.sock`);
}

/** Whether a path is that of a named pipe of Windows, which goes with its process: nothing of it is ever left over. */
export function isPipe(path: string): boolean {
  return path.startsWith(PIPE_PREFIX);
}

/** As it stands in messages, and as `CONTROL_ADDRESS` reads it. */
export function formatControlAddress(at: ControlAddress): string {
  return 'path' in at ? at.path : formatAddress(at);
}

/** As `node:net` wants it, for listening and for connecting alike. */
export function netOptions(at: ControlAddress): NetConnectOpts {
  return 'path' in at ? { path: at.path } : { host: at.host, port: at.port };
}

/** Whether only processes of this machine reach it. */
export function isLocal(at: ControlAddress): boolean {
  return 'path' in at || isLoopback(at);
}
