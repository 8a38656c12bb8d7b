import { platform } from 'node:os';

/** What sizing a socket's buffers uses of it. */
export interface SizedSocket {
  setRecvBufferSize(bytes: number): void;
  setSendBufferSize(bytes: number): void;
  getRecvBufferSize(): number;
  getSendBufferSize(): number;
}

export interface BufferSizes {
  readonly receiveBufferBytes: number;
  readonly sendBufferBytes: number;
  readonly warnings: readonly string[];
}

/** No system refuses so little. */
const LEAST_BYTES = 65_536;

/**
 * Asks for buffers of `wantedBytes`, reads what the kernel gave, and says where it is less. Linux caps silently at `net.core.rmem_max` and
 * reports twice the size, for its own bookkeeping (socket(7), SO_RCVBUF); others refuse what is above their limit, so less is asked of them.
 */
export function sizeBuffers(socket: SizedSocket, wantedBytes: number, system = platform()): BufferSizes {
  request((bytes) => socket.setRecvBufferSize(bytes), wantedBytes);
  request((bytes) => socket.setSendBufferSize(bytes), wantedBytes);
  const bookkeeping = system === 'linux' ? 2 : 1;
  const receiveBufferBytes = socket.getRecvBufferSize() / bookkeeping;
  const sendBufferBytes = socket.getSendBufferSize() / bookkeeping;
  const warnings: string[] = [];
  if (receiveBufferBytes < wantedBytes) warnings.push(tooSmall('receive', receiveBufferBytes, wantedBytes));
  if (sendBufferBytes < wantedBytes) warnings.push(tooSmall('send', sendBufferBytes, wantedBytes));
  return { receiveBufferBytes, sendBufferBytes, warnings };

  function tooSmall(which: 'receive' | 'send', bytes: number, wanted: number): string {
    const remedy = remedyOf(system, which, wanted);
    return `the ${which} buffer of the socket is ${bytes} bytes, ${wanted} were asked for${remedy}`;
  }
}

/** Windows has no limit. */
function remedyOf(system: NodeJS.Platform, which: 'receive' | 'send', wantedBytes: number): string {
  if (system === 'linux') {
    const setting = which === 'receive' ? 'net.core.rmem_max' : 'net.core.wmem_max';
    return `: raise ${setting} (sysctl -w ${setting}=${wantedBytes})`;
  }
  // A part of the limit goes to the kernel's own bookkeeping; twice as much leaves enough.
  return system === 'darwin' ? `: raise kern.ipc.maxsockbuf (sysctl -w kern.ipc.maxsockbuf=${2 * wantedBytes})` : '';
}

function request(set: (bytes: number) => void, wantedBytes: number): void {
  for (let bytes = wantedBytes; bytes >= LEAST_BYTES; bytes = Math.floor(bytes / 2)) {
    try {
      set(bytes);
      return;
    } catch {
      // Above the system's limit: the half of it may not be.
    }
  }
}
