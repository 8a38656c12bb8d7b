/**
 * One plain style for every chart, like a paper's figure: white, black axes with ticks, no grid lines, series told apart by colour and by dash or marker, so
 * that a grey print and colour-blind eyes read it too.
 */
import { symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTriangle } from 'd3-shape';

/**
 * The colours of Okabe and Ito ("Color Universal Design", 2008) without yellow, which does not show on white. The first four differ in lightness (46, 71, 0
 * and 58 in CIE L*), for bars have nothing else in grey.
 */
const COLOURS = ['#0072b2', '#e69f00', '#000000', '#009e73', '#d55e00', '#56b4e9', '#cc79a7'];

/** Lengths of dash and gap in px; the first line is solid. */
const DASHES = [undefined, '7 3', '2 2', '8 3 2 3'];

const SHAPES = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond];

/** Colours and dashes have no common divisor, so this many series differ; more in one chart cannot be read anyway. */
export const MAX_SERIES = COLOURS.length * DASHES.length;

export const LINE_PX = 1.75;
export const MARKER_PX = 7;

export interface SeriesStyle {
  readonly colour: string;
  readonly dash: string | undefined;
  /** Outline of the marker, around 0,0. */
  readonly marker: string;
  readonly markerFill: string;
}

/** How the series at this place of a chart looks. Every second marker is hollow, and the second four shapes are hollow where the first are filled. */
export function seriesStyle(at: number): SeriesStyle {
  const colour = COLOURS[at % COLOURS.length];
  const isHollow = (at + Math.floor(at / SHAPES.length)) % 2 === 1;
  const size = (MARKER_PX - (isHollow ? LINE_PX / 2 : 0)) ** 2 * 0.75;
  return {
    colour,
    dash: DASHES[at % DASHES.length],
    marker: symbol(SHAPES[at % SHAPES.length], size).digits(2)() ?? '',
    markerFill: isHollow ? '#ffffff' : colour,
  };
}

export const INK = '#000000';
/** Of reference lines: told from the data by being grey and thin. */
export const REFERENCE_COLOUR = '#555555';
/** No font of this machine: the reader's own sans-serif. */
export const FONT_FAMILY = 'Helvetica,Arial,sans-serif';
export const FONT_PX = 13;
/** Moves a text down so that its middle is where its baseline would be. */
export const TEXT_MIDDLE = '0.35em';

/** Room that a text needs at most. The fonts that browsers take for ours differ by a sixth; the widest in use (DejaVu Sans) has about 0.6 em a character. */
export function textWidthPx(text: string, fontPx: number = FONT_PX): number {
  return Math.ceil([...text].length * fontPx * 0.6);
}

/** The text, or its beginning and an ellipsis where it would be wider. */
export function fittingText(text: string, widthPx: number): string {
  const room = Math.max(1, Math.floor(widthPx / (FONT_PX * 0.6)));
  const letters = [...text];
  return letters.length <= room ? text : `${letters.slice(0, room - 1).join('')}…`;
}
