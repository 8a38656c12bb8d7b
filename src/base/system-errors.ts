import { ExitCode } from './exit-codes.js';

/** What Node puts on errors of the system, as far as we use it. */
export interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
  readonly dest?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

export function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as Partial<SystemError>;
  return typeof code === 'string' && typeof syscall === 'string';
}

/** Exit code and one sentence that names the thing and what is allowed. `subject` names it where the error does not. */
export function describeSystemError(error: SystemError, subject?: string): { exitCode: ExitCode; sentence: string } {
  const thing = subject ?? subjectOf(error);
  const known = (isSocketCall(error) ? SOCKET_ERRORS[error.code] : undefined) ?? ERRORS[error.code];
  if (known === undefined) {
    return { exitCode: ExitCode.failed, sentence: `${thing}: ${error.syscall} failed with ${error.code}` };
  }
  return { exitCode: known[0], sentence: `${thing}${known[1]}` };
}

function subjectOf({ path, hostname, address, port, syscall }: SystemError): string {
  if (path !== undefined) return `'${path}'`;
  if (hostname !== undefined) return `'${hostname}'`;
  if (address === undefined) return syscall;
  const host = address.includes(':') ? `[${address}]` : address;
  return port === undefined ? host : `${host}:${port}`;
}

function isSocketCall({ syscall }: SystemError): boolean {
  return /^(bind|connect|send|recv|sendmsg|recvmsg|listen|setsockopt|addMembership|getaddrinfo)/.test(syscall);
}

type Explanations = Readonly<Record<string, readonly [exitCode: ExitCode, predicate: string]>>;

/** Each predicate follows the name of the thing. */
const ERRORS: Explanations = {
  EACCES: [ExitCode.usage, ' may not be used by this user: its permissions must allow it'],
  EPERM: [ExitCode.usage, ' may not be changed by this user: the system forbids the operation'],
  ENOENT: [ExitCode.usage, ' does not exist: name something that does'],
  ENOTDIR: [ExitCode.usage, ' is not a directory, or has one of its parents that is not'],
  EISDIR: [ExitCode.usage, ' is a directory: only a regular file is allowed here'],
  EEXIST: [ExitCode.usage, ' exists already: nothing is overwritten unless asked'],
  ENOTEMPTY: [ExitCode.usage, ' is a directory with something in it: only a regular file is allowed here'],
  ELOOP: [ExitCode.usage, ' is a symbolic link, or a chain of them without end: name the file itself'],
  ENAMETOOLONG: [ExitCode.usage, ' is too long a name: 255 bytes are allowed'],
  EROFS: [ExitCode.usage, ' is on a read-only file system: choose one that can be written'],
  ENXIO: [ExitCode.usage, ' is not a regular file: only a regular file is allowed here'],
  ENOSPC: [ExitCode.failed, ': no space is left on the device'],
  EDQUOT: [ExitCode.failed, ": this user's disk quota is used up"],
  EFBIG: [ExitCode.failed, ': the file is larger than the file system allows'],
  EIO: [ExitCode.failed, ': the device reports an input or output error'],
  EMFILE: [ExitCode.failed, ': this process has too many files open: raise `ulimit -n`'],
  ENFILE: [ExitCode.failed, ': the system has too many files open'],
  ENOMEM: [ExitCode.failed, ': the system has no memory left'],
  EPIPE: [ExitCode.failed, ': the other end of the pipe is closed'],
};

const SOCKET_ERRORS: Explanations = {
  EADDRINUSE: [ExitCode.usage, ' is in use already: choose another port, or 0 for any that is free'],
  EADDRNOTAVAIL: [ExitCode.usage, ' is not an address of this machine: choose one that is, or 0.0.0.0 or :: for all'],
  EAFNOSUPPORT: [ExitCode.usage, ' is of an address family that this machine does not have: choose IPv4 or IPv6'],
  EACCES: [ExitCode.usage, ' may not be used by this user: ports from 1024 up and no broadcast addresses are allowed'],
  EPERM: [ExitCode.usage, ' is forbidden by this system: a firewall rule has to allow it'],
  EINVAL: [ExitCode.usage, ' cannot be used from this socket: both addresses have to be of one family and reach'],
  ENOTFOUND: [ExitCode.usage, ' is a host name that nobody knows: write a name that resolves, or an address'],
  EAI_AGAIN: [ExitCode.peer, ' could not be resolved: the name server does not answer'],
  EMSGSIZE: [ExitCode.usage, ': a frame is larger than the path carries: choose a smaller --frame-size'],
  ECONNREFUSED: [ExitCode.peer, ' has no process that listens'],
  EHOSTUNREACH: [ExitCode.peer, ' cannot be reached: there is no route to the host'],
  EHOSTDOWN: [ExitCode.peer, ' cannot be reached: the host is down'],
  ENETUNREACH: [ExitCode.peer, ' cannot be reached: there is no route to the network'],
  ENETDOWN: [ExitCode.peer, ' cannot be reached: the network is down'],
  ENOBUFS: [ExitCode.failed, ': the system has no socket buffers left'],
};
