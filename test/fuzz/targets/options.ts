import { command as daemon } from '../../../src/apps/daemon/command.js';
import { command as perf } from '../../../src/apps/perf/command.js';
import { command as send } from '../../../src/apps/send/command.js';
import type { Command } from '../../../src/apps/shared/command.js';
import { allOptions } from '../../../src/apps/shared/common-options.js';
import { type ConfigEntries, resolveOptions } from '../../../src/apps/shared/options.js';
import { command as fabric } from '../../../src/apps/switch/command.js';
import { command as tunnel } from '../../../src/apps/tunnel/command.js';
import { longName } from '../../../src/base/value-kind.js';
import { must } from '../engine/target.js';

/** Commands that strangers' scripts and files start. */
export const FUZZED_COMMANDS: readonly Command[] = [
  daemon,
  send,
  perf,
  fabric,
  tunnel,
] as readonly unknown[] as Command[];

/** Their options, as words for mutation. */
export const OPTION_NAMES: readonly string[] = [
  ...new Set(FUZZED_COMMANDS.flatMap((command) => Object.keys(allOptions(command)).map(longName))),
];

/** Resolves the options of a command as the program does; each value is one. */
export function resolved(command: Command, given: ReadonlyMap<string, readonly string[]>, file?: ConfigEntries): void {
  const values = resolveOptions(allOptions(command), given, file);
  for (const [name, value] of Object.entries(values)) must(!Number.isNaN(value), `${name} is a number that is none`);
}
