import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SwitchControl } from '../../src/services/control/client.js';
import { frameType } from '../../src/wire/decode.js';
import { Attached, AttachRefused } from '../../src/wire/frames.js';
import { AttachRefusal } from '../../src/wire/layout.js';
import {
  freePorts,
  RawHost,
  runHere,
  scratchFile,
  scratchFolder,
  silentPort,
  startSwitch,
  untilSo,
  XpassCommand,
} from './switch-lab.js';

interface PortEvent {
  readonly name: string;
  readonly data: { readonly frames: number };
  readonly drops: Readonly<Record<string, number>>;
}

const portsOf = (event: Readonly<Record<string, unknown>>): PortEvent[] => event.ports as PortEvent[];

async function connect(control: string): Promise<SwitchControl> {
  const connected = await SwitchControl.connect(control);
  onTestFinished(() => connected.close());
  return connected;
}

describe('xpass switch', () => {
  it('carries frames between hosts, and says what it did when it is interrupted', async () => {
    const { process, port, listening } = await startSwitch('--hosts', '2', '--link-rate', '100mbit');
    expect(listening).toMatchObject({ topology: 'star', links: ['h1', 'h2'], trunks: [] });
    const [first, second] = [await RawHost.attached(port, 1), await RawHost.attached(port, 2)];
    first.sendData(2, 'there');
    expect(await second.nextPayload()).toBe('there');
    second.sendData(1, 'and back');
    expect(await first.nextPayload()).toBe('and back');
    const { code, stderr } = await process.stop('SIGINT');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('internal error')]);
    const summary = process.events.at(-1);
    expect(summary).toMatchObject({
      event: 'summary',
      attachments: { attached: 2, attaches: 2 },
      hosts: [
        { id: 1, attached: true },
        { id: 2, attached: true },
      ],
      driver: { datagrams_in: 6, datagrams_out: 6 },
    });
    expect(portsOf(summary ?? {}).map(({ name, data }) => [name, data.frames])).toEqual([
      ['h1->s1', 1],
      ['s1->h1', 1],
      ['h2->s1', 1],
      ['s1->h2', 1],
    ]);
  });

  it('prints tables for people, at intervals and when SIGTERM ends it', async () => {
    const running = new XpassCommand(['switch', '--listen', ':0', '--hosts', '1', '--interval', '50ms']);
    const sentence = await running.line(/^after /);
    expect(sentence).toMatch(/^after \d/);
    const { code, stdout } = await running.stop('SIGTERM');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^listening on 127\.0\.0\.1:\d+, control at \S+switch-\d+(\.sock)?: star, 1 host, 1 switch, 1 link$/m,
    );
    expect(stdout).toMatch(/^port +rate +data/m);
    expect(stdout).toContain('attached: none, of 1 hosts');
  });

  it('frees the port of a host that vanishes, and of one that says goodbye', async () => {
    const { port, control } = await startSwitch('--hosts', '2', '--keep-alive', '300ms');
    const asked = await connect(control);
    const loyal = await RawHost.attached(port, 1);
    const beat = setInterval(() => loyal.keepAlive(), 50);
    onTestFinished(() => clearInterval(beat));
    await RawHost.attached(port, 2);
    const attachedOf = async () => (await asked.ports()).hosts.map(({ attached }) => attached);
    expect(await attachedOf()).toEqual([true, true]);
    await untilSo(attachedOf, ([, second]) => !second, 'the end of the second attachment');
    expect(await attachedOf()).toEqual([true, false]);
    expect((await asked.ports()).attachments.expired).toBe(1);
    const successor = await RawHost.attached(port, 2);
    loyal.sendData(2, 'new here');
    expect(await successor.nextPayload()).toBe('new here');
    successor.detach();
    await untilSo(attachedOf, ([, second]) => !second, 'the goodbye');
  });

  it('gives an id to one of two hosts that claim it, and an error to the other', async () => {
    const { port } = await startSwitch('--hosts', '2');
    const owner = await RawHost.attached(port, 1);
    const sender = await RawHost.attached(port, 2);
    const thief = await RawHost.attach(port, 1, 666);
    const refusal = await thief.next();
    expect(frameType(refusal)).toBe(AttachRefused.type);
    expect(AttachRefused.read.code(refusal)).toBe(AttachRefusal.idInUse);
    thief.sendData(2, 'stolen');
    sender.sendData(1, 'for the owner');
    expect(await owner.nextPayload()).toBe('for the owner');
    expect([thief.unread, sender.unread]).toEqual([0, 0]);
    const stranger = await RawHost.attach(port, 3);
    expect(AttachRefused.read.code(await stranger.next())).toBe(AttachRefusal.unknownId);
  });

  it('has impairments from the start, the same in every run with a seed', async () => {
    const outcomes: string[][] = [];
    for (let run = 0; run < 2; run++) {
      const { port, control } = await startSwitch('--hosts', '2', '--seed', '5', '--link', 'h1->s1=loss 50%');
      const asked = await connect(control);
      const [first, second] = [await RawHost.attached(port, 1), await RawHost.attached(port, 2)];
      for (let at = 0; at < 40; at++) first.sendData(2, String(at));
      const seen = async () => (await asked.ports()).ports[0];
      const { drops } = await untilSo(seen, ({ data }) => data.frames === 40, 'forty frames');
      const arrived: string[] = [];
      for (let left = 40 - (drops.lost ?? 0); left > 0; left--) arrived.push(await second.nextPayload());
      outcomes.push(arrived);
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[0].length).toBeGreaterThan(5);
    expect(outcomes[0].length).toBeLessThan(35);
  });

  it('takes frames that share a datagram one by one, and lets those that leave together share one again', async () => {
    const { port } = await startSwitch('--hosts', '3');
    const hosts = [await RawHost.attached(port, 1), await RawHost.attached(port, 2), await RawHost.attached(port, 3)];
    const [first, second, third] = hosts;
    const before = second.datagrams;
    first.sendTogether([
      { to: 2, payload: 'a' },
      { to: 3, payload: 'b' },
      { to: 2, payload: 'c' },
      { to: 2, payload: 'd' },
    ]);
    expect([await second.nextPayload(), await second.nextPayload(), await second.nextPayload()]).toEqual([
      'a',
      'c',
      'd',
    ]);
    expect(await third.nextPayload()).toBe('b');
    // How many it takes depends on when the switch's loop came round, but each of its own is never one.
    expect(second.datagrams - before).toBeLessThan(3);
  });

  it('joins two processes by a trunk', async () => {
    const [west, east] = await freePorts(2);
    const half = (own: number, other: number, [listen, to]: readonly number[]) => `
      hosts: [{ id: ${own} }]
      switches: [{ name: s }]
      links: [{ a: h${own}, b: s, rate: 100mbit }]
      trunks: [{ name: cable, switch: s, listen: 127.0.0.1:${listen}, to: 127.0.0.1:${to}, hosts: [${other}], rate: 100mbit }]
    `;
    const start = async (text: string) => startSwitch('--topology', await scratchFile('half.yaml', text));
    const [left, right] = await Promise.all([start(half(1, 2, [west, east])), start(half(2, 1, [east, west]))]);
    expect(left.listening.trunks).toEqual([{ name: 'cable', address: `127.0.0.1:${west}`, to: `127.0.0.1:${east}` }]);
    const [first, second] = [await RawHost.attached(left.port, 1), await RawHost.attached(right.port, 2)];
    first.sendData(2, 'over there');
    expect(await second.nextPayload()).toBe('over there');
    second.sendData(1, 'and over here');
    expect(await first.nextPayload()).toBe('and over here');
    for (const each of [left, right]) {
      const { code } = await each.process.stop();
      expect(code).toBe(0);
      const carried = portsOf(each.process.events.at(-1) ?? {}).filter(({ name }) => name.includes('cable'));
      expect(carried.map(({ data }) => data.frames)).toEqual([1, 1]);
    }
  });

  it('takes every option from a file', async () => {
    const config = await scratchFile(
      'switch.yaml',
      'listen: ":0"\ntopology: dumbbell\npairs: 1\ncore-rate: 10mbit\nlink:\n  h1: loss 5%\nkeep-alive: 2s\njson: true\n',
    );
    const running = new XpassCommand(['switch', '--config', config]);
    expect(await running.event('listening')).toMatchObject({ topology: 'dumbbell', links: ['left-right', 'h1', 'h2'] });
    await running.stop();
  });
});

