import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/apps/cli/command-line.js';
import { defineCommand } from '../../../src/apps/shared/command.js';
import { allOptions } from '../../../src/apps/shared/common-options.js';
import { flag, listOption, optionalOption } from '../../../src/apps/shared/options.js';
import { ExitCode } from '../../../src/base/exit-codes.js';
import { Failure } from '../../../src/base/failure.js';
import { text } from '../../../src/base/value-kind.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

const command = defineCommand({
  description: 'Does it.',
  positionals: { label: 'FILE...', describe: 'what', least: 0, most: Number.POSITIVE_INFINITY },
  options: {
    to: optionalOption(text('HOST'), { describe: 'Host', alias: 't' }),
    tag: listOption(text('a tag'), { describe: 'Tags' }),
    json: flag({ describe: 'JSON' }),
  },
  examples: [],
  run: async () => ExitCode.done,
});

const parse = (...args: string[]) => {
  const { given, positionals } = parseCommandLine(command, args);
  return { given: Object.fromEntries(given), positionals };
};

describe('the arguments of a command', () => {
  it('stay the texts that were written', () => {
    expect(parse('0x10', '1e5', '--to', '007', '--tag=a=b', '--tag', '1.0')).toEqual({
      given: { to: ['007'], tag: ['a=b', '1.0'] },
      positionals: ['0x10', '1e5'],
    });
  });

  it('do not swallow the names that follow an option', () => {
    expect(parse('--tag', 'a', 'file', '--json', 'file2')).toEqual({
      given: { tag: ['a'], json: ['true'] },
      positionals: ['file', 'file2'],
    });
  });

  it('may be short, negative or negated', () => {
    expect(parse('-t5').given).toEqual({ to: ['5'] });
    expect(parse('-t', '-5').given).toEqual({ to: ['-5'] });
    expect(parse('--no-json').given).toEqual({ json: ['false'] });
    expect(() => parse('--no-to')).toThrow('unknown option --no-to');
    expect(parse('--json=true').given).toEqual({ json: ['true'] });
  });

  it('are no way to reach into objects', () => {
    for (const arg of ['--__proto__', '--constructor', '--to.x=1', '--toString']) {
      expect(() => parse(arg, '1')).toThrow(/^unknown option --/);
    }
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('end in values or in a failure, whatever they are', () => {
    const words = fc.array(
      fc.oneof(fc.constantFrom('--', '-', '--to', '--tag', '--json', '-t', '--no-', '--=', '-h', '='), fc.string()),
      { maxLength: 8 },
    );
    holds(words, 1000, (args) => {
      try {
        parseCommandLine(command, args);
      } catch (error) {
        expect(error).toBeInstanceOf(Failure);
      }
    });
  });

  it('may ask for help in any place, alone or among others', () => {
    expect(parseCommandLine(command, ['a', '--help']).help).toBe('everyday');
    expect(parseCommandLine(command, ['--help-all']).help).toBe('all');
    expect(parseCommandLine(command, ['-h']).help).toBe('everyday');
    expect(parseCommandLine(command, ['--', '-h']).help).toBe('none');
  });

  it('include options that every command has', () => {
    expect(Object.keys(allOptions(command))).toEqual(['to', 'tag', 'json', 'config', 'logLevel', 'logFormat']);
  });
});
