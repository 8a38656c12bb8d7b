import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { portOf, within, XpassProcess } from './switch-lab.js';

/** A daemon with these rules of what may be reached; directly on a free port unless it attaches to a switch. */
export async function startFarSide(...args: string[]) {
  const where = args.includes('--switch') || args.includes('--listen') ? [] : ['--listen', ':0'];
  const running = new XpassProcess(['daemon', '--json', '--directory', '/tmp', ...where, ...args]);
  const listening = await running.event('listening');
  return { process: running, address: String(listening.address) };
}

/** A tunnel whose forwards listen; their ports are in the order of the events. */
export async function startTunnel(to: string, ...args: string[]) {
  const running = new XpassProcess(['tunnel', '--json', '--to', to, ...args]);
  const wanted = args.filter((arg) => ['-L', '-R', '-D'].includes(arg)).length;
  const listening = () => running.events.filter(({ event }) => event === 'listening');
  await until(() => listening().length >= wanted || running.isOver, `${wanted} forwards`);
  const ports = listening().map(({ address }) => portOf(String(address)));
  return { process: running, ports };
}

/** Waits until something is so. */
export async function until(isSo: () => boolean, what: string): Promise<void> {
  let isStopped = false;
  const look = async (): Promise<void> => {
    while (!isSo() && !isStopped) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await within(look(), what).finally(() => {
    isStopped = true;
  });
}

/** A TCP server of the test's, on a free port, with half-open sockets. */
export async function tcpServer(onSocket: (socket: Socket) => void, host = '127.0.0.1'): Promise<number> {
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  const sockets = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A TCP client of the test's, connected. */
export async function tcpClient(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await within(once(socket, 'connect'), `a connection to port ${port}`);
  return socket;
}

/** Everything up to the end; rejects for a reset. */
export async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('end', resolve);
    socket.once('error', reject);
    socket.once('close', (hadError) => (hadError ? undefined : resolve()));
  });
  await within(ended, 'the end of a connection');
  return Buffer.concat(chunks);
}

/** The code of the error that closes a socket; `none` for an end in order. */
export function closeCode(socket: Socket): Promise<string> {
  const closed = new Promise<string>((resolve) => {
    let code = 'none';
    socket.once('error', (error: NodeJS.ErrnoException) => {
      code = error.code ?? error.message;
    });
    socket.once('close', () => resolve(code));
    socket.resume();
  });
  return within(closed, 'a connection that is closed');
}
