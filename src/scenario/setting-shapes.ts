// Tested by test/scenario/parse-scenario.test.ts and test/scenario/hosts.test.ts
import type { z } from 'zod';
import { type FieldSetting, settingsOf } from '../base/setting.js';
import { ENDPOINT_SETTINGS } from '../core/config.js';
import { LINK_SETTINGS } from '../switch/link-settings.js';
import { type LinkTexts, linkTextKind } from './link-text.js';
import { mapping, written, writtenFlag, writtenList } from './written.js';

/** The settings of an endpoint that a scenario says elsewhere: the topology has ids and rates, jitter stands beside `endpoint`. */
const { hostId: _id, rateBps: _rate, jitter: _jitter, ...CONSTANTS } = ENDPOINT_SETTINGS;

/** Every setting of an endpoint that a scenario sets under `endpoint`. */
export const ENDPOINT_CONSTANTS = settingsOf(CONSTANTS) as readonly FieldSetting<number>[];

/** One optional field for each of them, by its name. */
export const ENDPOINT_SHAPE: Record<string, z.ZodType<number | undefined>> = Object.fromEntries(
  ENDPOINT_CONSTANTS.map(({ name, kind, meaning }) => [name, written(kind, { describe: meaning }).optional()]),
);

/** One for each setting of a link, shared by all mappings that have it, so that the JSON Schema says it once. */
const LINK_SHAPES: ReadonlyMap<FieldSetting, z.ZodType<string>> = new Map(
  LINK_SETTINGS.map((setting) => [setting, linkSettingShape(setting)]),
);

/** One optional field for each setting of a link, by its name. */
export function linkShape(
  settings: readonly FieldSetting[] = LINK_SETTINGS,
): Record<string, z.ZodType<string | undefined>> {
  return Object.fromEntries(
    settings.map((setting) => [setting.name, (LINK_SHAPES.get(setting) as z.ZodType<string>).optional()]),
  );
}

function linkSettingShape({ name, meaning }: FieldSetting): z.ZodType<string> {
  const kind = linkTextKind(name);
  const about = { id: `link.${name}`, describe: meaning };
  if (name === 'down') return writtenFlag(kind, about);
  if (name !== 'frameTypes') return written(kind, about);
  return writtenList(kind.allowed, about).transform((texts) => texts.join(','));
}

/** A mapping of settings of links and nothing else. */
export const LINK_MAPPING: z.ZodType<LinkTexts> = mapping(linkShape()).meta({ id: 'link.settings' });
