import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExplicitRate } from '../../../src/switch/explicit-rate.js';
import { encodeCredit } from '../../../src/wire/encode.js';
import { Frame } from '../../../src/wire/frame.js';
import { MAX_HOP_LIMIT } from '../../../src/wire/layout.js';
import { codeOfRate, MAX_RATE_CODE, rateOfCode } from '../../../src/wire/rate-code.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';
import { ModelOffer } from './model-offer.js';

allowLongRuns();

const LINK_BPS = 1e10;
const BYTES_PER_CREDIT = 1626;
const HOP = 2;
const HEADER = { source: 1, destination: 2, flowId: 3, hopLimit: MAX_HOP_LIMIT };

const frame = new Frame(new Uint8Array(64));
frame.hopLimit = MAX_HOP_LIMIT - HOP;

/** Of flows that take what is offered (code 0 here), of any rate, and of rates of some Mbit/s and Gbit/s, as flows of such a link have. */
const anyCode = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: MAX_RATE_CODE }),
  fc.integer({ min: codeOfRate(1e7), max: codeOfRate(1e10) }),
);
const anyFlow = fc.record({ code: anyCode, hop: fc.constantFrom(HOP, 0, 3, 15) });
const anyRun = fc.record({
  flows: fc.array(anyFlow, { minLength: 1, maxLength: 40 }),
  gapsNs: fc.array(fc.double({ min: 1, max: 5000, noNaN: true }), { minLength: 100, maxLength: 1000 }),
});

describe('the offer of the model', () => {
  it('is that of a port, whatever flows say and however credits come', () => {
    let changes = 0;
    holds(anyRun, 200, ({ flows, gapsNs }) => {
      const port = new ExplicitRate(LINK_BPS, 8 * BYTES_PER_CREDIT, 8);
      const model = new ModelOffer(LINK_BPS, BYTES_PER_CREDIT);
      let nowNs = 0;
      for (const [index, gapNs] of gapsNs.entries()) {
        nowNs += gapNs;
        const { code, hop } = flows[index % flows.length];
        const rateCode = code === 0 ? codeOfRate(port.rateBps) : code;
        frame.length = encodeCredit(
          frame.bytes,
          HEADER,
          { sequence: index, pathId: 0, paddingBytes: 2, rateCode, hop },
          null,
        );
        const before = port.rateBps;
        port.count(frame, nowNs);
        model.count(rateOfCode(rateCode), hop === HOP, nowNs);
        expect(Math.abs(model.offeredBps / port.rateBps - 1)).toBeLessThan(1e-9);
        if (port.rateBps !== before) changes++;
      }
    });
    expect(changes).toBeGreaterThan(200);
  });
});
