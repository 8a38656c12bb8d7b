import { describe, expect, it } from 'vitest';
import {
  flag,
  listOption,
  mapOption,
  type OptionSpecs,
  option,
  optionalOption,
  requiredOption,
  resolveOptions,
} from '../../../src/apps/shared/options.js';
import { rate, size } from '../../../src/base/quantities.js';
import { decimal, longName, text } from '../../../src/base/value-kind.js';

const specs = {
  linkRate: option(rate({ unlimited: true }), { describe: 'rate', defaultText: '100mbit' }),
  bytes: optionalOption(size(), { describe: 'size' }),
  to: requiredOption(text('HOST'), { describe: 'host' }),
  json: flag({ describe: 'json' }),
  tag: listOption(text('a tag'), { describe: 'tags' }),
  parameter: mapOption(decimal(), { describe: 'parameters' }),
} satisfies OptionSpecs;

const resolve = (commandLine: Record<string, string[]>, file: Record<string, string[]> = {}) =>
  resolveOptions(
    specs,
    new Map(Object.entries(commandLine)),
    new Map(Object.entries(file).map(([key, texts]) => [key, { texts, label: `${key} (f.yaml, line 1)` }])),
  );

describe('options', () => {
  it('have their defaults when only what is required is given', () => {
    expect(resolve({ to: ['h'] })).toEqual({
      linkRate: 100e6,
      bytes: undefined,
      to: 'h',
      json: false,
      tag: [],
      parameter: {},
    });
  });

  it('are read from the command line', () => {
    const given = {
      to: ['h'],
      'link-rate': ['unlimited'],
      bytes: ['1KiB'],
      json: ['true'],
      tag: ['a', 'b'],
      parameter: ['wMax=0.5'],
    };
    expect(resolve(given)).toEqual({
      linkRate: Number.POSITIVE_INFINITY,
      bytes: 1024,
      to: 'h',
      json: true,
      tag: ['a', 'b'],
      parameter: { wMax: 0.5 },
    });
  });

  it('are read from the file, but the command line wins', () => {
    const values = resolve(
      { 'link-rate': ['1g'], json: ['false'] },
      { to: ['h'], 'link-rate': ['2g'], json: ['true'], bytes: ['7'] },
    );
    expect(values).toMatchObject({ linkRate: 1e9, json: false, to: 'h', bytes: 7 });
  });

  it.each<[string, Record<string, string[]>, string]>([
    ['a missing one', {}, '--to is missing; allowed: HOST'],
    [
      'a wrong value',
      { to: ['h'], 'link-rate': ['fast'] },
      "--link-rate 'fast' is not allowed; allowed: a rate from 1bit up, such as",
    ],
    ['no value', { to: [''] }, '--to has no value; allowed: HOST'],
    ['one that may not repeat', { to: ['a', 'b'] }, '--to is given 2 times; once is allowed'],
    [
      'a flag with another value',
      { to: ['h'], json: ['maybe'] },
      "--json 'maybe' is not allowed; allowed: true, false",
    ],
    ['a wrong item of a list', { to: ['h'], tag: ['a', ''] }, '--tag has no value; allowed: a tag'],
    [
      'no pair',
      { to: ['h'], parameter: ['wMax'] },
      "--parameter 'wMax' is not allowed; allowed: NAME=VALUE with a number",
    ],
    ['no name', { to: ['h'], parameter: ['=1'] }, "--parameter '=1' is not allowed"],
    [
      'a pair with a wrong value',
      { to: ['h'], parameter: ['wMax=x'] },
      "--parameter wMax 'x' is not allowed; allowed: a number",
    ],
    ['a name that comes twice', { to: ['h'], parameter: ['a=1', 'a=2'] }, "--parameter gives 'a' more than once"],
  ])('refuse %s in a sentence that names it', (_, given, message) => {
    expect(() => resolve(given)).toThrow(message);
  });

  it('name the place in the file when the value there is wrong', () => {
    expect(() => resolve({ to: ['h'] }, { bytes: ['big'] })).toThrow("bytes (f.yaml, line 1) 'big' is not allowed");
  });

  it('are not fooled by names of things that every object has', () => {
    const { parameter } = resolve({ to: ['h'], parameter: ['__proto__=1', 'constructor=2'] });
    expect(Object.keys(parameter)).toEqual(['__proto__', 'constructor']);
  });

  it('have long names with dashes', () => {
    expect(longName('linkRate')).toBe('link-rate');
    expect(longName('json')).toBe('json');
  });
});
