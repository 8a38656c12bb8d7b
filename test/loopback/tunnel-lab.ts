import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { portOf, type Starts, untilSo, within, XpassCommand, XpassProcess, type XpassRun } from './switch-lab.js';

/** A daemon with these rules of what may be reached; directly on a free port unless it attaches to a switch. */
export const startFarSide = (...args: string[]) => readyFarSide(XpassCommand, args);

/** The same in a process of its own, for programs that move much. */
export const startFarSideProcess = (...args: string[]) => readyFarSide(XpassProcess, args);

async function readyFarSide<T extends XpassRun>(Run: Starts<T>, args: readonly string[]) {
  const where = args.includes('--switch') || args.includes('--listen') ? [] : ['--listen', ':0'];
  const running = new Run(['daemon', '--json', '--directory', '/tmp', ...where, ...args]);
  const listening = await running.event('listening');
  return { process: running, address: String(listening.address) };
}

/** A tunnel whose forwards listen; their ports are in the order of the events. */
export const startTunnel = (to: string, ...args: string[]) => readyTunnel(XpassCommand, to, args);

/** The same in a process of its own. */
export const startTunnelProcess = (to: string, ...args: string[]) => readyTunnel(XpassProcess, to, args);

async function readyTunnel<T extends XpassRun>(Run: Starts<T>, to: string, args: readonly string[]) {
  const running = new Run(['tunnel', '--json', '--to', to, ...args]);
  const wanted = args.filter((arg) => ['-L', '-R', '-D'].includes(arg)).length;
  const listening = () => running.events.filter(({ event }) => event === 'listening');
  await until(() => listening().length >= wanted || running.isOver, `${wanted} forwards`);
  const ports = listening().map(({ address }) => portOf(String(address)));
  return { process: running, ports };
}

/** Waits until something is so. */
export const until = (isSo: () => boolean, what: string) => untilSo(isSo, (is) => is, what);

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
