import { expect, it } from 'vitest';
import { untilWell } from './quiet-cores.js';
import { runXpass, startSwitchProcess, XpassProcess } from './switch-lab.js';

/** Payload that a link of 20 Mbit/s carries: 1446 bytes in 1626 of credit and data on the wire. */
const PAYLOAD_BPS = (20e6 * 1446) / 1626;

it('perf fills a metered link behind a switch, and shares it, on idle cores', { timeout: 60_000 }, async (context) => {
  const { port } = await startSwitchProcess('--hosts', '3', '--link-rate', '20mbit');
  const at = ['--switch', `127.0.0.1:${port}`];
  await new XpassProcess(['perf', '-s', '--json-stream', ...at, '--host-id', '2']).event('listening');
  await untilWell(context, async () => {
    const client = ['perf', '--json', '-c', '2', ...at, '-O', '1s', '-t', '2', '-P', '4'];
    const { code, stdout, stderr } = await runXpass(...client);
    expect([code, stderr]).toEqual([0, '']);
    const { goodput_bps, jain } = JSON.parse(stdout).end.xpass as { goodput_bps: number; jain: number };
    const part = goodput_bps / PAYLOAD_BPS;
    return part > 0.9 && part < 1.05 && jain > 0.8 ? '' : `${part} of the link, Jain ${jain}`;
  });
});
