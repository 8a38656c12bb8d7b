import { displayDuration, displayRate } from '../base/display.js';
import { settingsOf } from '../base/setting.js';
import type { Fault } from '../sim/scenario.js';
import { IMPAIRMENT_SETTINGS, PORT_SETTINGS } from '../switch/link-settings.js';

/** What happened on the way. */
export interface TimeMark {
  readonly atNs: number;
  readonly text: string;
}

/** What to write at the time of each fault; those of one instant and one text, such as both directions of a link, once. */
export function faultMarks(faults: readonly Fault[]): TimeMark[] {
  const texts = new Map(
    faults.map((fault) => [`${fault.atNs} ${textOf(fault)}`, { atNs: fault.atNs, text: textOf(fault) }]),
  );
  return [...texts.values()].sort((a, b) => a.atNs - b.atNs);
}

function textOf(fault: Fault): string {
  switch (fault.kind) {
    case 'link':
      return `${fault.link}: ${settingTexts({ ...fault.port, ...fault.impairment })}`;
    case 'switchRestart':
      return `${fault.switch} restarts for ${displayDuration(fault.forNs)}`;
    case 'hostCrash':
      return `host ${fault.host} crashes`;
    case 'reader':
      return `host ${fault.host} reads ${Number.isFinite(fault.rateBps) ? displayRate(fault.rateBps) : 'at once'}`;
    case 'clock':
      return `clock of host ${fault.host}: ${fault.driftPpm} ppm`;
  }
}

/** `loss 1%, delay 2ms`, by the names that people write. */
function settingTexts(fields: Readonly<Record<string, unknown>>): string {
  const settings = [...settingsOf(PORT_SETTINGS), ...settingsOf(IMPAIRMENT_SETTINGS)];
  const changed = settings.filter(({ field }) => fields[field] !== undefined);
  return changed.map(({ field, name, kind }) => `${name} ${kind.format(fields[field])}`).join(', ');
}
