import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { failedResult, reportResults, verdictResult } from '../../../src/apps/send/report.js';
import { Results } from '../../../src/apps/shared/results.js';
import { Fault } from '../../../src/services/file/fault.js';
import type { FileHeader } from '../../../src/services/file/file-header.js';
import { badVerdict, goodVerdict } from '../../../src/services/file/verdict.js';
import { said } from '../../harness/said.js';

const HEADER: FileHeader = { kind: 'file', name: 'a.bin', bytes: 1_250_000, mode: 0o644 };
const SHA256 = 'ab'.repeat(32);
const FILES = [
  verdictResult(HEADER, goodVerdict('complete', SHA256), { durationNs: 1e8, lostFrames: 7 }),
  verdictResult(HEADER, badVerdict(new Fault('badDigest', 'wrong'), SHA256), { durationNs: 1e8, lostFrames: 7 }),
  failedResult(HEADER, 'idle', 'the peer is lost'),
];

function reported(isJson: boolean): string {
  const stream = new PassThrough();
  reportResults(new Results(stream), FILES, isJson);
  return said(stream);
}

describe('what became of the files', () => {
  it('is one JSON object for a program', () => {
    expect(JSON.parse(reported(true))).toEqual({
      files: [
        {
          name: 'a.bin',
          bytes: 1_250_000,
          sha256: SHA256,
          verified: true,
          code: 'ok',
          message: 'complete',
          duration_s: 0.1,
          goodput_bps: 1e8,
          data_lost_frames: 7,
        },
        {
          name: 'a.bin',
          bytes: 1_250_000,
          sha256: null,
          verified: false,
          code: 'badDigest',
          message: 'wrong',
          duration_s: null,
          goodput_bps: null,
          data_lost_frames: 7,
        },
        {
          name: 'a.bin',
          bytes: 1_250_000,
          sha256: null,
          verified: false,
          code: 'idle',
          message: 'the peer is lost',
          duration_s: null,
          goodput_bps: null,
          data_lost_frames: 0,
        },
      ],
    });
  });

  it('is a line for each verified file for people', () => {
    expect(reported(false)).toBe(
      "sent 'a.bin' (1.192 MiB) in 100.0 ms, 100.0 Mbit/s, SHA-256 verified by the receiver, 7 data frames lost and sent again\n",
    );
  });
});
