import { describe, expect, it } from 'vitest';
import * as rules from './rules.js';

const file = (path: string, ...lines: string[]): rules.TextFile => ({ path, text: lines.join('\n') });
const protocol = file('docs/PROTOCOL.md', '# Protocol', '## §1 Model', '### §1.2 Host ids', '## §10 Limits');

// The bad examples are put together from pieces, because the rules read this file too.
const section = '§';

describe('noLongFiles', () => {
  it('finds a source of 501 lines and lets one of 500 pass', () => {
    const lines = (count: number) => Array.from({ length: count }, () => 'x');
    expect(rules.noLongFiles([file('src/a.ts', ...lines(501))])).toEqual([
      'src/a.ts:501: a source file has at most 500 lines',
    ]);
    expect(rules.noLongFiles([file('src/a.ts', ...lines(500), '')])).toEqual([]);
  });

  it('leaves documents and tables alone', () => {
    expect(rules.noLongFiles([file('docs/A.md', '\n'.repeat(600))])).toEqual([]);
  });
});

describe('noWideComments', () => {
  it('finds a comment of 161 characters, and leaves code and comments of 160 alone', () => {
    const wide = (start: string, length: number) => start + 'x'.repeat(length - start.length);
    const [good, bad] = [160, 161].map((length) => ['// ', ' * ', '/** '].map((start) => wide(start, length)));
    expect(rules.noWideComments([file('src/a.ts', ...bad!)])).toHaveLength(3);
    expect(rules.noWideComments([file('src/a.ts', ...good!, wide('const a = ', 300))])).toEqual([]);
  });
});

describe('noUnfinishedWork', () => {
  it.each([
    ['TO', 'DO'],
    ['FIX', 'ME'],
    ['XX', 'X'],
    ['HA', 'CK'],
  ])('finds %s%s', (start, end) => {
    expect(rules.noUnfinishedWork([file('src/a.ts', 'code', `// ${start}${end}: later`)])).toEqual([
      `src/a.ts:2: unfinished work: ${start}${end}`,
    ]);
  });
});

describe('noSwitchedOffTests', () => {
  it.each(['it', 'test', 'describe', 'it.concurrent'])('finds a switched-off %s', (name) => {
    for (const off of ['skip', 'only', 'todo']) {
      expect(rules.noSwitchedOffTests([file('test/a.test.ts', `${name}.${off}('x')`)])).toHaveLength(1);
    }
  });

  it('lets a test with a condition pass', () => {
    expect(rules.noSwitchedOffTests([file('test/a.test.ts', "skip(noIpv6, 'no IPv6')")])).toEqual([]);
  });
});

describe('skipsSayWhy', () => {
  it.each(['it', 'describe'])('finds a %s with a condition and no reason', (name) => {
    for (const part of ['skip', 'run']) {
      expect(rules.skipsSayWhy([file('test/a.test.ts', `${name}.${part}If(noIpv6)('x')`)])).toHaveLength(1);
    }
  });

  it('lets a reason pass', () => {
    expect(rules.skipsSayWhy([file('test/a.test.ts', "skip(noIpv6, 'no IPv6')")])).toEqual([]);
  });
});

describe('noSuppressions', () => {
  it.each([
    ['biome', 'ignore'],
    ['@ts', 'ignore'],
    ['@ts', 'nocheck'],
    ['eslint', 'disable'],
  ])('finds %s-%s', (a, b) => {
    expect(rules.noSuppressions([file('bin/a.mjs', `// ${a}-${b}`)])).toEqual([
      `bin/a.mjs:1: suppressed check: ${a}-${b}`,
    ]);
  });
});

describe('noTraceOfAMachine', () => {
  it.each(['work', 'root', 'home'])('finds a path under %s', (folder) => {
    expect(rules.noTraceOfAMachine([file('docs/A.md', `in \`/${folder}/me\``)])).toHaveLength(1);
  });

  it('lets the same name inside another path or an address pass', () => {
    expect(rules.noTraceOfAMachine([file('docs/A.md', 'src/work/x https://example.org/home/x')])).toEqual([]);
  });

  it('finds the address of a registry', () => {
    expect(
      rules.noTraceOfAMachine([file('package-lock.json', ['https://registry', 'npmjs', 'org/x'].join('.'))]),
    ).toHaveLength(1);
  });
});

