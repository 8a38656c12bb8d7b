// Tested by test/apps/cli/commands.test.ts
import { choice, text } from '../../base/value-kind.js';
import { type Command, LOG_FORMATS, LOG_LEVELS } from './command.js';
import { type OptionSpecs, option, optionalOption } from './options.js';

/** Options that every command has. */
export const COMMON_OPTIONS = {
  config: optionalOption(text('a YAML file'), {
    describe: 'Read options from this file: `link-rate: 100mbit` and so on. The command line wins',
  }),
  logLevel: optionalOption(choice(LOG_LEVELS), { describe: 'How much to log on standard error' }),
  logFormat: option(choice(LOG_FORMATS), {
    describe: 'How: lines for people, or one JSON object a line',
    defaultText: 'text',
  }),
} satisfies OptionSpecs;

export function allOptions(command: Command): OptionSpecs {
  return { ...command.options, ...COMMON_OPTIONS };
}
