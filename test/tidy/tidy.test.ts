import { describe, expect, it } from 'vitest';
import { repositoryFiles } from './repository.js';
import * as rules from './rules.js';
import { hasRuntimeCode, noForbiddenSyntax, pureRoomsArePure } from './rules.js';

const files = repositoryFiles();

/** Joined, so that a failure prints each finding on a line of its own. */
const report = (findings: readonly string[]): string => findings.join('\n');

describe('the repository', () => {
  it.each<[string, rules.Rule]>([
    ['keeps clocks, timers, chance and the process out of the pure rooms', pureRoomsArePure],
    ['has no enum, default export or any', noForbiddenSyntax],
    ['has no source file of over 500 lines', rules.noLongFiles],
    ['has no comment wider than 160 characters', rules.noWideComments],
    ['has no unfinished work', rules.noUnfinishedWork],
    ['has no switched-off test', rules.noSwitchedOffTests],
    ['says why it skips a test', rules.skipsSayWhy],
    ['suppresses no check', rules.noSuppressions],
    ['cites only sections that the protocol has', rules.citedSectionsExist],
    ['holds nothing but the known entries at the top level', rules.topLevelIsTidy],
    ['has no link that leads nowhere', rules.linksResolve],
    ['has no trace of one machine or of a registry', rules.noTraceOfAMachine],
    ['numbers its decisions without a gap', rules.decisionsAreNumbered],
    ['tests every source', (all) => rules.testsMirrorSources(all, hasRuntimeCode)],
  ])('%s', (_, rule) => {
    expect(report(rule(files))).toBe('');
  });
});
