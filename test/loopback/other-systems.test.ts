import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { Child, END_WITH_PARENT } from '../../src/apps/shared/companion.js';
import { areSame, filesOf, randomFile, sendProcess, startDaemonProcess } from './send-lab.js';
import { runXpass, scratchFile, startSwitchProcess, within } from './switch-lab.js';

// What only Linux has is taken away from real processes by test/harness/other-system.mjs. That macOS and Windows do as it says cannot be shown here.

const PRETENCE = new URL('../harness/other-system.mjs', import.meta.url).href;

/** All processes that start from now until the end of the test, and those that they start, find that system. */
function pretend(system: 'darwin' | 'win32'): void {
  vi.stubEnv('XPASS_TEST_SYSTEM', system);
  vi.stubEnv('NODE_OPTIONS', `--import ${PRETENCE}`);
}

afterEach(() => vi.unstubAllEnvs());

const TWO_HOSTS = `
topology: { name: star, hosts: 2, rate: 100mbit }
flows:
  - { from: 1, to: 2, bytes: 200kB }
`;

describe.each(['darwin', 'win32'] as const)('where the system is %s', (system) => {
  it('files are sent and verified, and what the kernel does not tell is null', async () => {
    pretend(system);
    const daemon = await startDaemonProcess();
    const path = await randomFile('whole', 256 * 1024);
    const ended = await sendProcess(path, '--to', daemon.address, '--json');
    expect(ended.code, ended.stderr).toBe(0);
    expect(filesOf(ended)).toMatchObject([{ verified: true }]);
    expect(await areSame(path, join(daemon.directory, 'whole'))).toBe(true);
    const { code, stdout } = await daemon.process.stop('SIGINT');
    expect(code).toBe(0);
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ driver: { kernel_drops: null } });
  });

  it('the control of a switch is found without a path, and --datapath mmsg says that it needs Linux', async () => {
    pretend(system);
    const { process, control } = await startSwitchProcess('--datapath', 'mmsg');
    const { code, stdout } = await runXpass('switch', 'ctl', 'ports', '--control', control);
    expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('port')]);
    expect((await process.stop('SIGINT')).stderr).toContain('it needs Linux');
  });

  it('a lab runs, and says that drops of the kernel are not known', async () => {
    pretend(system);
    const ended = await runXpass(
      'lab',
      await scratchFile('scenario.yaml', TWO_HOSTS),
      '--rehearsal',
      '100ms',
      '--json',
    );
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('this system does not tell which datagrams its kernel dropped');
    expect(JSON.parse(ended.stdout)).toMatchObject({ flows: [{ delivered_bytes: 200_000, error: null }] });
  });
});

describe('a process that ends with its parent', () => {
  it('ends in order when it is stopped, without a signal', async () => {
    const child = new Child('a switch', ['switch', '--listen', ':0', '--json'], END_WITH_PARENT);
    const kill = vi.spyOn(child.process, 'kill');
    const events: unknown[] = [];
    child.onEvent(({ event }) => events.push(event));
    await child.event('listening');
    await within(child.stop(), 'the end');
    expect([await child.ended, events]).toEqual([0, ['listening', 'summary']]);
    expect(kill).not.toHaveBeenCalled();
  });

  it('has threads that live as long as it wants', async () => {
    const worker = `import('node:worker_threads').then(({ parentPort }) => setTimeout(() => parentPort.postMessage('alive'), 200));`;
    const thread = await scratchFile('thread.mjs', worker);
    const program = `new (require('node:worker_threads').Worker)(${JSON.stringify(thread)})
      .on('message', (word) => { console.log(word); process.exit(); })
      .on('exit', (status) => { console.log('a thread ended with', status); process.exit(); });`;
    const child = spawn(process.execPath, [...END_WITH_PARENT, '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    expect(await within(text(child.stdout), 'what it says')).toBe('alive\n');
    child.stdin.end();
  });
});
