import { expect, it } from 'vitest';
import { commandLine } from '../../../src/report/output/command-line.js';

it('writes what a shell takes as it was meant', () => {
  expect(commandLine('lab.yaml', {})).toBe('xpass sim lab.yaml');
  expect(commandLine('my lab.yaml', { sets: ["flows=[{ from: 'a' }]", 'seed=3'], seed: 0 }, 'lab')).toBe(
    "xpass lab 'my lab.yaml' --set 'flows=[{ from: '\\''a'\\'' }]' --set seed=3 --seed 0",
  );
});
