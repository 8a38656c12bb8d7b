import { expect } from 'vitest';
import { ConfigError } from '../../src/base/config-error.js';

/** The sentence with which something is refused as a setting that is not allowed. */
export function refusal(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  return 'taken';
}

/** The same of what takes its time. */
export async function laterRefusal(action: Promise<unknown>): Promise<string> {
  const error = await action.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return refusal(() => {
    if (error !== null) throw error;
  });
}
