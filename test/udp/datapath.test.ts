import { describe, expect, it } from 'vitest';
import { type SizedSocket, sizeBuffers } from '../../src/udp/datapath.js';

/** A socket whose kernel caps at `limitBytes`: silently and reporting twice the size, or by refusing. */
function socket(limitBytes: number, kind: 'linux' | 'strict'): SizedSocket {
  const sizes = { receive: 1000, send: 1000 };
  const set = (which: 'receive' | 'send') => (bytes: number) => {
    if (kind === 'strict' && bytes > limitBytes) throw new Error('ENOBUFS');
    sizes[which] = Math.min(bytes, limitBytes) * (kind === 'linux' ? 2 : 1);
  };
  return {
    setRecvBufferSize: set('receive'),
    setSendBufferSize: set('send'),
    getRecvBufferSize: () => sizes.receive,
    getSendBufferSize: () => sizes.send,
  };
}

const MIB = 1024 * 1024;

describe('sizeBuffers', () => {
  it('is content when it gets what it asks for', () => {
    const sizes = sizeBuffers(socket(8 * MIB, 'linux'), 4 * MIB, 'linux');
    expect(sizes).toEqual({ receiveBufferBytes: 4 * MIB, sendBufferBytes: 4 * MIB, warnings: [] });
  });

  it('warns, and names the setting, when Linux caps silently', () => {
    const { receiveBufferBytes, warnings } = sizeBuffers(socket(212_992, 'linux'), 4 * MIB, 'linux');
    expect(receiveBufferBytes).toBe(212_992);
    expect(warnings.length).toBe(2);
    expect(warnings[0]).toContain('212992 bytes, 4194304 were asked for: raise net.core.rmem_max');
    expect(warnings[1]).toContain('net.core.wmem_max');
  });

  it('asks for less where the kernel refuses too much', () => {
    const sizes = sizeBuffers(socket(3 * MIB, 'strict'), 8 * MIB, 'darwin');
    expect(sizes.receiveBufferBytes).toBe(2 * MIB);
    expect(sizes.warnings[0]).toBe(
      'the receive buffer of the socket is 2097152 bytes, 8388608 were asked for: raise kern.ipc.maxsockbuf (sysctl -w kern.ipc.maxsockbuf=16777216)',
    );
    expect(sizes.warnings[1]).toContain('kern.ipc.maxsockbuf');
  });

  it('keeps what there is where the kernel refuses everything', () => {
    expect(sizeBuffers(socket(0, 'strict'), 8 * MIB, 'darwin').receiveBufferBytes).toBe(1000);
  });
});
