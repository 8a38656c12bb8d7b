import type { PassThrough } from 'node:stream';

/** All that was written to a stream since the last call. `read()` gives one chunk at a time on Node.js 26. */
export function said(stream: PassThrough): string {
  const chunks: Buffer[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
