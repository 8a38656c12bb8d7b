import { describe, expect, it } from 'vitest';
import { DiscardService } from '../../src/services/discard.js';
import { ServiceHost } from '../../src/services/service-host.js';
import { SILENT, StreamWorld, TestWriter } from '../harness/stream-world.js';

function bed() {
  const world = new StreamWorld();
  const sender = world.open({ connectTimeoutNs: 1e8 });
  const host = new ServiceHost({ services: [new DiscardService()], logger: SILENT });
  host.serve(world.open());
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
});