describe('xpass switch that cannot start', () => {
  /** It ends with status 2, says this in one sentence, and prints nothing. */
  async function expectUsage(sentence: string | RegExp, ...args: string[]): Promise<void> {
    const { code, stdout, stderr } = await runHere('switch', ...args);
    expect(stderr.split('\n')[0]).toMatch(sentence);
    expect(stderr).not.toContain('    at ');
    expect([code, stdout]).toEqual([2, '']);
  }

  it('names the UDP port that is in use', async () => {
    const port = await silentPort();
    await expectUsage(`UDP port ${port} is in use`, '--listen', `:${port}`);
  });

  it('names the links that there are when one is unknown', async () => {
    await expectUsage(/unknown link 'h9'; known links: h1, h2/, '--link', 'h9=loss 5%', '--listen', ':0');
  });
});

describe('xpass switch ctl', () => {
  it('shows the ports, changes links and begins counts anew', async () => {
    // The host says nothing more, however long the commands take.
    const { port, control } = await startSwitch('--hosts', '2', '--link-rate', '100mbit', '--keep-alive', '60s');
    const host = await RawHost.attached(port, 1);
    const ctl = (...args: string[]) => runHere('switch', 'ctl', '--control', control, ...args);
    const table = await ctl('ports');
    expect(table).toMatchObject({ code: 0, stderr: '' });
    expect(table.stdout).toMatch(/^s1->h2 +100\.0 Mbit\/s /m);
    expect(table.stdout).toContain('attached: h1 (1), of 2 hosts');

    const slow = await ctl('link', 'h1', 'rate', '10mbit', 'delay', '5ms', 'loss', '5%');
    expect(slow.stdout).toMatch(/^s1->h1 +10\.00 Mbit\/s +5ms +loss 5%$/m);
    expect(slow.stdout).toMatch(/^set: rate 10mbit delay 5ms loss 5%$/m);
    const news = await host.next();
    expect([frameType(news), Attached.read.rateKbps(news)]).toEqual([Attached.type, 10_000]);

    const free = await ctl('link', 's1->h1', 'rate', 'unlimited', 'clear', '--json');
    expect(JSON.parse(free.stdout)).toMatchObject({
      event: 'link',
      ports: [{ name: 's1->h1', rate_bps: null, impairment: { loss_rate: 0 } }],
    });
    expect(await ctl('reset')).toMatchObject({ code: 0, stdout: `the switch at ${control} counts anew\n` });
    const { stdout } = await ctl('ports', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ event: 'ports', attachments: { attaches: 0 }, driver: { peers: 1 } });
  });

  it('finds a switch at a Unix domain socket', async () => {
    const path = join(await scratchFolder(), 'switch.sock');
    const { control } = await startSwitch('--control', path);
    expect(control).toBe(path);
    expect((await runHere('switch', 'ctl', '-c', path, 'ports')).code).toBe(0);
  });

  it('ends with status 3 when no switch answers, and names the address', async () => {
    const [port] = await freePorts(1);
    const { code, stdout, stderr } = await runHere('switch', 'ctl', 'ports', '--control', `:${port}`);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toBe(`xpass switch ctl: no switch answers at 127.0.0.1:${port} (ECONNREFUSED)\n`);
  });
});

