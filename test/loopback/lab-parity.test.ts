import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { wireBytes } from '../../src/wire/layout.js';
import { untilWell } from './quiet-cores.js';
import { within, XpassProcess } from './switch-lab.js';

// The same scenario file in virtual time and over processes. What the two may differ by is fixed; the files say what the processes are like
// (docs/SCENARIOS.md, "Over processes").

/** Of the three files. */
const FRAME_BYTES = 32_768;
/** Shorter than in the files: the figures are the same after four seconds (measured). */
const TIMES = ['--set', 'duration=4s', '--set', 'warmUp=1s'];

interface Figures {
  readonly utilisation: number;
  readonly jain: number;
  readonly credit_drop_share: number;
  readonly links: readonly { readonly data_queue_bytes_max: number; readonly rate_bps: number }[];
}

async function figures(command: 'sim' | 'lab', name: string): Promise<Figures> {
  const file = fileURLToPath(new URL(`../../deploy/scenarios/${name}.yaml`, import.meta.url));
  const { code, stdout, stderr } = await within(
    new XpassProcess([command, file, ...TIMES, '--json', ...(command === 'lab' ? ['--rehearsal', '2s'] : [])]).ended,
    `the end of xpass ${command}`,
  );
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Figures;
}

function largestQueueBytes({ links }: Figures): number {
  return Math.max(...links.map((link) => link.data_queue_bytes_max));
}

interface Difference {
  readonly utilisation: number;
  readonly jain: number;
  readonly creditDropShare: number;
  readonly queueFrames: number;
}

async function difference(name: string): Promise<Difference> {
  const simulated = await figures('sim', name);
  const played = await figures('lab', name);
  for (const { rate_bps } of [...simulated.links, ...played.links]) expect(rate_bps).toBe(100e6);
  return {
    utilisation: Math.abs(played.utilisation - simulated.utilisation) / simulated.utilisation,
    jain: Math.abs(played.jain - simulated.jain),
    creditDropShare: Math.abs(played.credit_drop_share - simulated.credit_drop_share),
    queueFrames: Math.abs(largestQueueBytes(played) - largestQueueBytes(simulated)) / wireBytes(FRAME_BYTES),
  };
}

function isSmall({ utilisation, jain, creditDropShare, queueFrames }: Difference): boolean {
  return utilisation <= 0.05 && jain <= 0.05 && creditDropShare <= 0.1 && queueFrames <= 8;
}

describe('a scenario over processes gives what it gives in virtual time, on idle cores', () => {
  it.for(['dumbbell-two-flows', 'incast-8-to-1', 'parking-lot'])('%s', { timeout: 240_000 }, (name, context) =>
    untilWell(context, async () => {
      const seen = await difference(name);
      return isSmall(seen) ? '' : JSON.stringify(seen);
    }),
  );
});
