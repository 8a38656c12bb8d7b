// Tested by test/core/sender-flow.test.ts and test/core/receiver-flow.test.ts
/**
 * Every timer of a flow, when it fires and what it does then. Deadlines are computed from the flow's state, not stored per timer: the endpoint keeps one
 * entry per flow, at or before the earliest of them, and asks again when it fires. So a packet that moves a deadline later costs nothing. The tests of both
 * flows have one case for each name here.
 */
export const SENDER_TIMERS = {
  /** CREQ_SENT: the CREDIT_REQUEST has not been answered for the retransmission time, doubled for each repetition. */
  request: 'CREDIT_REQUEST again',
  /** CREDIT_RECEIVING: there is data and no credit has come for the credit timeout; see credit-watch.ts. */
  credit: 'CREDIT_REQUEST, to CREQ_SENT',
  /** CREDIT_RECEIVING: credits come and there has been no data for the stop timeout. */
  stop: 'CREDIT_STOP, to CSTOP_SENT',
  /** CSTOP_SENT: bytes are not acknowledged for the retransmission time, doubled for each repetition. */
  probe: 'CREDIT_STOP again',
  /** CSTOP_SENT: everything is acknowledged and nothing was sent for a third of the idle timeout. */
  keepAlive: 'CREDIT_STOP again',
  /** FIN_SENT: no ACK with COMPLETE for the retransmission time, doubled for each repetition. */
  fin: 'FIN again',
  /** Never answered, for the connect timeout. */
  connect: 'closed with `unreachable`',
  /** Nothing heard for the idle timeout. */
  idle: 'RESET IDLE, closed with `idle`',
} as const;

export const RECEIVER_TIMERS = {
  /** A frame waits for its ACK for the acknowledgement delay; see `Acknowledger`. */
  ack: 'ACK',
  /** The oldest outstanding credit is older than the credit life time. */
  creditLife: 'given up as dropped; room for new credits',
  /** CREDIT_SENDING: credits go out and no data has come for the data timeout. */
  data: 'to CREDIT_STOPPED',
  /** CREDIT_STOPPED by the sender, and nothing heard for the credit life time: an idle flow needs no book of its credits. */
  rest: "outstanding credits forgiven, their memory and the part in the host's budget given back",
  /** COMPLETE for the linger time. */
  linger: 'forgotten',
  /** Nothing heard for the idle timeout. */
  idle: 'RESET IDLE, closed with `idle`',
} as const;
