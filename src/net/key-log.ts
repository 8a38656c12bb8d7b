// Tested by test/net/key-log.test.ts
/** Key logs: what opens the sealed frames of a capture, as SSLKEYLOGFILE does for TLS. docs/CAPTURES.md */
import { closeSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { ConfigError } from '../base/config-error.js';
import { failureOf } from '../base/failure.js';
import { describeSystemError, isSystemError } from '../base/system-errors.js';
import { SECRET_BYTES } from '../udp/seal/direction-keys.js';
import type { AssociationSecret, OnSecret } from './keys.js';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
const LABEL = 'XPASS_ASSOCIATION';
const BITS_BYTES = 8;
/** 14 MB (ours): whoever answers many handshakes fills no disk. */
const MOST_LINES = 100_000;

const LINE = new RegExp(
  `^${LABEL} ([0-9a-f]{${2 * BITS_BYTES}}) ([0-9a-f]{${2 * BITS_BYTES}}) ([0-9a-f]{${2 * SECRET_BYTES}})$`,
);

/** Appends a line for each association. What goes wrong ends the log, not the process. */
export class KeyLog {
  private readonly path: string;
  private readonly onEnd: (sentence: string) => void;
  private fd: number;
  private lines = 0;

  /** Opens the file, which only its owner may read. Throws a Failure, and a ConfigError for a file that others may read. */
  constructor(path: string, onEnd: (sentence: string) => void, platform: NodeJS.Platform = process.platform) {
    this.path = path;
    this.onEnd = onEnd;
    try {
      this.fd = openSync(path, 'a', OWNER_ONLY);
    } catch (error) {
      throw failureOf(error, `key log '${path}'`) ?? error;
    }
    if (platform === 'win32' || (fstatSync(this.fd).mode & OTHERS) === 0) return;
    this.end(null);
    throw new ConfigError(`key log '${path}' can be read by others: run chmod 600 '${path}'`, ['keylog']);
  }

  readonly append: OnSecret = ({ ci, cr, secret }) => {
    if (this.fd < 0) return;
    const line = [LABEL, ...[ci, cr, secret].map((bytes) => Buffer.from(bytes).toString('hex'))].join(' ');
    try {
      writeSync(this.fd, `${line}\n`);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.end(describeSystemError(error, this.path).sentence);
      return;
    }
    if (++this.lines === MOST_LINES) this.end(`${this.path} has ${MOST_LINES} associations of this process`);
  };

  private end(sentence: string | null): void {
    closeSync(this.fd);
    this.fd = -1;
    if (sentence !== null) this.onEnd(sentence);
  }
}

/** The associations of a key log; several processes may have written it. Throws a Failure, and a ConfigError that names the line. */
export function readKeyLog(path: string): AssociationSecret[] {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    throw failureOf(error, `key log '${path}'`) ?? error;
  }
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }));
  return lines.filter(({ line }) => line !== '' && !line.startsWith('#')).map((each) => parseLine(each, path));
}

function parseLine({ line, number }: { line: string; number: number }, path: string): AssociationSecret {
  const match = LINE.exec(line);
  const form = `${LABEL}, ${2 * BITS_BYTES}, ${2 * BITS_BYTES} and ${2 * SECRET_BYTES} hexadecimal digits`;
  if (match === null) throw new ConfigError(`key log '${path}', line ${number}: allowed is ${form}`, ['keylog']);
  const [ci, cr, secret] = match.slice(1).map((hex) => new Uint8Array(Buffer.from(hex, 'hex')));
  return { ci, cr, secret };
}