describe('citedSectionsExist', () => {
  it('finds a section that is not there, alone or in a list', () => {
    expect(rules.citedSectionsExist([protocol, file('src/a.ts', `PROTOCOL ${section}2`)])).toEqual([
      'src/a.ts:1: docs/PROTOCOL.md has no section §2',
    ]);
    expect(rules.citedSectionsExist([protocol, file('src/a.ts', `PROTOCOL ${section}1, ${section}1.3.`)])).toHaveLength(
      1,
    );
  });

  it('takes §1 for something else than §1.2 and §10', () => {
    const only10 = file('docs/PROTOCOL.md', '## §10 Limits');
    expect(rules.citedSectionsExist([only10, file('src/a.ts', `PROTOCOL ${section}1.`)])).toHaveLength(1);
    expect(rules.citedSectionsExist([protocol, file('src/a.ts', `PROTOCOL ${section}1.2 and ${section}10.`)])).toEqual(
      [],
    );
  });

  it('needs no specification while nothing cites it', () => {
    expect(rules.citedSectionsExist([file('src/a.ts', 'code')])).toEqual([]);
    expect(rules.citedSectionsExist([file('src/a.ts', `PROTOCOL ${section}1`)])).toHaveLength(1);
  });
});

describe('testsMirrorSources', () => {
  const check = (...files: rules.TextFile[]) => rules.testsMirrorSources(files, ({ text }) => text.includes('code'));

  it('finds a source without a test', () => {
    expect(check(file('src/core/a.ts', 'code'))).toEqual([
      'src/core/a.ts:1: neither test/core/a.test.ts exists nor does a line "Tested by test/....test.ts" name a test',
    ]);
  });

  it('is content with a test at the same place, with a named one, and with types alone', () => {
    expect(check(file('src/core/a.ts', 'code'), file('test/core/a.test.ts'))).toEqual([]);
    expect(check(file('src/core/a.ts', '// Tested by test/b.test.ts', 'code'), file('test/b.test.ts'))).toEqual([]);
    expect(check(file('src/core/a.ts', 'types'))).toEqual([]);
  });

  it('finds a named test that does not exist', () => {
    expect(check(file('src/a.ts', '// Tested by test/b.test.ts', 'code'))).toEqual([
      'src/a.ts:1: test/b.test.ts does not exist',
    ]);
  });

  it('reads the first fifteen lines only', () => {
    const late = [...Array.from({ length: 15 }, () => ''), '// Tested by test/b.test.ts', 'code'];
    expect(check(file('src/a.ts', ...late), file('test/b.test.ts'))).toHaveLength(1);
  });
});

describe('topLevelIsTidy', () => {
  it('finds a stranger and knows the residents', () => {
    const known = ['package.json', 'src/a/b.ts', '.ci/run', 'README.md', 'LICENSE', 'docs/A.md'].map((path) =>
      file(path),
    );
    expect(rules.topLevelIsTidy([...known, file('notes.txt'), file('scripts/x.sh')])).toEqual([
      'notes.txt:1: has no place at the top level',
      'scripts/x.sh:1: has no place at the top level',
    ]);
  });
});

describe('linksResolve', () => {
  const check = (...lines: string[]) => rules.linksResolve([file('docs/A.md', ...lines), file('src/core/b.ts')]);

  it('finds a link to nothing', () => {
    expect(check('text', '[x](missing.md#part)')).toEqual(['docs/A.md:2: the link missing.md#part leads nowhere']);
    expect(check('[x]: ../src/c.ts')).toHaveLength(1);
  });

  it('accepts files, folders, anchors, addresses and what stands in code', () => {
    expect(check('[a](../src/core/b.ts) [b](../src/core/) [c](#part) [d](https://example.org) `[e](f)`')).toEqual([]);
    expect(check('```', '[e](f)', '```')).toEqual([]);
  });
});

describe('decisionsAreNumbered', () => {
  const check = (...names: string[]) => rules.decisionsAreNumbered(names.map((name) => file(`docs/decisions/${name}`)));

  it('finds a gap, a number given twice and a bad name', () => {
    expect(check('0001-one.md', '0003-three.md')).toEqual(['docs/decisions/0003-three.md:1: should be number 0002']);
    expect(check('0001-one.md', '0001-two.md')).toHaveLength(1);
    expect(check('1-One.md')).toHaveLength(1);
  });

  it('accepts consecutive numbers', () => {
    expect(check('0001-one.md', '0002-two-things.md')).toEqual([]);
  });
});
