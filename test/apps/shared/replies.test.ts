import { describe, expect, it } from 'vitest';
import { Replies } from '../../../src/apps/shared/replies.js';
import { MessageInbox, StreamWorld, TestWriter } from '../../harness/stream-world.js';
import { PatternReader } from '../../harness/streams.js';

/** Host 0 opens a flow to host 1 and expects one reply. Host 2 is somebody else. */
async function bed() {
  const world = new StreamWorld();
  const replies = new Replies();
  const opener = new TestWriter(world.add(replies)).open(1, [{ kind: 'question' }]);
  const peers = [1, 2].map(() => world.add(new MessageInbox()));
  const taken: PatternReader[] = [];
  replies.expect(opener.flow, (flow) => {
    taken.push(new PatternReader(flow, () => undefined));
    return taken[taken.length - 1];
  });
  await world.playUntil(() => opener.flow.statistics.bytesAcknowledged > 0);
  const reply = (host: number, pairedFlowId: number) =>
    new TestWriter(peers[host - 1]).open(0, [{ kind: 'answer' }], pairedFlowId);
  return { world, replies, opener, taken, reply };
}

describe('replies', () => {
  it('are taken from the peer of the flow that they name', async () => {
    const { world, opener, taken, reply } = await bed();
    reply(1, opener.flow.id);
    await world.playUntil(() => taken.length === 1 && taken[0].received > 0);
    expect(taken[0].flow.pairedFlowId).toBe(opener.flow.id);
  });

  it.each([
    ['from another host', 2, 0],
    ['to no flow', 1, 1],
  ])('%s are refused', async (_, host, offset) => {
    const { world, opener, taken, reply } = await bed();
    const wrong = reply(host, opener.flow.id + offset);
    await world.playUntil(() => wrong.closed !== undefined);
    expect(wrong.closed).toMatchObject({ code: 'refused' });
    expect(taken).toEqual([]);
  });

  it('are taken once', async () => {
    const { world, opener, taken, reply } = await bed();
    reply(1, opener.flow.id);
    await world.playUntil(() => taken.length === 1);
    const second = reply(1, opener.flow.id);
    await world.playUntil(() => second.closed !== undefined);
    expect(second.closed).toMatchObject({ code: 'refused' });
  });

  it('are refused when they are wanted no more', async () => {
    const { world, replies, opener, taken, reply } = await bed();
    replies.forget(opener.flow);
    const late = reply(1, opener.flow.id);
    await world.playUntil(() => late.closed !== undefined);
    expect(taken).toEqual([]);
  });
});
