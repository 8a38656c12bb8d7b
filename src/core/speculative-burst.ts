// Tested by test/core/speculation.test.ts

/** What one flow sends without credits, before its first one comes, and until it knows what became of it. PROTOCOL §12.1 */
export class SpeculativeBurst {
  /** More frames may follow; otherwise the probe behind them waits for its answer. */
  isSending = true;
  /** When the next frame may leave. */
  dueNs: number;
  /** Payload bytes that may still be sent. */
  leftBytes: number;

  constructor(budgetBytes: number, nowNs: number) {
    this.leftBytes = budgetBytes;
    this.dueNs = nowNs;
  }
}
