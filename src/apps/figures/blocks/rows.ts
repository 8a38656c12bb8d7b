import type { FigureRow, Verdict } from '../../shared/report/figures-page.js';

/** `0.998, 0.911`: one value for each size of an experiment. A dash where there is none. */
export function valueList(values: readonly (number | null)[], digits: number): string {
  return values.map((value) => fixed(value, digits)).join(', ');
}

/** With so many digits after the point; a dash where there is no number. */
export function fixed(value: number | null, digits: number): string {
  return value === null || !Number.isFinite(value) ? '-' : value.toFixed(digits);
}

/** The number itself, for tables: with no more digits than say something. null where there is none. */
export function rounded(value: number | null, digits: number): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toFixed(digits));
}

/** Seeds 1 to `count`. */
export function seeds(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

export interface RowText {
  readonly quantity: string;
  readonly paper?: string;
  readonly authorsCode?: string;
  readonly ours: string;
}

/** A quantity with what it is held to. `why` says why it misses where it does: found by experiment. */
export function claim(text: RowText, isMet: boolean, say: { held: string; why?: string }): FigureRow {
  const verdict: Verdict = isMet ? 'met' : 'missed';
  const why = say.why ?? '';
  return { ...row(text), verdict, reason: isMet || why === '' ? `${say.held}.` : `${say.held}. ${why}` };
}

/** A quantity that nothing is claimed of. */
export function noClaim(text: RowText, reason: string): FigureRow {
  return { ...row(text), verdict: 'no claim', reason };
}

function row({ quantity, paper, authorsCode, ours }: RowText) {
  return { quantity, paper: paper ?? null, authorsCode: authorsCode ?? null, ours };
}
