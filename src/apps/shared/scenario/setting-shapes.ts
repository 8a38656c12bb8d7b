// Tested by test/apps/shared/scenario/parse-scenario.test.ts
import type { z } from 'zod';
import { SETTING_NAMES, settingKind, type WrittenSetting } from '../link-settings.js';
import type { Path } from './problem.js';
import { pathText } from './problem.js';
import { mapping, written, writtenFlag, writtenList } from './written.js';

/** Settings of a link as texts, by their names in files; what `20frames` of a queue are is known once the frame size is. */
export type Settings = Readonly<Record<string, string | undefined>>;

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  rate: 'Rate of the link',
  delay: 'Propagation delay, one way',
  frameSize: 'Largest UDP payload',
  creditQueue: 'Credits that wait at a port at most',
  creditBurst: 'Depth of the credit meter, bytes',
  creditMark: 'After how many credits the share that is marked is renewed (N_cdt); 0: credits are not marked',
  dataQueue: 'What waits in the data queue at most',
  ecnThreshold: 'Frames that find more than this in the data queue are marked',
  ecnRtt: 'Marks at what the link carries in a seventh of this RTT, where ecnThreshold is off',
  ecnRamp: 'Over how much more the part of marked frames rises to all',
  phantomDrain: 'Part of the rate at which a phantom queue drains that is marked by instead of the real one',
  speculativeQueue: 'Speculative frames that find more than this in the data queue are dropped',
  loss: 'Part of the frames that is lost',
  burstEnter: 'Part of the frames that begins a burst of loss',
  burstLeave: 'Part of the frames in a burst that ends it',
  burstLoss: 'Part of the frames in a burst that is lost',
  duplicate: 'Part of the frames that arrives twice',
  reorder: 'Part of the frames that is held back',
  reorderDelay: 'How long a reordered frame is held back',
  corrupt: 'Part of the frames whose bits are changed',
  extraDelay: 'Delay of all frames besides the propagation',
  jitter: 'Random delay of each frame, up to this',
  down: 'Whether the link loses everything',
  frameTypes: 'What loss, duplication, reordering and corruption befall',
};

/** One for each setting, shared by all mappings that have it, so that the JSON Schema says it once. */
const FIELDS: ReadonlyMap<string, z.ZodType<string>> = new Map(SETTING_NAMES.map((name) => [name, settingField(name)]));

/** One optional field for each setting named. */
export function settingShape(names: readonly string[] = SETTING_NAMES): Record<string, z.ZodType<string | undefined>> {
  return Object.fromEntries(names.map((name) => [name, (FIELDS.get(name) as z.ZodType<string>).optional()]));
}

function settingField(name: string): z.ZodType<string> {
  const kind = settingKind(name);
  const about = { id: `link.${name}`, describe: DESCRIPTIONS[name] };
  if (name === 'down') return writtenFlag(kind, about);
  if (name !== 'frameTypes') return written(kind, about);
  return writtenList(kind.allowed, about).transform((texts) => texts.join(','));
}

/** A mapping of settings and nothing else. */
export const LINK_SETTINGS = mapping(settingShape()).meta({ id: 'link.settings' });

/** The settings among the fields of a mapping, as link-settings.ts reads them. */
export function writtenSettings(fields: Readonly<Record<string, unknown>>, path: Path): WrittenSetting[] {
  return SETTING_NAMES.flatMap((name) => {
    const text = fields[name];
    return typeof text === 'string' ? [{ name, text, label: pathText([...path, name]) }] : [];
  });
}
