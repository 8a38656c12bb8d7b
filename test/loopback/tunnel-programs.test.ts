import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePorts, scratchFolder, untilSo, within } from './switch-lab.js';
import { startFarSideProcess, startTunnelProcess, tcpClient, until } from './tunnel-lab.js';

const MIB = 1024 * 1024;
/** 64 MiB take 3 s on idle cores. */
const PROGRAM_PATIENCE_MS = 90_000;
/** Where Debian keeps sshd, which is on few users' paths. */
const PATH = `${process.env.PATH}${delimiter}/usr/sbin${delimiter}/sbin`;

/** The first of these programs that is not installed. */
function missing(...programs: string[]): string | undefined {
  return programs.find((program) => spawnSync(program, ['--version'], { env: { ...process.env, PATH } }).error);
}

const NO_IPERF3 = missing('iperf3');
const NO_CURL = missing('curl');
const NO_SSH = missing('sshd', 'ssh', 'scp', 'ssh-keygen');
const NO_RSYNC = missing('rsync');

/** Runs a program to its end; rejects for another status than 0, with what it said. */
async function run(program: string, ...args: string[]): Promise<string> {
  const options = { env: { ...process.env, PATH }, maxBuffer: 64 * MIB, timeout: PROGRAM_PATIENCE_MS };
  const { stdout } = await promisify(execFile)(program, args, options);
  return stdout;
}

