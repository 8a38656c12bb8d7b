import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/services/file/fault.js';
import { NO_OFFER, parseFileOffer, parseFileQuery } from '../../../src/services/file/file-offer.js';

const sha256 = 'a'.repeat(64);
const offer = (points: unknown, existing: unknown = null) => ({ kind: 'file-offer', existing, points });

describe('the question for a file', () => {
  it('is taken with what it needs, and only that', () => {
    const query = { kind: 'file-query', name: 'a', bytes: 5 };
    expect(parseFileQuery({ ...query, later: true })).toEqual(query);
  });

  it.each([
    [{ kind: 'file', name: 'a', bytes: 5 }, 'unsupported'],
    [{ kind: 'file-query', name: '../a', bytes: 5 }, 'badName'],
    [{ kind: 'file-query', name: 'a', bytes: -5 }, 'badMessage'],
  ])('%j is refused as %s', (message, code) => expect(parseFileQuery(message)).toMatchObject({ code }));
});

describe('the offer', () => {
  it('is taken with what it needs, and only that', () => {
    const points = [
      { offset: 1, sha256 },
      { offset: 2, sha256 },
    ];
    expect(
      parseFileOffer({
        ...offer(
          points.map((point) => ({ ...point, later: 1 })),
          sha256,
        ),
        later: 2,
      }),
    ).toEqual(offer(points, sha256));
    expect(parseFileOffer({ kind: 'file-offer' })).toEqual(NO_OFFER);
  });

  it.each([
    offer('points'),
    offer([null]),
    offer([{ offset: 0, sha256 }]),
    offer([{ offset: 1.5, sha256 }]),
    offer([{ offset: 1, sha256: 'b' }]),
    offer([
      { offset: 2, sha256 },
      { offset: 2, sha256 },
    ]),
    offer(Array.from({ length: 65 }, (_, at) => ({ offset: at + 1, sha256 }))),
    offer([], 'b'),
    { kind: 'verdict' },
  ])('%# makes no sense', (message) => expect(parseFileOffer(message)).toBeInstanceOf(Fault));
});
