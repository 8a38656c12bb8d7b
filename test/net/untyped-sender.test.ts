import { expect, it } from 'vitest';
import type { SenderFlow } from '../../src/core/sender-flow.js';
import { Sender, type SenderOwner } from '../../src/net/sender.js';

const CONFIG = expect.objectContaining({ code: 'config' });

it('refuses wrong writes before its host begins to work', () => {
  const owner = { workingNs: 0, run: (action: (nowNs: number) => unknown) => action(0) } as unknown as SenderOwner;
  const sender = new Sender(owner, { onWritable: () => {}, onClosed: () => {} });
  sender.attach({ write: () => true, end: () => {} } as unknown as SenderFlow);
  expect(() => sender.write('text' as unknown as Uint8Array)).toThrow(CONFIG);
  expect(sender.write(new Uint8Array(1))).toBe(true);
  sender.end();
  expect(() => sender.write(new Uint8Array(1))).toThrow(CONFIG);
});
