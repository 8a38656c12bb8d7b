import { HOST_FLAGS, HOST_SETTINGS } from '../../net/host-settings.js';
import type { DefaultedSetting, Setting } from '../../net/settings.js';
import { flag, mapOption, type OptionSpec, type OptionValues, option, optionalOption } from './options.js';

const S = HOST_SETTINGS;

/** The options of every command that has a host: `xpass daemon`, `send`, `perf` and `tunnel`. */
export const TRANSPORT_OPTIONS = {
  switch: optionalSetting(S.switch),
  hostId: optionalSetting(S.hostId),
  rate: setting(S.rate),
  frameSize: optionalSetting(S.frameSize),
  algorithm: optionalSetting(S.algorithm, 'C'),
  set: mapOption(S.set.kind, { describe: S.set.meaning }),
  jitter: setting(S.jitter, 'j'),
  speculative: flag({ describe: HOST_FLAGS.speculative }),
  fillFrames: flag({ describe: HOST_FLAGS.fillFrames }),
  spin: setting(S.spin),
  datapath: setting(S.datapath),
  queueBound: setting(S.queueBound),
  maxWeight: setting(S.maxWeight),
  connectTimeout: setting(S.connectTimeout),
  idleTimeout: setting(S.idleTimeout),
  receiveWindow: setting(S.receiveWindow),
};

export type TransportValues = OptionValues<typeof TRANSPORT_OPTIONS>;

function setting<T>({ kind, meaning, defaultText }: DefaultedSetting<T>, alias?: string): OptionSpec<T> {
  return option(kind, { describe: meaning, defaultText, ...(alias !== undefined && { alias }) });
}

function optionalSetting<T>({ kind, meaning }: Setting<T>, alias?: string): OptionSpec<T | undefined> {
  return optionalOption(kind, { describe: meaning, ...(alias !== undefined && { alias }) });
}
