// Tested by test/apps/completion/completion.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { usageFailure } from '../../base/failure.js';
import { suggestion } from '../../scenario/nearest.js';
import { defineCommand } from '../shared/command.js';
import { loadCommands } from '../shared/command-tree.js';
import { bashScript } from './bash.js';
import { completionTable, type Place } from './completion-table.js';
import { fishScript } from './fish.js';
import { zshScript } from './zsh.js';

const SHELLS: ReadonlyMap<string, (table: readonly Place[]) => string> = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);
const NAMES = [...SHELLS.keys()];

export const command = defineCommand({
  description:
    'Prints a script by which a shell completes commands, options and values of xpass. It is made from the same table as `--help`, and starts no process when a key is pressed.',
  positionals: { label: 'SHELL', describe: NAMES.join(', '), least: 1, most: 1, words: NAMES },
  options: {},
  examples: [
    {
      line: 'xpass completion bash',
      meaning: 'Goes to ~/.local/share/bash-completion/completions/xpass, or is sourced by ~/.bashrc',
    },
    { line: 'xpass completion zsh', meaning: 'Goes to a file _xpass in a directory of $fpath' },
    { line: 'xpass completion fish', meaning: 'Goes to ~/.config/fish/completions/xpass.fish' },
  ],
  run: async ({ positionals: [shell], results, commands }) => {
    const script = SHELLS.get(shell);
    if (script === undefined) {
      throw usageFailure(`unknown shell '${shell}'${suggestion(shell, NAMES)}; allowed: ${NAMES.join(', ')}`);
    }
    results.line(script(completionTable(await loadCommands(commands))).trimEnd());
    return ExitCode.done;
  },
});
