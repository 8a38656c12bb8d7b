import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeOfLine, otherLines } from '../../.config/node-versions.mjs';
import { isTuned, V8_FLAGS } from '../../src/apps/shared/v8-flags.js';
import { areSame, randomFile } from './send-lab.js';
import { scratchFile, scratchFolder, within, XpassProcess } from './switch-lab.js';

// What is compiled here runs on each Node.js line that `npm run nodes` has installed. All other tests cover the line that runs them.
// Each line plays what uses Node.js in ways of its own: sockets, files, child processes and threads. The last line, which is the furthest from that of the
// other tests, plays as well what is made of these: the demonstration.

/** Two flows that share a link. */
const SCENARIO = `
topology: { name: star, hosts: 3, rate: 100mbit }
payload: bytes
flows:
  - { from: 1, to: 3, bytes: 300kB }
  - { from: 2, to: 3, bytes: 200kB, start: 20ms }
`;

const scenarioFile = () => scratchFile('scenario.yaml', SCENARIO);

/** Runs a command to its end on that Node.js. It must say nothing on standard error, not even a warning. */
async function run(node: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await within(new XpassProcess(args, node).ended, `the end of ${args.join(' ')}`);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

async function measure(node: string, datapath: string) {
  const server = new XpassProcess(['perf', '-s', '--json-stream', '--listen', ':0', '--datapath', datapath], node);
  const { address } = (await server.event('listening')).data as { address: string };
  const client = ['perf', '--json', '-c', String(address), '-t', '300ms', '--datapath', datapath];
  return JSON.parse(await run(node, ...client));
}

function playDemo(node: string) {
  const args = ['demo', '--senders', '1', '--link-rate', '20mbit', '--bytes', '256KiB', '--json'];
  return within(new XpassProcess(args, node).ended, 'the end of the demonstration');
}

/** The result without the time that it took. */
async function simulate(node: string, file: string): Promise<object> {
  const { wall_s: _wallS, ...result } = JSON.parse(await run(node, 'sim', file, '--json'));
  return result;
}

/** Played here once, for all versions. */
let simulatedHere: Promise<object> | undefined;

describe.each(otherLines())('Node.js %i', (line) => {
  const node = nodeOfLine(line) ?? '';

  beforeEach(({ skip }) => skip(node === '', `Node.js ${line} is not installed: npm run nodes`));

  it('has the flags of V8 that its version gets', () => {
    const v8 = execFileSync(node, ['-p', 'process.versions.v8'], { encoding: 'utf8' }).trim();
    const known = execFileSync(node, ['--v8-options'], { encoding: 'utf8' });
    expect(isTuned(v8), v8).toBe(true);
    for (const flag of Object.values(V8_FLAGS)) {
      expect(known).toContain(`  ${flag.split('=', 1)[0].replace('--no-', '--')} `);
    }
  });

  it('sends a file that its daemon verifies', async () => {
    const directory = await scratchFolder();
    const daemon = new XpassProcess(['daemon', '--json', '-d', directory, '--listen', ':0'], node);
    const { address } = await daemon.event('listening');
    const file = await randomFile('sample.bin', 200_000);
    const { files } = JSON.parse(await run(node, 'send', file, '--to', String(address), '--json'));
    expect(files).toMatchObject([{ name: 'sample.bin', verified: true }]);
    expect(await areSame(file, join(directory, 'sample.bin'))).toBe(true);
  });

  it('plays a lab of two flows', async () => {
    // That the machine was late for a flow is said as a warning.
    const quiet = ['--log-level', 'error', '--json'];
    const result = JSON.parse(await run(node, 'lab', await scenarioFile(), '--rehearsal', '200ms', ...quiet));
    expect(result.flows.map((flow: { delivered_bytes: number }) => flow.delivered_bytes)).toEqual([300e3, 200e3]);
  });

  it.each(['dgram', ...(process.platform === 'linux' ? ['mmsg'] : [])])(
    'measures with the datapath %s',
    async (name) => {
      const { end } = await measure(node, name);
      expect(end.sum_received.bytes).toBeGreaterThan(0);
    },
  );

  it('plays a simulation with the result of this version', async () => {
    const file = await scenarioFile();
    simulatedHere ??= simulate(process.execPath, file);
    expect(await simulate(node, file)).toEqual(await simulatedHere);
  });

  it('plays a sweep in threads', async () => {
    const file = await scenarioFile();
    const { runs } = JSON.parse(await run(node, 'sim', file, '--seeds', '2', '--jobs', '2', '--json'));
    expect(runs).toHaveLength(2);
  });

  if (line !== otherLines().at(-1)) return;

  it('plays the demonstration', async () => {
    // On standard error it says what it does.
    const { code, stdout, stderr } = await playDemo(node);
    expect(code, stderr).toBe(0);
    const result = JSON.parse(stdout);
    expect(result.files.map((file: { verified: boolean }) => file.verified)).toEqual([true]);
  });
});
