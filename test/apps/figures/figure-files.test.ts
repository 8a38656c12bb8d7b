import { expect, it } from 'vitest';
import { figureEntry, figureFiles, pageFiles, scenarioFiles } from '../../../src/apps/figures/figure-files.js';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import { parseScenarioFile } from '../../../src/scenario/scenario-file.js';
import { TINY } from './tiny-figure.js';

const GROUP = { name: 'tiny', title: 'Tiny figures', figures: [TINY] };

const OUTCOME = {
  charts: [
    { key: '', chart: {} as never },
    { key: 'two', chart: {} as never },
  ],
  rows: [],
  tables: [
    {
      key: 'numbers',
      titles: ['a', 'b'],
      rows: [
        [1, 'x,y'],
        [null, 'z'],
      ],
    },
  ],
};

it('names files by the figure and their key', () => {
  const files = figureFiles(TINY, OUTCOME, ['<svg>1</svg>', '<svg>2</svg>']);
  expect([...files]).toEqual([
    ['tiny.svg', '<svg>1</svg>\n'],
    ['tiny-two.svg', '<svg>2</svg>\n'],
    ['tiny-numbers.csv', 'a,b\n1,"x,y"\n,z\n'],
  ]);
});

it('writes scenario files that mean the jobs', async () => {
  const jobs = TINY.jobs('quick');
  const files = [...(await scenarioFiles(TINY, jobs))];
  expect(files.map(([name]) => name)).toEqual(['tiny-one.yaml', 'tiny-slow.yaml']);
  for (const [at, [name, text]] of files.entries()) {
    const scenario = await (await parseScenarioFile(name, text)).scenario();
    expect(scenario).toEqual(parseScenario({ ...jobs[at].document, name: name.replace('.yaml', '') }));
  }
});

it('says on the page which profile it is, and how to make a figure again', () => {
  const entry = figureEntry(TINY, { ...OUTCOME, charts: [] }, 'paper');
  expect(entry.what).toBe('Nowhere.\n\nWhat is shown, in the paper profile.');
  expect(entry.command).toBe('xpass figures tiny --profile paper');
  expect(pageFiles(GROUP, [entry], 'paper').get('results.md')).toContain('This is the paper profile');
  expect(pageFiles(GROUP, [entry], 'quick').get('index.html')).toContain('This is the quick profile');
});
