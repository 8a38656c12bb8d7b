import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from 'dockerfile-utils';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { scratchFolder, within } from './switch-lab.js';

// deploy/container without an engine: files are checked, and the commands of their services run in network namespaces.

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'deploy/container');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

const HEALTH = z.strictObject({ test: z.array(z.string()), interval: z.union([z.string(), z.number()]) });

/** What of https://github.com/compose-spec/compose-spec is used here; anything else is a slip. */
const SERVICE = z.strictObject({
  image: z.literal('xpass'),
  build: z.strictObject({ context: z.literal('../..'), dockerfile: z.literal('deploy/container/Dockerfile') }),
  command: z.array(z.string()),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).default([]),
  healthcheck: HEALTH.optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).default({}),
});
const COMPOSE = z.strictObject({
  name: z.string(),
  'x-xpass': z.object({}),
  'x-health': HEALTH,
  services: z.record(z.string(), SERVICE),
  volumes: z.record(z.string(), z.null()),
});

/** The same of https://containerlab.dev/manual/topo-def-file/. */
const WAIT = z.strictObject({ node: z.string(), stage: z.literal('healthy') });
const NODE = z.strictObject({
  kind: z.literal('linux'),
  cmd: z.string(),
  exec: z.array(z.string()),
  healthcheck: HEALTH.optional(),
  stages: z.strictObject({ create: z.strictObject({ 'wait-for': z.array(WAIT) }) }).optional(),
});
const CLAB = z.strictObject({
  name: z.string(),
  topology: z.strictObject({
    kinds: z.strictObject({
      linux: z.strictObject({ image: z.literal('xpass'), user: z.string(), entrypoint: z.string() }),
    }),
    nodes: z.record(z.string(), NODE),
    links: z.array(z.strictObject({ endpoints: z.tuple([z.string(), z.string()]) })),
  }),
});

const compose = COMPOSE.parse(parse(read('compose.yaml'), { merge: true }));
const clab = CLAB.parse(parse(read('xpass.clab.yml')));

/** A service: what it runs, and where its paths are on this machine. */
interface Node {
  readonly name: string;
  readonly entrypoint: readonly string[];
  readonly argv: readonly string[];
  readonly health: readonly string[] | undefined;
  /** Those that have to be well before it starts. */
  readonly after: readonly string[];
  readonly paths: ReadonlyMap<string, string>;
}

/** For a process that never becomes well. */
const PATIENCE_MS = 30_000;

const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8', stdio: 'pipe' });

function whyNotHere(): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'network namespaces need Linux and root';
  try {
    ip('netns', 'add', `term${process.pid}x`);
    ip('netns', 'delete', `term${process.pid}x`);
    return '';
  } catch (error) {
    return `no network namespaces here: ${error}`;
  }
}

/** Network namespaces that go with the test. */
class Namespaces {
  private readonly children: ChildProcess[] = [];
  private readonly names: string[] = [];

  constructor() {
    onTestFinished(async () => {
      for (const child of this.children) child.kill('SIGKILL');
      for (const name of this.names) {
        rmSync(join('/etc/netns', name), { recursive: true, force: true });
        ip('netns', 'delete', name);
      }
    });
  }

  /** Its name has to tell whose it is. */
  of(node: string): string {
    return `term${process.pid}-${node}`;
  }

  add(node: string): void {
    const name = this.of(node);
    ip('netns', 'add', name);
    this.names.push(name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
  }

  /** A cable between two; both ends are up. */
  cable([a, aLink]: readonly [string, string], [b, bLink]: readonly [string, string]): void {
    ip('-n', this.of(a), 'link', 'add', aLink, 'type', 'veth', 'peer', 'name', bLink, 'netns', this.of(b));
    ip('-n', this.of(a), 'link', 'set', aLink, 'up');
    ip('-n', this.of(b), 'link', 'set', bLink, 'up');
  }

  /** What the name service of an engine answers: ip-netns(8) shows this file to the processes of the namespace. */
  hosts(node: string, lines: readonly string[]): void {
    const file = join('/etc/netns', this.of(node), 'hosts');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `127.0.0.1 localhost\n${lines.join('\n')}\n`);
  }

  run(node: string, words: readonly string[]): void {
    ip('netns', 'exec', this.of(node), ...words);
  }

  /** Starts the service, with its paths where they are here. */
  start({ name, entrypoint, argv, paths }: Node, path: string): Started {
    const words = argv.map((word) => {
      const found = [...paths].find(([inside]) => word === inside || word.startsWith(`${inside}/`));
      return found === undefined ? word : found[1] + word.slice(found[0].length);
    });
    const env = { ...process.env, PATH: path };
    const command = ['netns', 'exec', this.of(name), ...entrypoint, ...words];
    const child = spawn('ip', command, { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.children.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said }));
    return { stop: () => child.kill('SIGTERM'), ended: within(ended, `the end of ${name}`) };
  }
}

interface Started {
  readonly ended: Promise<{ code: number | null; said: string }>;
  stop(): void;
}

