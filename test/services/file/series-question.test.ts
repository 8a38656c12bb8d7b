import { expect, it } from 'vitest';
import { Fault } from '../../../src/services/file/fault.js';
import { encodeMessage, MAX_MESSAGE_BYTES } from '../../../src/services/file/message.js';
import {
  filesOffer,
  filesQuery,
  MOST_ASKED,
  parseFilesOffer,
  parseFilesQuery,
  questionsOf,
} from '../../../src/services/file/series-question.js';

const SHA256 = '0a'.repeat(32);

it('is read back, and a file that makes no sense is asked about in vain', () => {
  const files = [{ name: 'a/b', bytes: 3 }];
  expect(parseFilesQuery(filesQuery(files))).toEqual(files);
  const odd = { kind: 'files-query', files: [['../a', 1], ['a', -1], 'a', null, ['c', 0, 'more']] };
  expect(parseFilesQuery(odd)).toEqual([null, null, null, null, { name: 'c', bytes: 0 }]);
  for (const bad of [undefined, {}, [], 'a', Array.from({ length: MOST_ASKED + 1 }, () => ['a', 1])]) {
    expect(parseFilesQuery({ kind: 'files-query', files: bad })).toBeInstanceOf(Fault);
  }
});

it('believes an offer of as many hashes as it asked for', () => {
  expect(parseFilesOffer(filesOffer([SHA256, null]), 2)).toEqual([SHA256, null]);
  for (const existing of [[SHA256], [SHA256, 'a'], [SHA256, 1], {}, null]) {
    expect(parseFilesOffer({ kind: 'files-offer', existing }, 2)).toBeInstanceOf(Fault);
  }
});

it('splits files into questions that are messages, whatever their names are', () => {
  const names = [
    ...Array.from({ length: 600 }, (_, at) => `${at}`),
    ...Array.from({ length: 40 }, () => '"\\'.repeat(1_000)),
  ];
  const files = names.map((name) => ({ name, bytes: Number.MAX_SAFE_INTEGER }));
  const questions = [...questionsOf(files)];
  expect(questions.flat()).toEqual(files);
  for (const question of questions) {
    expect(question.length).toBeLessThanOrEqual(MOST_ASKED);
    expect(encodeMessage(filesQuery(question)).length).toBeLessThan(MAX_MESSAGE_BYTES);
  }
  expect(questions.length).toBeLessThan(20);
});
