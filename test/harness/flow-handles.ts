import type { StreamTransport } from '../../src/apps/shared/service.js';
import type { FlowWriter } from '../../src/core/flow-callbacks.js';
import type { ReceiverFlow } from '../../src/core/receiver-flow.js';
import { Receiver, type ReceiverOwner } from '../../src/net/receiver.js';
import { Sender, type SenderOwner } from '../../src/net/sender.js';

type Driver = Pick<StreamTransport, 'run' | 'peerName'>;

/** A flow's handle as a host of src/net gives it, in virtual time. */
export function receiverOf(transport: Driver, flow: ReceiverFlow): Receiver {
  return new Receiver(ownerOf(transport), flow);
}

/** Opens a flow to host `peer`. */
export function openSender(transport: Driver, peer: number, writer: FlowWriter): Sender {
  const sender = new Sender(ownerOf(transport), writer);
  return sender.attach(transport.run((nowNs, { endpoint }) => endpoint.open(peer, sender, {}, nowNs)));
}

function ownerOf({ run, peerName }: Driver): SenderOwner & ReceiverOwner {
  return {
    run: (action) => run((nowNs) => action(nowNs)),
    workingNs: -1,
    peerName,
    openReply: () => {
      throw new Error('these flows have no answers');
    },
    senderClosed: (_, error) => error,
    receiverClosed: (_, error) => error,
  };
}
