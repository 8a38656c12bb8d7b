// Tested by test/net/host-settings.test.ts
import type { ValueKind } from '../base/value-kind.js';
import { XpassError } from '../core/errors.js';

/** One setting of a host: what its value may be, what it means, and what holds without it. The command line and the options of `openHost` follow from it. */
export interface Setting<T> {
  readonly kind: ValueKind<T>;
  /** One line for help, without the default. */
  readonly meaning: string;
  /** The unit of a number that a program gives, where the text of one needs a unit. */
  readonly numberUnit?: string;
}

/** A setting that has a value without being given. */
export interface DefaultedSetting<T> extends Setting<T> {
  readonly defaultText: string;
}

/** What a program may give for a setting: text as on the command line, or a number. */
export type Given = string | number;

/** The value of a setting that may be left out. Throws XpassError `config` that names the setting, the value and what is allowed. */
export function optional<T>(name: string, setting: Setting<T>, given: Given | undefined): T | undefined {
  if (given === undefined) return undefined;
  const value = setting.kind.parse(textOf(setting, given));
  if (value !== undefined) return value;
  throw new XpassError('config', `${name} '${given}' is not allowed; allowed: ${setting.kind.allowed}`);
}

/** The value of a setting that has a default. Throws as `optional` does. */
export function defaulted<T>(name: string, setting: DefaultedSetting<T>, given: Given | undefined): T {
  return optional(name, setting, given ?? setting.defaultText) as T;
}

/** Numbers are read by the same rules as texts, so that both have the same bounds. */
function textOf<T>({ kind, numberUnit = '' }: Setting<T>, given: Given): string {
  if (typeof given === 'string') return given;
  // Infinity has a word of its own, `unlimited` or `none`, where it is allowed.
  return Number.isFinite(given) ? `${given}${numberUnit}` : kind.format(given as T);
}