/** One after the other, each when those that it waits for are well. */
async function startAll(namespaces: Namespaces, nodes: readonly Node[]): Promise<Map<string, Started>> {
  const bin = await scratchFolder();
  symlinkSync(join(ROOT, 'bin/xpass.mjs'), join(bin, 'xpass'));
  const path = [bin, dirname(process.execPath), process.env.PATH].join(':');
  const started = new Map<string, Started>();
  for (const node of nodes) {
    for (const other of nodes.filter(({ name }) => node.after.includes(name))) {
      const [kind, ...words] = other.health ?? [];
      expect(kind).toBe('CMD');
      await vi.waitFor(() => namespaces.run(other.name, words), { timeout: PATIENCE_MS, interval: 100 });
    }
    started.set(node.name, namespaces.start(node, path));
  }
  return started;
}

/** All services run as their file says; what the senders sent is what the receiver has. */
async function expectFiles(namespaces: Namespaces, nodes: readonly Node[], received: string): Promise<void> {
  const started = await startAll(namespaces, nodes);
  for (const { name, argv, paths } of nodes.filter(({ argv: [word] }) => word === 'send')) {
    const ended = await started.get(name)?.ended;
    expect(ended?.code, ended?.said).toBe(0);
    const [, file] = argv;
    const folder = [...paths].find(([inside]) => file.startsWith(`${inside}/`)) ?? ['', ''];
    const as = argv[argv.indexOf('--as') + 1];
    expect(readFileSync(join(received, as)).equals(readFileSync(folder[1] + file.slice(folder[0].length)))).toBe(true);
  }
  for (const name of ['receiver', 'switch']) {
    started.get(name)?.stop();
    expect(await started.get(name)?.ended).toMatchObject({ code: 0 });
  }
}

describe('deploy/container', () => {
  it('has a Dockerfile without warnings, which copies what the build reads', () => {
    expect(validate(read('Dockerfile')).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
    const kept = read('Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    for (const line of kept) expect(existsSync(join(ROOT, line.slice(1)))).toBe(true);
  });

  it('has services that depend on others of the file, and volumes that are there', () => {
    const names = Object.keys(compose.services);
    for (const { depends_on: others, volumes } of Object.values(compose.services)) {
      for (const name of Object.keys(others)) expect(names).toContain(name);
      for (const [source] of volumes.map((volume) => volume.split(':'))) {
        expect(source in compose.volumes || existsSync(join(FOLDER, source))).toBe(true);
      }
    }
  });

  it('sends files between the services of compose.yaml', async ({ skip }) => {
    const why = whyNotHere();
    skip(why !== '', why);
    const [namespaces, received] = [new Namespaces(), await scratchFolder()];
    const names = Object.keys(compose.services);
    const hosts = names.map((name, at) => `10.88.0.${at + 2} ${name}`);
    namespaces.add('net');
    ip('-n', namespaces.of('net'), 'link', 'add', 'br0', 'type', 'bridge');
    ip('-n', namespaces.of('net'), 'link', 'set', 'br0', 'up');
    for (const [at, name] of names.entries()) {
      namespaces.add(name);
      namespaces.cable([name, 'eth0'], ['net', `port${at}`]);
      ip('-n', namespaces.of('net'), 'link', 'set', `port${at}`, 'master', 'br0');
      ip('-n', namespaces.of(name), 'address', 'add', `10.88.0.${at + 2}/24`, 'dev', 'eth0');
      namespaces.hosts(name, hosts);
    }
    const nodes = Object.entries(compose.services).map(
      ([name, { command, volumes, healthcheck, depends_on: after }]) => {
        const pairs = volumes.map((volume) => volume.split(':'));
        const paths = pairs.map(([from, to]) => [to, from in compose.volumes ? received : join(FOLDER, from)] as const);
        return {
          name,
          entrypoint: ['xpass'],
          argv: command,
          paths: new Map(paths),
          health: healthcheck?.test,
          after: Object.keys(after),
        };
      },
    );
    await expectFiles(namespaces, nodes, received);
  });

  it('sends files over the cables of xpass.clab.yml', async ({ skip }) => {
    const why = whyNotHere();
    skip(why !== '', why);
    const [namespaces, received] = [new Namespaces(), await scratchFolder()];
    const { nodes, links } = clab.topology;
    for (const name of Object.keys(nodes)) namespaces.add(name);
    for (const { endpoints } of links) {
      const [a, b] = endpoints.map((end) => end.split(':') as [string, string]);
      namespaces.cable(a, b);
    }
    for (const [name, { exec }] of Object.entries(nodes)) {
      for (const line of exec) namespaces.run(name, line.split(' '));
    }
    const paths = new Map([
      ['/opt/xpass', ROOT.replace(/\/$/, '')],
      ['/data', received],
    ]);
    // As a shell takes it apart.
    const entry = [...clab.topology.kinds.linux.entrypoint.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([word, inner]) => inner ?? word,
    );
    const all = Object.entries(nodes).map(([name, { cmd, healthcheck, stages }]) => ({
      name,
      entrypoint: entry,
      argv: cmd.split(' '),
      paths,
      health: healthcheck?.test,
      after: (stages?.create['wait-for'] ?? []).map(({ node }) => node),
    }));
    await expectFiles(namespaces, all, received);
  });
});
