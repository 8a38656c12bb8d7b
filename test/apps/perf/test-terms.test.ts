import { describe, expect, it } from 'vitest';
import { PERF_OPTIONS } from '../../../src/apps/perf/options.js';
import { testTerms } from '../../../src/apps/perf/test-terms.js';
import { resolveOptions } from '../../../src/apps/shared/options.js';

function termsOf(given: Record<string, string>) {
  const texts = Object.entries({ client: 'h', ...given }).map(([name, text]) => [name, [text]] as const);
  return testTerms(resolveOptions(PERF_OPTIONS, new Map(texts)), null, []);
}

describe('what a client asks for', () => {
  it('is ten seconds on one flow without options', () => {
    const { request, streams } = termsOf({});
    expect(request).toMatchObject({ direction: 'forward', flows: 1, durationNs: 10e9, bytes: null, omitNs: 0 });
    expect([request.pace, request.lengthBytes, streams]).toEqual([
      undefined,
      undefined,
      [{ socket: 5, isSender: true }],
    ]);
  });

  it('divides bytes and blocks among the flows', () => {
    expect(termsOf({ bytes: '10', parallel: '4' }).request.bytes).toBe(3);
    expect(termsOf({ blockcount: '10', length: '1K', parallel: '2' }).request.bytes).toBe(5_120);
  });

  it('takes the lowest of the rates, and bursts as blocks', () => {
    const { request } = termsOf({ bitrate: '10M/4', 'fq-rate': '5M', length: '1000' });
    expect(request.pace).toEqual({ rateBps: 5e6, burstBytes: 4_000 });
    expect(termsOf({ bitrate: '0' }).request.pace).toBeUndefined();
  });

  it('has small messages in an exchange, and streams of both directions with --bidir', () => {
    expect(termsOf({ rr: 'true' }).request).toMatchObject({ direction: 'exchange', lengthBytes: 64 });
    expect(termsOf({ bidir: 'true', parallel: '2' }).streams.map(({ socket, isSender }) => [socket, isSender])).toEqual(
      [
        [5, true],
        [7, true],
        [9, false],
        [11, false],
      ],
    );
  });

  it('names a credit algorithm to a server that receives, and keeps it when the client receives', () => {
    expect(termsOf({ congestion: 'naive' }).request.window).toBe('naive');
    expect(termsOf({ algorithm: 'naive', reverse: 'true' }).request.window).toBe('');
  });
});
