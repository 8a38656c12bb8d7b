// Tested by test/loopback/send-folder.test.ts
import { encodeMessage } from './message.js';
import type { ByteSource } from './send-file.js';

/** A folder as an application stream: one message. docs/APPLICATIONS.md, "folder" */
export class FolderSource implements ByteSource {
  readonly sha256 = null;
  private message: Uint8Array | null;

  constructor({ name, mode }: { readonly name: string; readonly mode: number }) {
    this.message = encodeMessage({ kind: 'folder', name, mode });
  }

  next(): Promise<Uint8Array | null> {
    const { message } = this;
    this.message = null;
    return Promise.resolve(message);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
