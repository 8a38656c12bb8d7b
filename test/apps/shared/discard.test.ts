import { describe, expect, it } from 'vitest';
import { DiscardService, sendToNowhere } from '../../../src/apps/shared/discard.js';
import { ServiceHost } from '../../../src/apps/shared/service-host.js';
import { MessageInbox, SILENT, StreamWorld, TestWriter } from '../../harness/stream-world.js';

function bed() {
  const world = new StreamWorld();
  const sender = world.add(new MessageInbox(), { connectTimeoutNs: 1e8 });
  const host = new ServiceHost({ services: [new DiscardService()], logger: SILENT });
  host.start(world.add(host));
  return { world, sender, host };
}

describe('the discard service', () => {
  it('reads a stream to its end', async () => {
    const { world, sender, host } = bed();
    const writer = new TestWriter(sender).open(1, [{ kind: 'discard' }, new Uint8Array(1_000_000)]);
    writer.end();
    await world.playUntil(() => writer.closed !== undefined);
    expect(writer.closed).toBeNull();
    expect(host.streamCount).toBe(0);
  });

  it('takes what is sent to nowhere for a while, and nothing is left of it', async () => {
    const { world, sender, host } = bed();
    await world.play(sendToNowhere(sender, 1, 200e6));
    world.run(world.nowNs + 1e9);
    expect(host.credits.used).toBeGreaterThan(0);
    expect(host.streamCount).toBe(0);
  });

  it('that is not there is an error of who sends', async () => {
    const { world, sender } = bed();
    world.kill(1);
    await expect(world.play(sendToNowhere(sender, 1, 10e9))).rejects.toMatchObject({ code: 'unreachable' });
  });
});
