import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePorts, runHere, runXpass, scratchFolder, XpassCommand, XpassProcess } from './switch-lab.js';

async function startServer(...args: string[]) {
  const server = new XpassCommand(['perf', '-s', '--json-stream', '--listen', ':0', ...args]);
  const { data } = await server.event('listening');
  return { server, address: String((data as { address: unknown }).address) };
}

interface Interval {
  readonly streams: readonly { readonly bytes: number; readonly xpass: { readonly share: number } }[];
  readonly sum: { readonly xpass: { readonly jain: number | null } };
}

describe('a server of perf', () => {
  it('tells the shares of the clients that it serves at once', async () => {
    const { server, address } = await startServer('-i', '0.2');
    const client = () => runHere('perf', '-c', address, '-t', '1', '-i', '0', '-b', '5M', '-J');
    const codes = (await Promise.all([client(), client()])).map(({ code }) => code);
    expect(codes).toEqual([0, 0]);
    await server.stop();
    const intervals = server.events.filter(({ event }) => event === 'interval').map(({ data }) => data as Interval);
    const shared = intervals.filter(({ streams }) => streams.length === 2);
    expect(shared.length).toBeGreaterThan(0);
    for (const { streams, sum } of shared.filter(({ sum }) => sum.xpass.jain !== null)) {
      expect(streams[0].xpass.share + streams[1].xpass.share).toBeCloseTo(1);
      expect(sum.xpass.jain).toBeLessThanOrEqual(1);
    }
  });

  it('is free again within the idle timeout when a client vanishes', async () => {
    const { server, address } = await startServer('--idle-timeout', '3', '-1');
    const client = new XpassProcess(['perf', '-c', address, '-t', '60', '-i', '0.1']);
    await client.line(/bits\/sec/);
    const start = Date.now();
    await client.stop('SIGKILL');
    const { code } = await server.ended;
    expect(code).toBe(1);
    expect(Date.now() - start).toBeLessThan(15_000);
    expect(server.events.map(({ event }) => event)).toContain('error');
  });

  it('ends after one test, and with 3 when nobody asks', async () => {
    const { server, address } = await startServer('-1');
    expect((await runHere('perf', '-c', address, '-n', '1K')).code).toBe(0);
    expect((await server.ended).code).toBe(0);
    const alone = await runHere('perf', '-s', '-1', '--listen', ':0', '--idle-timeout', '0.1');
    expect([alone.code, alone.stderr]).toEqual([3, expect.stringContaining('nobody asked for a test within 0.1 s')]);
  });

  it('goes to the background when it listens, and says why when it cannot', async () => {
    const [port] = await freePorts(1);
    const folder = await scratchFolder();
    const [pidfile, logfile] = [join(folder, 'pid'), join(folder, 'log')];
    const args = ['perf', '-s', '-D', '-p', `${port}`];
    const { code, stderr } = await runXpass(...args, '--pidfile', pidfile, '--logfile', logfile);
    expect([code, stderr]).toEqual([0, '']);
    const pid = Number(readFileSync(pidfile, 'utf8'));
    onTestFinished(() => {
      process.kill(pid, 'SIGTERM');
    });
    const again = await runXpass(...args);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('in use')]);
    expect((await runHere('perf', '-c', '127.0.0.1', '-p', `${port}`, '-n', '1K')).code).toBe(0);
    for (let turn = 0; turn < 50 && !readFileSync(logfile, 'utf8').includes('1 flow: '); turn++) await sleep(20);
    expect(readFileSync(logfile, 'utf8')).toMatch(/^from .* 1 flow: 1\.00 KBytes in /m);
  });
});

