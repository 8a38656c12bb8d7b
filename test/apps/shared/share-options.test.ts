import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { flowShare, SHARE_OPTIONS, shareOf } from '../../../src/apps/shared/share-options.js';

const shareWith = (...given: [string, string][]) =>
  shareOf(resolveOptions(SHARE_OPTIONS, new Map(given.map(([name, text]) => [name, [text]]))));

describe('the options of weight and class', () => {
  it('are left out where nothing is said', () => {
    expect(shareWith()).toEqual({});
  });

  it('are those of an opening', () => {
    expect(shareWith(['weight', '3'], ['class', 'low'])).toEqual({ weight: 3, creditClass: 'low' });
  });

  it('are those of a sender', () => {
    expect(flowShare({})).toEqual({});
    expect(flowShare({ weight: 3, creditClass: 'low' })).toEqual({ weight: 3, class: 'low' });
  });

  it.each([
    ['weight', '0'],
    ['weight', '256'],
    ['weight', '1.5'],
    ['class', 'middle'],
  ])('do not allow --%s %s', (name, text) => {
    expect(() => shareWith([name, text])).toThrow(`--${name} '${text}'`);
  });
});
