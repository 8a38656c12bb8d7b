import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { loadNative } from '../../src/udp/mmsg/native.js';

const EXECUTABLE = fileURLToPath(new URL('../../bin/xpass.mjs', import.meta.url));
/** Names of namespaces and interfaces; other runs of this test have others. */
const NAME = `pmtu${process.pid}`;
const [SENDER, ROUTER, RECEIVER] = ['a', 'r', 'b'].map((end) => `${NAME}${end}`) as [string, string, string];
const ADDRESS = '10.77.2.2:4433';
const BYTES = 3_000_000;

function ip(...words: string[]): void {
  execFileSync('ip', words, { stdio: 'pipe' });
}

/** A link between namespaces: `a` in `from` and `b` in `to`, with addresses in a network of their own. */
function link(from: string, to: string, { network, mtu }: { network: string; mtu: number }): void {
  const [near, far] = [`${NAME}${network}1`, `${NAME}${network}2`];
  ip('link', 'add', near, 'netns', from, 'type', 'veth', 'peer', 'name', far, 'netns', to);
  for (const [space, name, host] of [
    [from, near, 1],
    [to, far, 2],
  ] as const) {
    ip('-n', space, 'addr', 'add', `10.77.${network}.${host}/24`, 'dev', name);
    ip('-n', space, 'link', 'set', name, 'mtu', String(mtu), 'up');
  }
}

/** A sender whose link takes 1,500 bytes, and a router whose other link takes 1,300. Null, or why this system has no such thing. */
function buildRoute(): string | null {
  if (process.platform !== 'linux') return 'namespaces need Linux';
  try {
    for (const space of [SENDER, ROUTER, RECEIVER]) {
      ip('netns', 'add', space);
      ip('-n', space, 'link', 'set', 'lo', 'up');
    }
    link(SENDER, ROUTER, { network: '1', mtu: 1_500 });
    link(ROUTER, RECEIVER, { network: '2', mtu: 1_300 });
    ip('-n', SENDER, 'route', 'add', 'default', 'via', '10.77.1.2');
    ip('-n', RECEIVER, 'route', 'add', 'default', 'via', '10.77.2.1');
    ip('netns', 'exec', ROUTER, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
    return null;
  } catch (error) {
    return `namespaces need root and iproute2: ${String(error).split('\n', 1)[0]}`;
  }
}

const directory = mkdtempSync(join(tmpdir(), 'xpass-pmtu-'));
const children: ChildProcess[] = [];

/** A command in a namespace; `said` gathers both of its outputs. */
function run(space: string, ...words: string[]) {
  const options = ['--frame-size', '8972', '--datapath', 'mmsg', '--rate', '100mbit'];
  const child = spawn('ip', ['netns', 'exec', space, process.execPath, EXECUTABLE, ...words, ...options]);
  children.push(child);
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said.text += String(bytes)));
  return { child, said };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (const space of [SENDER, ROUTER, RECEIVER]) {
    try {
      ip('netns', 'del', space);
    } catch {
      // It was not made.
    }
  }
  rmSync(directory, { recursive: true, force: true });
});

describe('a route with a small MTU in the middle', () => {
  it('carries a file at the asked frame size of 8,972 in frames of 1,272', async ({ skip }) => {
    const native = await loadNative();
    skip(typeof native === 'string', `mmsg is unavailable: ${String(native)}`);
    const problem = buildRoute();
    skip(problem !== null, problem ?? '');
    const [source, target] = [join(directory, 'file'), join(directory, 'in')];
    const bytes = Buffer.alloc(BYTES, 'a route with a small MTU ');
    writeFileSync(source, bytes);
    const daemon = run(RECEIVER, 'daemon', '--listen', ADDRESS, '--insecure', '--directory', target, '--json');
    await until(() => daemon.said.text.includes('"listening"'));
    const sender = run(SENDER, 'send', source, '--to', ADDRESS, '--json');
    const [code] = await once(sender.child, 'exit');
    expect(code, sender.said.text + daemon.said.text).toBe(0);
    expect(readFileSync(join(target, 'file')).equals(bytes)).toBe(true);
    expect(sender.said.text).toContain(`the path to ${ADDRESS} carries frames of 1272 bytes, not of 8972`);
    daemon.child.kill('SIGTERM');
    await once(daemon.child, 'exit');
    expect(/"mtu":{"probes":\d+.*?"black_holes":0/.exec(daemon.said.text)).not.toBeNull();
  });
});
