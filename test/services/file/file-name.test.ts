import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fileNameProblem,
  localNameProblem,
  MAX_NAME_BYTES,
  pathNameProblem,
  temporaryName,
} from '../../../src/services/file/file-name.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

describe('a file name from the network', () => {
  it.each(['a', 'big.iso', 'Grüße 文件 🎉.txt', 'a..b', 'a.', '-rf', 'C:', '~', 'x'.repeat(255), 'a\u0301'])(
    'may be %j',
    (name) => {
      expect(fileNameProblem(name)).toBeNull();
    },
  );

  it.each([
    ['', 'is empty'],
    ['..', 'begins with a dot'],
    ['.', 'begins with a dot'],
    ['.bashrc', 'begins with a dot'],
    ['.a.0123456789ab.part', 'begins with a dot'],
    ['/etc/passwd', 'has a path separator'],
    ['a/b', 'has a path separator'],
    ['../a', 'has a path separator'],
    ['a\\b', 'has a path separator'],
    ['a\0b', 'has a control character'],
    ['a\nb', 'has a control character'],
    ['a\u001b[2J', 'has a control character'],
    ['a\u007f', 'has a control character'],
    ['a\u009b', 'has a control character'],
    ['photo\u202egpj.exe', 'has a control character'],
    ['half\ud800', 'has a control character'],
    ['x'.repeat(256), 'has 256 bytes, more than 255'],
    ['ü'.repeat(128), 'has 256 bytes, more than 255'],
  ])('may not be %j: it %s', (name, problem) => {
    expect(fileNameProblem(name)).toBe(problem);
  });

  it('that is taken names a file directly in the directory, and one that is stored as it was written', () => {
    const directory = '/srv/incoming';
    holds(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', '\0', ' ') })),
      5000,
      (name) => {
        if (fileNameProblem(name) !== null) return;
        expect(resolve(directory, name)).toBe(`${directory}/${name}`);
        expect(join(directory, name)).toBe(`${directory}/${name}`);
        expect(Buffer.from(name).toString()).toBe(name);
      },
    );
  });
});

describe('a name that a file cannot have on Windows', () => {
  const DEVICES = ['CON', 'nul', 'com1', 'COM1.txt', 'Aux.tar.gz', 'lpt\u00b2', 'prn ', 'nul .txt', 'CONIN$'];
  const FORBIDDEN = ['a:b', 'C:', 'a?', 'a*', '<a>', 'a|b', '"a"', 'a.', 'a ', '...a. .'];

  it.each([...DEVICES, ...FORBIDDEN])('%j is refused there, and there alone', (name) => {
    expect(localNameProblem(name, 'win32')).toMatch(/Windows/);
    expect(localNameProblem(name, 'linux')).toBeNull();
  });

  it.each(['a', 'console', 'com', 'com10', 'a.con', 'nulls.txt', 'big file.iso', 'a..b'])('%j is none', (name) => {
    expect(localNameProblem(name, 'win32')).toBeNull();
  });
});

describe('a temporary name', () => {
  it('is hidden, tells whose it is and cannot be sent by anybody', () => {
    expect(temporaryName('big.iso', '0123456789ab')).toBe('.big.iso.0123456789ab.part');
    expect(fileNameProblem(temporaryName('big.iso', '0123456789ab'))).not.toBeNull();
  });

  it('fits however long the name is, cut between characters', () => {
    holds(fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }), 500, (name) => {
      if (fileNameProblem(name) !== null) return;
      const temporary = temporaryName(name, '0123456789ab');
      expect(Buffer.byteLength(temporary)).toBeLessThanOrEqual(MAX_NAME_BYTES);
      expect(Buffer.from(temporary).toString()).toBe(temporary);
    });
    expect(Buffer.byteLength(temporaryName('x'.repeat(255), '0123456789ab'))).toBe(MAX_NAME_BYTES);
  });
});

describe('a relative name', () => {
  it.each(['a', 'a/b', 'a/.gitignore', `${'a/'.repeat(64)}b`])('%s is taken', (name) => {
    expect(pathNameProblem(name)).toBeNull();
  });

  it.each([
    '',
    '/a',
    'a/',
    'a//b',
    '..',
    '../a',
    'a/../b',
    'a/..',
    'a/./b',
    '.a/b',
    'a\\b',
    'a/b\0',
    'a/.b.tag.part',
    `${'a/'.repeat(65)}b`,
    `${'a/'.repeat(1_000)}b`,
    `a/${'b'.repeat(256)}`,
  ])('%j is not', (name) => {
    expect(pathNameProblem(name)).not.toBeNull();
  });

  it('has an unfinished file of its own in each folder', () => {
    expect(temporaryName('a/x', 't')).not.toBe(temporaryName('b/x', 't'));
    expect(temporaryName('a/x', 't')).toMatch(/^\.[0-9a-f]{12}-x\.t\.part$/);
  });
});
