import { describe, expect, it } from 'vitest';
import { snakeCase } from '../../../src/apps/shared/json-names.js';

describe('names in JSON', () => {
  it('are in snake case at every depth, and codes of the system stay', () => {
    expect(snakeCase({ kernelDrops: 1, problems: { ECONNREFUSED: 2 }, inner: [{ maxNs: 3 }] })).toEqual({
      kernel_drops: 1,
      problems: { ECONNREFUSED: 2 },
      inner: [{ max_ns: 3 }],
    });
  });

  it('stand beside null where a number is none that JSON has', () => {
    expect(
      snakeCase({
        kernelDrops: null,
        classes: [
          [1, 2],
          [Number.POSITIVE_INFINITY, 3],
        ],
      }),
    ).toEqual({
      kernel_drops: null,
      classes: [
        [1, 2],
        [null, 3],
      ],
    });
  });
});
