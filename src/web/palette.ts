// Tested by test/loopback/report-page.test.ts
/** Colours of lines on a page, told from each other on light and on dark ground: those of Okabe and Ito (2008), as drawings have them, and lighter ones. */

const LIGHT = ['#0072b2', '#b86e00', '#16191d', '#007a58', '#c54a00', '#2a86b8', '#a8497a'];
const DARK = ['#4fb0e8', '#f0b03c', '#e4e7eb', '#2fc295', '#ff8a4c', '#a5d8f7', '#e59cc4'];

const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [9, 3, 2, 3]];

const darkness = matchMedia('(prefers-color-scheme: dark)');

/** Colours and dashes have no common divisor, so 28 lines differ, as in report/plot/style.ts. */
export function lineColour(at: number): string {
  const colours = darkness.matches ? DARK : LIGHT;
  return colours[at % colours.length];
}

export function lineDash(at: number): number[] {
  return [...DASHES[at % DASHES.length]];
}

/** What stands for a line in a legend: a piece of it, as a background of CSS, in either scheme. */
export function linePiece(at: number): string {
  const colour = `light-dark(${LIGHT[at % LIGHT.length]}, ${DARK[at % DARK.length]})`;
  let end = 0;
  const stops = lineDash(at).map((length, part) => {
    const begin = end;
    end += length;
    return `${part % 2 === 0 ? colour : 'transparent'} ${begin}px ${end}px`;
  });
  return stops.length === 0 ? colour : `repeating-linear-gradient(90deg, ${stops.join(', ')})`;
}

/** Asking the page computes its style anew, which charts would make it do for each line of a grid. */
const colours = new Map<string, string>();
darkness.addEventListener('change', () => colours.clear());

/** The value of a colour of the page's style (report/page-style.ts), such as `--soft`. */
export function pageColour(name: string): string {
  const known = colours.get(name);
  if (known !== undefined) return known;
  const colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  colours.set(name, colour);
  return colour;
}

/** Calls back when the reader turns to the other scheme. */
export function onScheme(hear: () => void): void {
  darkness.addEventListener('change', hear);
}

export function offScheme(hear: () => void): void {
  darkness.removeEventListener('change', hear);
}