describe('the control of a switch', () => {
  it('is found by the number of the UDP port, without a path', async () => {
    const { listening, port } = await startSwitch();
    expect(String(listening.control)).toContain(`switch-${port}`);
    expect(listening.control_token).toBeNull();
    expect((await runHere('switch', 'ctl', 'reset', '--port', String(port))).code).toBe(0);
  });

  it('takes commands by TCP from who knows the token that it has printed, and warns where others can listen', async () => {
    const { process, listening, control } = await startSwitch('--hosts', '1', '--control', '0.0.0.0:0');
    const at = control.replace('0.0.0.0', '127.0.0.1');
    const path = await scratchFile('token', `${String(listening.control_token)}\n`);
    await chmod(path, 0o600);
    expect((await runHere('switch', 'ctl', 'ports', '--control', at, '--control-token', path)).code).toBe(0);
    const refused = await runHere('switch', 'ctl', 'reset', '--control', at);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('use --control-token FILE')]);
    const { stderr } = await process.stop('SIGTERM');
    expect(stderr).toContain('the control listens for other machines');
  });

  it('tells nobody a token that a file holds', async () => {
    const path = await scratchFile('token', '0123456789abcdef\n');
    await chmod(path, 0o600);
    const { listening, control } = await startSwitch('--hosts', '1', '--control', ':0', '--control-token', path);
    expect(listening.control_token).toBeNull();
    expect((await runHere('switch', 'ctl', 'ports', '--control', control, '--control-token', path)).code).toBe(0);
  });
});
