import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeSystemError, isSystemError, type SystemError } from '../../src/base/system-errors.js';

function systemError(fields: Partial<SystemError>): SystemError {
  return Object.assign(new Error('raw'), { code: 'EIO', syscall: 'read' }, fields);
}

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('an error of the system', () => {
  it('is told from other errors', () => {
    expect(isSystemError(caught(() => readFileSync('/no/such/file')))).toBe(true);
    expect(isSystemError(new Error('ours'))).toBe(false);
    expect(isSystemError(Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBe(false);
    expect(isSystemError('EIO')).toBe(false);
    createSocket('udp4').unref().close();
  });

  it('names the path that Node put on it', () => {
    const error = caught(() => readFileSync('/no/such/file')) as SystemError;
    expect(describeSystemError(error)).toEqual({
      exitCode: 2,
      sentence: "'/no/such/file' does not exist: name something that does",
    });
  });

  it('says what is allowed in place of a directory', () => {
    const error = caught(() => readFileSync('/')) as SystemError;
    expect(describeSystemError(error, "topology file '/'").sentence).toBe(
      "topology file '/' is a directory: only a regular file is allowed here",
    );
    expect(describeSystemError(caught(() => readdirSync('/dev/null')) as SystemError).sentence).toBe(
      "'/dev/null' is not a directory, or has one of its parents that is not",
    );
  });

  it('names an address with its port, IPv6 in brackets', () => {
    const inUse = systemError({ code: 'EADDRINUSE', syscall: 'bind', address: '127.0.0.1', port: 4000 });
    expect(describeSystemError(inUse)).toEqual({
      exitCode: 2,
      sentence: '127.0.0.1:4000 is in use already: choose another port, or 0 for any that is free',
    });
    const elsewhere = systemError({ code: 'EADDRNOTAVAIL', syscall: 'bind', address: '::2', port: 1 });
    expect(describeSystemError(elsewhere).sentence).toMatch(/^\[::2\]:1 is not an address of this machine/);
  });

  it('tells permissions of a port from those of a file', () => {
    const port = systemError({ code: 'EACCES', syscall: 'bind', address: '0.0.0.0', port: 80 });
    expect(describeSystemError(port).sentence).toContain('ports from 1024 up');
    const file = systemError({ code: 'EACCES', syscall: 'open', path: 'secret' });
    expect(describeSystemError(file).sentence).toBe(
      "'secret' may not be used by this user: its permissions must allow it",
    );
  });

  it.each([
    ['ENOSPC', 'write', 1],
    ['EMFILE', 'open', 1],
    ['ECONNREFUSED', 'recv', 3],
    ['EHOSTUNREACH', 'send', 3],
    ['EMSGSIZE', 'send', 2],
    ['ENOTFOUND', 'getaddrinfo', 2],
  ])('ends %s of %s with status %i', (code, syscall, exitCode) => {
    expect(describeSystemError(systemError({ code, syscall, path: 'x' })).exitCode).toBe(exitCode);
  });

  it('still makes a sentence of a code that nobody thought of', () => {
    expect(describeSystemError(systemError({ code: 'EBADMSG', syscall: 'read', path: 'x' }))).toEqual({
      exitCode: 1,
      sentence: "'x': read failed with EBADMSG",
    });
  });
});
