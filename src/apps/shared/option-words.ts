// Tested by test/apps/cli/help.test.ts
import { longName } from '../../base/value-kind.js';
import type { Command } from './command.js';
import { allOptions } from './common-options.js';
import type { OptionSpec } from './options.js';

/** An option as help, manual page and completion show it. */
export interface ShownOption {
  readonly key: string;
  /** Without its dashes. */
  readonly name: string;
  readonly spec: OptionSpec<unknown>;
}

/** Options in the order in which they are shown. */
export interface OptionGroups {
  readonly everyday: readonly ShownOption[];
  readonly others: readonly ShownOption[];
}

/** A command without a list of everyday options has few: they all are. */
export function optionGroups(command: Command): OptionGroups {
  const all = Object.entries(allOptions(command)).filter(([, { isHidden }]) => isHidden !== true);
  const shown = all.map(([key, spec]) => ({ key, name: longName(key), spec }));
  const everyday = command.everyday ?? Object.keys(command.options);
  return {
    everyday: everyday.flatMap((key) => shown.filter((each) => each.key === key)),
    others: shown.filter(({ key }) => !everyday.includes(key)),
  };
}

/** `-c, --client` */
export function namesOf({ name, spec }: ShownOption): string {
  return spec.alias === undefined ? `    --${name}` : `-${spec.alias}, --${name}`;
}

/** What it means, what may be written and what holds without it. */
export function meaningOf({ spec }: ShownOption): string {
  const { describe, isFlag, isRequired, allowed, defaultText } = spec;
  const values = isFlag ? '' : `. Allowed: ${allowed}`;
  const usual = defaultText === undefined ? '' : ` [default: ${defaultText}]`;
  return `${describe}${values}${isRequired ? ' [required]' : ''}${usual}`;
}

/** `xpass perf [options]` */
export function synopsis(name: string, { positionals }: Command): string {
  return ['xpass', name, positionals?.label, '[options]'].filter(Boolean).join(' ');
}
