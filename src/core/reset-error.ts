// Tested by test/base/errors.test.ts
import { XpassError } from '../base/errors.js';
import { ResetCode } from '../wire/layout.js';

/** The error that a RESET with this code means to the side that gets it. Unknown codes read as `reset`. PROTOCOL §3.7 */
export function errorOfReset(code: number): XpassError {
  switch (code) {
    case ResetCode.refused:
      return new XpassError('refused', 'the peer does not take this flow');
    case ResetCode.unknownFlow:
      return new XpassError('reset', 'the peer does not know this flow any more: it was restarted or gave the flow up');
    case ResetCode.aborted:
      return new XpassError('reset', 'the peer gave the flow up');
    case ResetCode.frameSize:
      return new XpassError(
        'frameSize',
        'the frames of this flow are larger than the peer takes: use the same --frame-size on both',
      );
    case ResetCode.tooManyFlows:
      return new XpassError('tooManyFlows', 'the peer has as many flows as it takes');
    case ResetCode.weight:
      return new XpassError(
        'weight',
        "the peer's credit algorithm gives no weights: leave the weight out, or choose another algorithm there",
      );
    case ResetCode.protocol:
      return new XpassError('protocol', 'the peer says that a rule of the protocol was broken');
    case ResetCode.idle:
      return new XpassError('idle', 'the peer heard nothing of this flow for its idle timeout');
    case ResetCode.shutdown:
      return new XpassError('shutdown', 'the peer is shutting down');
    default:
      return new XpassError('reset', `the peer reset the flow with code ${code}`);
  }
}