describe('a client of perf', () => {
  it('sends both ways at once, and exchanges messages', async () => {
    const { address } = await startServer();
    const both = JSON.parse((await runHere('perf', '-c', address, '--bidir', '-n', '50K', '-J')).stdout);
    expect([both.end.sum_received.bytes, both.end.sum_received_bidir_reverse.bytes]).toEqual([51_200, 51_200]);
    const rr = JSON.parse((await runHere('perf', '-c', address, '--rr', '-k', '20', '-l', '100', '-J')).stdout);
    const { completion, forward_delay: there, uncertainty_us: uncertainty } = rr.end.xpass.exchange;
    expect([completion.count, there.count, rr.end.sum_received.bytes]).toEqual([20, 20, 2_000]);
    expect(uncertainty).toBeCloseTo(completion.min / 2, 0);
  });

  it('writes no faster than its bitrate', async () => {
    const { address } = await startServer();
    const { stdout } = await runHere('perf', '-c', address, '-b', '2M', '-t', '1', '-P', '2', '-J');
    const { bits_per_second: rateBps } = JSON.parse(stdout).end.sum_received;
    expect(rateBps).toBeLessThan(4.4e6);
    expect(rateBps).toBeGreaterThan(1e6);
  });

  it('prints one document when it is interrupted and when nobody answers, and names what has no effect', async () => {
    const { address } = await startServer();
    const client = new XpassCommand(['perf', '-c', address, '-J', '-t', '60', '-Z']);
    await sleep(500);
    const { code, stdout, stderr } = await client.stop('SIGINT');
    const document = JSON.parse(stdout);
    expect([code, document.error]).toEqual([0, expect.stringContaining('interrupted')]);
    expect(document.start.xpass.ignored_options).toEqual(['--zerocopy']);
    expect(stderr.match(/--zerocopy has no effect/g)).toHaveLength(1);
    const [port] = await freePorts(1);
    const failed = await runHere('perf', '-c', `127.0.0.1:${port}`, '-J', '--connect-timeout', '300');
    const wanted = { intervals: [], end: {}, error: expect.stringContaining('does not answer') };
    expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([3, wanted]);
  });

  it('runs on the core that it is told', async ({ skip }) => {
    skip(spawnSync('taskset', ['-p', `${process.pid}`]).status !== 0, 'taskset is not installed');
    const { address } = await startServer();
    const client = new XpassProcess(['perf', '-c', address, '-t', '60', '-i', '0.1', '-A', '0']);
    await client.line(/bits\/sec/);
    expect(readFileSync(`/proc/${client.pid}/status`, 'utf8')).toMatch(/^Cpus_allowed_list:\t0$/m);
    await client.stop('SIGKILL');
    const none = await runHere('perf', '-c', address, '-A', '4095');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("--affinity '4095' is not possible here")]);
  });

  it('prints what the server printed, and has omitted intervals', async () => {
    const { address } = await startServer('-i', '0.2');
    const args = ['perf', '-c', address, '-t', '0.4', '-O', '0.4', '-i', '0.2', '--get-server-output'];
    const { stdout } = await runHere(...args);
    const [own, told] = stdout.split('Server output:');
    expect(own).toMatch(/\(omitted\)$/m);
    expect(told).toMatch(/Accepted test .*\n\[ ID\][\s\S]*\(omitted\)[\s\S]*from .*, 1 flow: /);
    const { intervals, server_output_json: server } = JSON.parse((await runHere(...args, '-J')).stdout);
    for (const list of [intervals, server.intervals])
      expect(new Set(list.map(({ sum }: { sum: { omitted: boolean } }) => sum.omitted))).toEqual(
        new Set([true, false]),
      );
    const rtts = server.intervals.map(
      ({ sum }: { sum: { xpass: { rtt_us: { count: number } } } }) => sum.xpass.rtt_us.count,
    );
    expect(Math.max(...rtts)).toBeGreaterThan(0);
  });

  it('repeats a test and says how sure its mean is', async () => {
    const { address } = await startServer();
    const { stdout } = await runHere('perf', '-c', address, '-n', '10K', '--repeat', '3', '-J');
    expect(JSON.parse(stdout).end.xpass.repeats).toMatchObject({ runs: 3, half_width_bps: expect.any(Number) });
    const people = await runHere('perf', '-c', address, '-n', '10K', '--repeat', '2');
    expect(people.stdout).toMatch(/^2 runs: .*95 % confidence/m);
  });
});
