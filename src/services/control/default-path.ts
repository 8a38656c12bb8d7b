import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { listNames } from '../../base/config-error.js';
import { failureOf, usageFailure } from '../../base/failure.js';
import { DEFAULT_SWITCH_PORT } from '../../net/host-settings.js';
import { PIPE_PREFIX } from './address.js';

/** What of the system the default depends on; tests pass their own. */
export interface ControlSystem {
  readonly platform: NodeJS.Platform;
  /** `XDG_RUNTIME_DIR`: https://specifications.freedesktop.org/basedir-spec/latest/ */
  readonly runtimeDirectory: string | undefined;
  readonly temporaryDirectory: string;
  /** The user's number, and on Windows the name. */
  readonly user: string;
}

const OWNER_ONLY = 0o700;
const FOR_OTHERS = 0o077;

export function thisSystem(): ControlSystem {
  const { uid, username } = userInfo();
  return {
    platform: process.platform,
    runtimeDirectory: process.env.XDG_RUNTIME_DIR,
    temporaryDirectory: tmpdir(),
    user: process.platform === 'win32' ? username : String(uid),
  };
}

/** Where the control of this user's switch at this UDP port is unless told otherwise; `owner` parts switches of one port in several network namespaces. */
export function defaultControlPath(port: number, system: ControlSystem, owner = ''): string {
  const name = `switch-${port}${owner === '' ? '' : `-${owner}`}`;
  if (system.platform === 'win32') return `${PIPE_PREFIX}xpass-${system.user}-${name}`;
  return join(controlDirectory(system), `${name}.sock`);
}

/** Makes the directory of the default paths. Throws a Failure where it is not this user's alone: another could have put a socket there. */
export function prepareControlDirectory(system: ControlSystem): void {
  if (system.platform === 'win32') return;
  const path = controlDirectory(system);
  try {
    mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
  } catch (error) {
    throw failureOf(error, `the directory of the control sockets '${path}'`) ?? error;
  }
  checkControlDirectory(system);
}

/** Throws a Failure where the directory of the default paths is there and not this user's alone. */
function checkControlDirectory(system: ControlSystem): void {
  if (system.platform === 'win32') return;
  const path = controlDirectory(system);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const isOwn = found.isDirectory() && String(found.uid) === system.user && (found.mode & FOR_OTHERS) === 0;
  if (isOwn) return;
  throw usageFailure(
    `the directory of the control sockets '${path}' has to be a directory of this user with mode 0700; use --control PATH for another place`,
  );
}

/**
 * The default path of the switch at `port`; undefined stands for the only switch of this user, or else the one at the usual port. Throws a Failure where there
 * are several and none at the usual port.
 */
export function findControlPath(port: number | undefined, system: ControlSystem): string {
  const usual = defaultControlPath(port ?? DEFAULT_SWITCH_PORT, system);
  checkControlDirectory(system);
  if (system.platform === 'win32' || port !== undefined) return usual;
  const directory = controlDirectory(system);
  const names = socketsIn(directory);
  if (names.length === 1) return join(directory, names[0]);
  if (names.length === 0 || names.includes(basename(usual))) return usual;
  throw usageFailure(
    `several switches have a socket in '${directory}': name one by --port, or by its path (${listNames(names)})`,
  );
}

function socketsIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^switch-.*\.sock$/.test(name))
      .sort();
  } catch {
    return [];
  }
}

function controlDirectory({ runtimeDirectory, temporaryDirectory, user }: ControlSystem): string {
  if (runtimeDirectory !== undefined && isAbsolute(runtimeDirectory)) return join(runtimeDirectory, 'xpass');
  return join(temporaryDirectory, `xpass-${user}`);
}
