import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  failedResult,
  failureSentence,
  reportResults,
  skippedResult,
  verdictResult,
} from '../../../src/apps/send/report.js';
import { Results } from '../../../src/apps/shared/results.js';
import { Fault } from '../../../src/services/file/fault.js';
import type { FileHeader } from '../../../src/services/file/file-header.js';
import { badVerdict, goodVerdict } from '../../../src/services/file/verdict.js';
import { said } from '../../harness/said.js';

const HEADER: FileHeader = {
  kind: 'file',
  name: 'a.bin',
  bytes: 1_250_000,
  mode: 0o644,
  offset: 0,
  prefixSha256: null,
};
const SHA256 = 'ab'.repeat(32);
const FILES = [
  verdictResult(HEADER, goodVerdict('complete', SHA256), { durationNs: 1e8, lostFrames: 7 }),
  verdictResult(HEADER, badVerdict(new Fault('badDigest', 'wrong'), SHA256), { durationNs: 1e8, lostFrames: 7 }),
  failedResult(HEADER, 'idle', 'the peer is lost'),
];

const LEFT_OUT = { links: 3, devices: 0, sockets: 1, pipes: 0 };
const OTHERS = '2 folders\nleft out: 3 links, 1 socket\n';

function reported(isJson: boolean, files = FILES): string {
  const stream = new PassThrough();
  reportResults(new Results(stream), { files, foldersMade: 2, leftOut: LEFT_OUT }, isJson);
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
          skipped: false,
          resumed_at: 0,
          sent_bytes: 1_250_000,
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
          skipped: false,
          resumed_at: 0,
          sent_bytes: 0,
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
          skipped: false,
          resumed_at: 0,
          sent_bytes: 0,
          code: 'idle',
          message: 'the peer is lost',
          duration_s: null,
          goodput_bps: null,
          data_lost_frames: 0,
        },
      ],
      summary: {
        files_sent: 1,
        files_resumed: 0,
        files_skipped: 0,
        files_failed: 2,
        sent_bytes: 1_250_000,
        folders_made: 2,
        files_unlisted: 0,
        left_out: LEFT_OUT,
      },
    });
  });

  it('says what was resumed, where, and what was skipped', () => {
    const resumed = { ...HEADER, offset: 1_000_000, prefixSha256: SHA256 };
    const files = [
      verdictResult(resumed, goodVerdict('complete', SHA256), { durationNs: 1e8, lostFrames: 0 }),
      skippedResult(HEADER, SHA256),
    ];
    expect(reported(false, files)).toBe(
      "sent 'a.bin' (1.192 MiB, resumed at 976.6 KiB) in 100.0 ms, 20.00 Mbit/s, SHA-256 verified by the receiver\n" +
        "skipped 'a.bin' (1.192 MiB): the receiver has it already, SHA-256 verified\n" +
        '1 file sent (1 of them resumed), 1 skipped, 0 failed; 244.1 KiB sent\n' +
        OTHERS,
    );
    const { files: documents, summary } = JSON.parse(reported(true, files));
    expect(documents[0]).toMatchObject({
      skipped: false,
      resumed_at: 1_000_000,
      sent_bytes: 250_000,
      goodput_bps: 2e7,
    });
    expect(documents[1]).toMatchObject({ skipped: true, verified: true, sent_bytes: 0, goodput_bps: null });
    expect(summary).toMatchObject({ files_sent: 1, files_resumed: 1, files_skipped: 1, sent_bytes: 250_000 });
  });

  it('is a line for each verified file for people', () => {
    expect(reported(false)).toBe(
      "sent 'a.bin' (1.192 MiB) in 100.0 ms, 100.0 Mbit/s, SHA-256 verified by the receiver, 7 data frames lost and sent again\n" +
        '1 file sent, 0 skipped, 2 failed; 1.192 MiB sent\n' +
        OTHERS,
    );
  });

  it('names the first ten of many failures, and counts of many files', () => {
    const many = Array.from({ length: 30 }, (_, at) => failedResult(HEADER, 'failed', `no ${at}`));
    expect(failureSentence(many, 40)).toMatch(/^30 of 40 failed: no 0; .*; no 9; and 20 more$/);
    expect(reported(false, Array(30).fill(FILES[0]))).toMatch(/^30 files sent/);
  });
});
