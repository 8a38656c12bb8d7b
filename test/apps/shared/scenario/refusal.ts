import { expect } from 'vitest';
import { ExitCode } from '../../../../src/apps/shared/exit-codes.js';
import { Failure } from '../../../../src/apps/shared/failure.js';
import { parseScenario } from '../../../../src/apps/shared/scenario/parse-scenario.js';

/** The sentence with which a document is refused as wrong usage. */
export function refusal(document: object): string {
  try {
    parseScenario({ flows: ['pairs'], ...document });
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    expect((error as Failure).exitCode).toBe(ExitCode.usage);
    return (error as Failure).message;
  }
  throw new Error('the document was taken');
}
