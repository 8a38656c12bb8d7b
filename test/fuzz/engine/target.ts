/** One thing that takes what others write, with what must hold whatever they write. */
export interface Target {
  /** The word after `npm run fuzz --`, and the name of its corpus. */
  readonly name: string;
  /** Inputs to begin with: as they come in real life. */
  seeds(): readonly Uint8Array[];
  /** Words of its language, which mutation puts in. */
  readonly words?: readonly string[];
  /** Longest input that is tried; 4,096 bytes without it. */
  readonly maxBytes?: number;
  /** Takes one input. Throws where a rule is broken; a refusal that the caller expects is no error. */
  run(input: Uint8Array): void | Promise<void>;
}

/** A rule of the house did not hold. */
export function must(condition: boolean, rule: string): asserts condition {
  if (!condition) throw new Error(`broken rule: ${rule}`);
}

export function textOf(input: Uint8Array): string {
  return new TextDecoder().decode(input);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
