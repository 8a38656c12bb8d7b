/**
 * A credit algorithm that does not exist, or a parameter or link that it cannot take: the caller's mistake. The message names the field, the value
 * and what is allowed. The core hands it on as its own error with the same `code`.
 * Tested by test/core/credit/registry.test.ts and test/core/credit/parameters.test.ts.
 */
export class CreditConfigError extends Error {
  override readonly name = 'CreditConfigError';
  readonly code = 'config';
  /** What was wrong: `algorithm`, or the name of a parameter or of a field of the link. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
