import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ControlSystem,
  defaultControlPath,
  findControlPath,
  prepareControlDirectory,
  thisSystem,
} from '../../../src/services/control/default-path.js';

let scratch = '';
let system: ControlSystem;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'xpass-path-'));
  system = { ...thisSystem(), platform: 'linux', runtimeDirectory: undefined, temporaryDirectory: scratch };
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const directory = (): string => join(scratch, `xpass-${system.user}`);

describe('the default path of a control', () => {
  it('lies in the runtime directory of the user, or else in an own one among the temporary files', () => {
    expect(defaultControlPath(28_500, { ...system, runtimeDirectory: '/run/user/7' })).toBe(
      '/run/user/7/xpass/switch-28500.sock',
    );
    expect(defaultControlPath(28_500, { ...system, runtimeDirectory: 'relative' })).toBe(
      join(directory(), 'switch-28500.sock'),
    );
    expect(defaultControlPath(5, system, '77')).toBe(join(directory(), 'switch-5-77.sock'));
    expect(defaultControlPath(5, { ...system, platform: 'win32', user: 'ann' })).toBe(
      String.raw`\\.\pipe\xpass-ann-switch-5`,
    );
  });

  it('is in a directory that is made for the user alone', () => {
    prepareControlDirectory(system);
    prepareControlDirectory(system);
    expect(statSync(directory()).mode & 0o777).toBe(0o700);
  });

  it('is not used where others may write or read, or where something else stands', () => {
    mkdirSync(directory());
    chmodSync(directory(), 0o755);
    expect(() => prepareControlDirectory(system)).toThrow('has to be a directory of this user with mode 0700');
    expect(() => findControlPath(5, system)).toThrow('mode 0700');
    rmSync(directory(), { recursive: true });
    const other = join(scratch, 'other');
    mkdirSync(other, { mode: 0o700 });
    symlinkSync(other, directory());
    expect(() => prepareControlDirectory(system)).toThrow('has to be a directory');
    expect(() => findControlPath(5, { ...system, user: '4294967295', temporaryDirectory: scratch })).not.toThrow();
  });

  it('is that of the only switch, or of the port', () => {
    expect(findControlPath(undefined, system)).toBe(defaultControlPath(28_500, system));
    prepareControlDirectory(system);
    writeFileSync(join(directory(), 'switch-9.sock'), '');
    expect(findControlPath(undefined, system)).toBe(defaultControlPath(9, system));
    expect(findControlPath(5, system)).toBe(defaultControlPath(5, system));
    writeFileSync(join(directory(), 'switch-10.sock'), '');
    expect(() => findControlPath(undefined, system)).toThrow(
      `several switches have a socket in '${directory()}': name one by --port, or by its path (switch-10.sock, switch-9.sock)`,
    );
    writeFileSync(join(directory(), 'switch-28500.sock'), '');
    expect(findControlPath(undefined, system)).toBe(defaultControlPath(28_500, system));
  });
});
