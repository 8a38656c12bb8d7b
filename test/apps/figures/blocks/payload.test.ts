import { expect, it } from 'vitest';
import { dataBps, PAYLOAD_BYTES, payloadBps, wireBps } from '../../../../src/apps/figures/blocks/payload.js';

it('knows what of a link is data, and what of that is payload', () => {
  expect(PAYLOAD_BYTES).toBe(1446);
  expect(dataBps(10e9)).toBeCloseTo((10e9 * 1538) / 1626, 0);
  expect(payloadBps(10e9)).toBeCloseTo((10e9 * 1446) / 1626, 0);
  expect(wireBps(payloadBps(10e9))).toBeCloseTo(dataBps(10e9), 0);
});
