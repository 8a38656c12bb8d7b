// Tested by test/apps/shared/command-host.test.ts and test/loopback/send.test.ts

import type { Logger } from 'pino';
import type { Host } from '../../net/host.js';
import { openHostOf } from '../../net/host.js';
import type { Notice } from '../../net/host-options.js';
import type { HostPlace, HostSettings } from '../../net/host-settings.js';
import { parsePeer } from '../../net/peer-name.js';
import type { Address } from '../../udp/address.js';
import { hostWatch, type WatchValues } from './capture-options.js';
import { markRarely } from './v8-flags.js';

/** The settings of a host, and who looks at it. */
export type CommandHostSettings = HostSettings & WatchValues;

export interface CommandHostOptions {
  /** The command's options. */
  readonly settings: CommandHostSettings;
  readonly place?: HostPlace;
  readonly logger: Logger;
}

/** Who a command talks to, and what that means for the place of its host. */
export interface Target {
  /** For `Host.resolve`: an address in direct mode, a host id behind a switch. */
  readonly to: number | Address;
  /** In direct mode the socket is connected to the only peer. */
  readonly place: HostPlace;
}

/** Opens the host that a command's options describe; for a process of ours, since it tunes the collector. Throws XpassError as `openHost` does. */
export function openCommandHost({ settings, place, logger }: CommandHostOptions): Promise<Host> {
  markRarely();
  const watch = hostWatch(settings, logger);
  return openHostOf({
    settings,
    ...(watch !== undefined && { watch }),
    ...(place !== undefined && { place }),
    onNotice: (notice) => logNotice(logger, notice),
  });
}

/** What `--to` and `-c` name: a host id behind a switch, an address without one. Throws XpassError `config` that says what is allowed. */
export function parseTarget(text: string, isSwitched: boolean): Target {
  const to = parsePeer(text, isSwitched);
  return { to, place: typeof to === 'object' ? { peer: to } : {} };
}

function logNotice(logger: Logger, { level, code, message }: Notice): void {
  if (code === undefined) logger[level](message);
  else logger[level]({ code }, message);
}
