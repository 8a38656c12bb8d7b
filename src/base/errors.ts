/** Why a flow, an attachment or a call failed. Stable: programs may compare them. PROTOCOL §6.7 */
export type ErrorCode =
  | 'refused'
  | 'reset'
  | 'idle'
  | 'unreachable'
  | 'version'
  | 'frameSize'
  | 'protocol'
  | 'shutdown'
  | 'tooManyFlows'
  | 'weight'
  | 'attach'
  | 'config';

/** A failure that the caller can act on: a stable `code`, and one sentence that names the thing and what is allowed. */
export class XpassError extends Error {
  /** Always `XpassError`. */
  override readonly name = 'XpassError';
  /** Why, for programs to compare. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
