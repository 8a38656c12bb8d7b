// The least that a Node.js program needs for a folder of small files, for deploy/files-bench.sh: node:net without credits, frames, keys or resuming. Both ends
// hash each file (SHA-256), and it gets its name when the hash is right, as `xpass send` and `xpass daemon --unsynced` do it.
// node deploy/measurements/bare-files.mjs receive PORT FOLDER [HOST]
// node deploy/measurements/bare-files.mjs send PORT FOLDER [HOST]
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';

const [, , role, port, folder, host = '127.0.0.1'] = process.argv;
/** A connection that is silent for longer has failed. */
const SILENCE_MS = 30_000;
const LENGTH_BYTES = 4;

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** A file's bytes arrive in pieces; `push` returns the offset behind those of this file. */
class IncomingFile {
  constructor({ name, bytes, digest }) {
    this.path = join(folder, name);
    this.digest = digest;
    this.bytes = Buffer.allocUnsafe(bytes);
    this.filled = 0;
  }

  get isWhole() {
    return this.filled === this.bytes.length;
  }

  push(chunk, at) {
    const count = chunk.copy(this.bytes, this.filled, at);
    this.filled += count;
    return at + count;
  }

  publish() {
    if (sha256(this.bytes) !== this.digest) throw new Error(`${this.path} arrived with another SHA-256`);
    const temporary = `${this.path}.part`;
    fs.mkdirSync(dirname(this.path), { recursive: true });
    const fd = fs.openSync(temporary, 'wx', 0o600);
    fs.writeSync(fd, this.bytes);
    fs.fchmodSync(fd, 0o644);
    fs.closeSync(fd);
    fs.linkSync(temporary, this.path);
    fs.unlinkSync(temporary);
  }
}

/** Takes files from one connection: each is the length of its header, the header and the bytes. */
class FileReader {
  file = null;
  count = 0;
  headerBytes = 0;
  rest = Buffer.alloc(0);

  push(chunk) {
    let bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    while (this.file !== null || this.readHeader(bytes)) {
      const from = this.headerBytes;
      this.headerBytes = 0;
      bytes = bytes.subarray(this.file.push(bytes, from));
      if (!this.file.isWhole) break;
      this.file.publish();
      this.file = null;
      this.count++;
    }
    this.rest = bytes;
  }

  readHeader(bytes) {
    if (bytes.length < LENGTH_BYTES) return false;
    const end = LENGTH_BYTES + bytes.readUInt32BE(0);
    if (bytes.length < end) return false;
    this.file = new IncomingFile(JSON.parse(bytes.subarray(LENGTH_BYTES, end)));
    this.headerBytes = end;
    return true;
  }
}

function receive() {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const reader = new FileReader();
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('the sender is silent')));
    socket.on('data', (chunk) => reader.push(chunk));
    socket.on('end', () => socket.end(`${reader.count}`));
  });
  server.listen(Number(port), host);
}

async function send() {
  const socket = connect(Number(port), host);
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('the receiver is silent')));
  await once(socket, 'connect');
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    const bytes = fs.readFileSync(path);
    const header = Buffer.from(
      JSON.stringify({ name: path.slice(folder.length + 1), bytes: bytes.length, digest: sha256(bytes) }),
    );
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(header.length);
    socket.cork();
    socket.write(length);
    socket.write(header);
    const isRoom = socket.write(bytes);
    socket.uncork();
    if (!isRoom) await once(socket, 'drain');
  }
  socket.end();
  const [answer] = await once(socket, 'data');
  if (String(answer) !== String(files.length)) throw new Error(`${answer} of ${files.length} files arrived`);
}

if (role === 'receive') receive();
else await send();
