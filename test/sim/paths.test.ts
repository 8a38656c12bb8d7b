import { describe, expect, it } from 'vitest';
import { Paths } from '../../src/sim/paths.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';

function names(topology: string, from: number, to: number): string[] {
  return new Paths(builtinTopology(topology)).between(from, to).map(({ name }) => name);
}

describe('paths', () => {
  it('lead from link to link', () => {
    expect(names('dumbbell', 1, 5)).toEqual(['h1', 'left-right', 'h5']);
    expect(names('dumbbell', 5, 1)).toEqual(['h5', 'left-right', 'h1']);
    expect(names('dumbbell', 1, 2)).toEqual(['h1', 'h2']);
  });

  it('are shortest ones', () => {
    expect(names('leaf-spine', 1, 2)).toEqual(['h1', 'h2']);
    expect(names('leaf-spine', 1, 16)).toEqual(['h1', 'leaf1-spine1', 'leaf4-spine1', 'h16']);
    expect(names('parking-lot', 1, 2)).toEqual(['h1', 's1-s2', 's2-s3', 'h2']);
  });
});
