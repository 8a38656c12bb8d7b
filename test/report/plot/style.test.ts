import { describe, expect, it } from 'vitest';
import { fittingText, MAX_SERIES, seriesStyle, textWidthPx } from '../../../src/report/plot/style.js';

describe('the style of series', () => {
  it('tells as many lines apart as a chart may have, by colour and dash', () => {
    const styles = Array.from({ length: MAX_SERIES }, (_, at) => seriesStyle(at));
    expect(new Set(styles.map(({ colour, dash }) => `${colour} ${dash}`)).size).toBe(MAX_SERIES);
  });

  it('gives the first seven points of a scatter a colour and a marker of their own', () => {
    const styles = Array.from({ length: 7 }, (_, at) => seriesStyle(at));
    expect(new Set(styles.map(({ colour }) => colour)).size).toBe(7);
    expect(new Set(styles.map(({ marker }) => marker)).size).toBe(7);
  });
});

describe('a text in its room', () => {
  it('stays whole where it fits', () => {
    expect(fittingText('steady', textWidthPx('steady'))).toBe('steady');
  });

  it('ends in an ellipsis where it does not, and takes no more than its room', () => {
    const short = fittingText('expresspass-literal', 60);
    expect(short).toBe('expres…');
    expect(textWidthPx(short)).toBeLessThanOrEqual(60);
  });
});
