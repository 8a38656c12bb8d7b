import { expect, it } from 'vitest';
import { Frame } from '../../src/wire/frame.js';
import { KeptViews } from '../../src/wire/kept-views.js';

/** As a driver has it whose datagrams lie at fixed places of one memory. */
const memory = new Uint8Array(4_096);
const datagram = (at: number) => memory.subarray(at, at + 1_024);

it('gives the same view for the same part of the same array, and sees what is in it now', () => {
  const views = new KeptViews();
  const bytes = datagram(64);
  const view = views.of(bytes, 10, 100);
  bytes[10] = 7;
  expect(views.of(bytes, 10, 100)).toBe(view);
  expect([view.byteOffset, view.length, view[0]]).toEqual([74, 100, 7]);
});

it('gives another view for another part, and for another array at the same place', () => {
  const views = new KeptViews();
  const bytes = datagram(0);
  for (const [at, length] of [
    [10, 100],
    [10, 101],
    [11, 101],
    [10, 100],
  ] as const) {
    const view = views.of(bytes, at, length);
    expect([view.byteOffset, view.length]).toEqual([at, length]);
  }
  const other = new Uint8Array(1_024).fill(9);
  expect(views.of(other, 10, 100)[0]).toBe(9);
});

it('is what a frame gives parts of itself by, where its driver keeps views', () => {
  const frame = new Frame(datagram(128));
  expect(frame.part(22, 50)).not.toBe(frame.part(22, 50));
  frame.views = new KeptViews();
  expect(frame.part(22, 50)).toBe(frame.part(22, 50));
  expect(frame.part(22, 50).byteOffset).toBe(150);
});
