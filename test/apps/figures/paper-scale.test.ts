import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readScaledRows, scaledRowsFile } from '../../../src/apps/figures/paper-scale.js';
import type { ScaledRows } from '../../../src/report/figures-page.js';

const SCALED: ScaledRows = {
  runs: 2,
  seconds: 90,
  rows: [{ quantity: 'q', paper: null, authorsCode: null, ours: '1', verdict: 'met', reason: 'Held.' }],
};

it('reads back what the paper profile left, and nothing that is not of it', async () => {
  const out = await mkdtemp(join(tmpdir(), 'xpass-scaled-'));
  try {
    expect(await readScaledRows(out, 'shuffle')).toBeNull();
    await mkdir(join(out, 'paper'));
    for (const [name, text] of scaledRowsFile('shuffle', SCALED)) await writeFile(join(out, 'paper', name), text);
    expect(await readScaledRows(out, 'shuffle')).toEqual(SCALED);
    for (const bad of [
      '{',
      '{"runs":1}',
      JSON.stringify({ ...SCALED, rows: [{ ...SCALED.rows[0], verdict: 'good' }] }),
    ]) {
      await writeFile(join(out, 'paper', 'shuffle.json'), bad);
      expect(await readScaledRows(out, 'shuffle')).toBeNull();
    }
  } finally {
    await rm(out, { recursive: true });
  }
});
