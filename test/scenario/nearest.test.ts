import { describe, expect, it } from 'vitest';
import { nearest, suggestion } from '../../src/scenario/nearest.js';

const COMMANDS = ['switch', 'daemon', 'send', 'perf', 'demo', 'bench'];

describe('nearest', () => {
  it.each([
    ['snd', 'send'],
    ['deamon', 'daemon'],
    ['swich', 'switch'],
    ['perff', 'perf'],
    ['demi', 'demo'],
  ])('takes %s for %s', (word, meant) => {
    expect(nearest(word, COMMANDS)).toBe(meant);
  });

  it('does not guess at a word that is like none', () => {
    expect(nearest('upload', COMMANDS)).toBeUndefined();
    expect(nearest('', COMMANDS)).toBeUndefined();
    expect(nearest('send', [])).toBeUndefined();
  });

  it('counts two swapped letters as one slip', () => {
    expect(nearest('prt', ['ptr'])).toBe('ptr');
    expect(nearest('pxt', ['ptr'])).toBeUndefined();
  });

  it('prefers the candidate with fewer slips', () => {
    expect(nearest('link-rat', ['link-cat', 'link-rate'])).toBe('link-cat');
    expect(nearest('link-rates', ['link-cat', 'link-rate'])).toBe('link-rate');
  });
});

describe('a suggestion', () => {
  it('ends a sentence, or is nothing', () => {
    expect(suggestion('snd', COMMANDS)).toBe("; did you mean 'send'?");
    expect(suggestion('upload', COMMANDS)).toBe('');
  });
});
