/**
 * Results at the scale of the papers beside the quick ones: `--profile paper` leaves the rows of each figure as `<figure>.json`, and the quick profile puts
 * what it finds in `paper/` of its directory under its own rows.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FigureRow, ScaledRows } from '../../report/figures-page.js';
import { VERDICTS } from '../../report/figures-page.js';

/** Of the directory with the quick results. */
const PAPER_FOLDER = 'paper';

export function scaledRowsFile(figure: string, scaled: ScaledRows): ReadonlyMap<string, string> {
  return new Map([[`${figure}.json`, `${JSON.stringify(scaled, null, 2)}\n`]]);
}

/** Those of a figure that was played at the scale of the papers; null where it was not, or the file is none of ours. */
export async function readScaledRows(out: string, figure: string): Promise<ScaledRows | null> {
  try {
    const found: unknown = JSON.parse(await readFile(join(out, PAPER_FOLDER, `${figure}.json`), 'utf8'));
    return isScaled(found) ? found : null;
  } catch {
    return null;
  }
}

function isScaled(value: unknown): value is ScaledRows {
  if (typeof value !== 'object' || value === null) return false;
  const { runs, seconds, rows } = value as Partial<ScaledRows>;
  return typeof runs === 'number' && typeof seconds === 'number' && Array.isArray(rows) && rows.every(isRow);
}

function isRow(value: unknown): value is FigureRow {
  if (typeof value !== 'object' || value === null) return false;
  const { quantity, paper, authorsCode, ours, verdict, reason } = value as Partial<FigureRow>;
  const isText = (text: unknown): boolean => typeof text === 'string';
  return (
    [quantity, ours, reason].every(isText) && [paper, authorsCode].every((text) => text === null || isText(text)) && VERDICTS.some((each) => each === verdict)
  );
}