/** A program that runs until the end of the test. */
function start(program: string, ...args: string[]): void {
  const child = spawn(program, args, { env: { ...process.env, PATH }, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
}

/** Waits until a program listens. */
async function listens(port: number): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    try {
      (await within(tcpClient(port), 'a connection', 1_000)).destroy();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new Error(`nothing listens on port ${port}`);
}

/** A tunnel to a port of this machine. */
async function tunnelTo(port: number, ...args: string[]) {
  const far = await startFarSideProcess('--tunnel', '127.0.0.1:*');
  const near = await startTunnelProcess(far.address, '-L', `0:127.0.0.1:${port}`, ...args);
  return { port: near.ports.at(-1)!, ports: near.ports, near: near.process };
}

/** A file of so many MiB, one block again and again, as bytes and by ranges. */
class PatternServer {
  readonly block = randomBytes(MIB);
  readonly bytes: number;
  connections = 0;
  private readonly server = createServer((request, response) => {
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const [first, last] = range === null ? [0, this.bytes - 1] : [Number(range[1]), Number(range[2])];
    const length = last - first + 1;
    const contentRange = range === null ? {} : { 'Content-Range': `bytes ${first}-${last}/${this.bytes}` };
    response.writeHead(range === null ? 200 : 206, { 'Content-Length': length, ...contentRange });
    Readable.from(this.part(first, length)).pipe(response);
  });

  constructor(mebibytes: number) {
    this.bytes = mebibytes * MIB;
    this.server.on('connection', () => this.connections++);
    onTestFinished(() => {
      this.server.closeAllConnections();
      this.server.close();
    });
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  *part(first: number, length: number): Generator<Buffer> {
    for (let at = first; at < first + length; ) {
      const start = at % MIB;
      const end = Math.min(MIB, start + first + length - at);
      yield this.block.subarray(start, end);
      at += end - start;
    }
  }

  digest(first = 0, length = this.bytes): string {
    const hash = createHash('sha256');
    for (const chunk of this.part(first, length)) hash.update(chunk);
    return hash.digest('hex');
  }
}

/** What curl writes to standard output, as a digest. */
async function curlDigest(...args: string[]): Promise<string> {
  const child = spawn('curl', ['--silent', '--show-error', '--fail', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const hash = createHash('sha256');
  child.stdout.on('data', (chunk: Buffer) => hash.update(chunk));
  const [code] = (await within(once(child, 'close'), 'the end of curl', PROGRAM_PATIENCE_MS)) as [number];
  expect(code).toBe(0);
  return hash.digest('hex');
}

interface Iperf3Report {
  readonly error?: string;
  readonly end: { readonly sum_received: { readonly bytes: number }; readonly streams: readonly unknown[] };
}

describe('iperf3 through a tunnel', () => {
  it('sends and receives, on one connection and on eight', async ({ skip }) => {
    skip(NO_IPERF3 !== undefined, 'iperf3 is not installed');
    const { port } = await tunnelTo(await iperf3Server());
    for (const connections of [1, 8]) {
      for (const direction of [[], ['-R']]) {
        const how = ['-P', `${connections}`, ...direction];
        const report = await iperf3Report('-c', '127.0.0.1', '-p', `${port}`, '-t', '1', '-J', ...how);
        expect(report.end.sum_received.bytes, how.join(' ')).toBeGreaterThan(MIB);
        expect(report.end.streams.length, how.join(' ')).toBe(connections);
      }
    }
  });

  /** The server may be busy still with the run before. */
  async function iperf3Report(...args: string[]): Promise<Iperf3Report> {
    const ask = async () => JSON.parse(await run('iperf3', ...args)) as Iperf3Report;
    return untilSo(ask, ({ error }) => error === undefined, 'a run of iperf3 without an error');
  }

  async function iperf3Server(): Promise<number> {
    const [port] = await freePorts(1);
    start('iperf3', '-s', '-p', `${port}`, '-B', '127.0.0.1');
    await listens(port);
    return port;
  }
});

describe('curl through a tunnel', () => {
  it('fetches 64 MiB', async ({ skip }) => {
    skip(NO_CURL !== undefined, 'curl is not installed');
    const server = new PatternServer(64);
    const { port } = await tunnelTo(await server.listen());
    expect(await curlDigest(`http://127.0.0.1:${port}/`)).toBe(server.digest());
  });

  it('fetches ranges, and several files on one connection', async ({ skip }) => {
    skip(NO_CURL !== undefined, 'curl is not installed');
    const server = new PatternServer(8);
    const { port, near } = await tunnelTo(await server.listen());
    const url = `http://127.0.0.1:${port}/`;
    expect(await curlDigest('--range', '1000000-3000000', url)).toBe(server.digest(1_000_000, 2_000_001));
    await until(() => near.events.filter(({ event }) => event === 'closed').length === 1, 'the end of a connection');
    const before = server.connections;
    expect(await curlDigest(url, url, url)).toBe(tripled(server));
    expect(server.connections - before).toBe(1);
  });

  it('goes through SOCKS5 with names that the far side resolves', async ({ skip }) => {
    skip(NO_CURL !== undefined, 'curl is not installed');
    const server = new PatternServer(8);
    const target = await server.listen();
    const { ports } = await tunnelTo(target, '-D', '0');
    const digest = await curlDigest('--socks5-hostname', `127.0.0.1:${ports[0]}`, `http://localhost:${target}/`);
    expect(digest).toBe(server.digest());
  });

  function tripled(server: PatternServer): string {
    const hash = createHash('sha256');
    for (let at = 0; at < 3; at++) for (const chunk of server.part(0, server.bytes)) hash.update(chunk);
    return hash.digest('hex');
  }
});

describe('ssh through a tunnel', () => {
  it('runs commands, copies files with scp, and synchronises with rsync', async ({ skip }) => {
    skip(NO_SSH !== undefined, `${NO_SSH} is not installed`);
    const { folder, options, port } = await sshThroughTunnel();
    const to = `${userInfo().username}@127.0.0.1`;
    expect(await run('ssh', ...options, '-p', `${port}`, to, 'echo', 'hello')).toBe('hello\n');
    const file = join(folder, 'file');
    await writeFile(file, randomBytes(16 * MIB));
    await run('scp', ...options, '-P', `${port}`, file, `${to}:${join(folder, 'copied')}`);
    await run('scp', ...options, '-P', `${port}`, `${to}:${join(folder, 'copied')}`, join(folder, 'back'));
    expect((await readFile(join(folder, 'back'))).equals(await readFile(file))).toBe(true);
    skip(NO_RSYNC !== undefined, `${NO_RSYNC} is not installed: ssh and scp passed`);
    const source = join(folder, 'source');
    await mkdir(source);
    for (let at = 0; at < 50; at++) await writeFile(join(source, `file-${at}`), randomBytes(at * 1_000));
    const shell = ['ssh', ...options, '-p', `${port}`].join(' ');
    await run('rsync', '-a', '-e', shell, `${source}/`, `${to}:${join(folder, 'mirror')}`);
    const names = Array.from({ length: 50 }, (_, at) => `file-${at}`);
    for (const name of names) {
      const [here, there] = await Promise.all([readFile(join(source, name)), readFile(join(folder, 'mirror', name))]);
      expect(there.equals(here)).toBe(true);
    }
  });

  async function sshThroughTunnel() {
    const folder = await scratchFolder();
    await chmod(folder, 0o700);
    for (const key of ['host', 'user'])
      await run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', join(folder, key));
    const [port] = await freePorts(1);
    const config = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(folder, 'host')}`,
      `AuthorizedKeysFile ${join(folder, 'user.pub')}`,
      `PidFile ${join(folder, 'pid')}`,
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      'UsePAM no',
      'StrictModes no',
      'Subsystem sftp internal-sftp',
    ];
    await writeFile(join(folder, 'config'), `${config.join('\n')}\n`);
    // sshd of the system's administrator wants it, and Debian makes it only when the service starts.
    if (userInfo().uid === 0) await mkdir('/run/sshd', { recursive: true });
    const sshd = (await run('sh', '-c', 'command -v sshd')).trim();
    start(sshd, '-D', '-f', join(folder, 'config'));
    await listens(port);
    const { port: near } = await tunnelTo(port);
    const options = [
      '-i',
      join(folder, 'user'),
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      'UserKnownHostsFile=/dev/null',
    ];
    return {
      folder,
      port: near,
      options: [...options, '-o', 'LogLevel=ERROR', '-o', 'BatchMode=yes', '-F', '/dev/null'],
    };
  }
});
