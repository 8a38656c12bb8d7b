// Tested by test/apps/shared/transport-options.test.ts
import type { Setting } from '../../base/setting.js';
import { choice, FLAG, integer } from '../../base/value-kind.js';
import { ALGORITHM_CONSTANT } from '../../core/algorithms.js';
import { CREDIT_CLASSES, type CreditClass, MAX_WEIGHT, type ShareOptions } from '../../core/flow-terms.js';
import { HOST_SETTINGS, type HostSettings } from '../../net/host-settings.js';
import { CAPTURE_OPTIONS, KEYLOG_OPTIONS, QLOG_OPTIONS } from './capture-options.js';
import { flag, mapOption, type OptionSpec, type OptionValues, optionalOption, settingOption } from './options.js';

/** One-letter names. */
const ALIASES: Readonly<Record<string, string>> = { algorithm: 'C', jitter: 'j' };

/** The options of every command that has a host: `xpass daemon`, `send`, `perf` and `tunnel`. */
export const TRANSPORT_OPTIONS = {
  ...(Object.fromEntries(Object.values<Setting>(HOST_SETTINGS).map((each) => [each.name, hostOption(each)])) as {
    [K in keyof typeof HOST_SETTINGS]: OptionSpec<HostSettings[K]>;
  }),
  set: mapOption(ALGORITHM_CONSTANT, { describe: 'a parameter of the algorithm, as initial_rate=0.4' }),
  ...CAPTURE_OPTIONS,
  ...QLOG_OPTIONS,
  ...KEYLOG_OPTIONS,
};

function hostOption(setting: Setting): OptionSpec<unknown> {
  const { name, kind, meaning } = setting;
  return kind === FLAG ? flag({ describe: meaning }, setting.default === true) : settingOption(setting, ALIASES[name]);
}

/** What the flows of `xpass send` and `xpass perf` ask of the network; their receivers may give less. */
export const SHARE_OPTIONS = {
  weight: optionalOption(integer({ lowest: 1, highest: MAX_WEIGHT }), {
    describe: 'share of a full link against that of a flow of weight 1, as far as the receiver allows; 1 without it',
  }),
  class: optionalOption(choice(CREDIT_CLASSES), {
    describe: 'class of the credits: switches serve low only with what high leaves, or by weight; high without it',
  }),
};

/** As requests carry them: what is not given is left out. */
export function shareOf({ weight, class: creditClass }: OptionValues<typeof SHARE_OPTIONS>): ShareOptions {
  return {
    ...(weight !== undefined && { weight }),
    ...(creditClass !== undefined && { creditClass: creditClass as CreditClass }),
  };
}
