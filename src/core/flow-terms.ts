// Tested by test/core/weights.test.ts
import { XpassError } from '../base/errors.js';

/** The classes of credits, the one that goes first at the head. PROTOCOL §9.8 */
export const CREDIT_CLASSES = ['high', 'low'] as const satisfies readonly CreditClass[];
/** Class of a flow's credits: ports serve `high` first. PROTOCOL §9.8 */
export type CreditClass = 'high' | 'low';

/** Largest weight of a flow: the byte of the request. PROTOCOL §3.1 */
export const MAX_WEIGHT = 255;

/** What the credits of a flow are worth against those of others. */
export interface ShareOptions {
  /** Its share of a bottleneck against that of a flow of weight 1; 1 if absent. PROTOCOL §4.9 */
  weight?: number;
  /** Class of its credits; high if absent. */
  creditClass?: CreditClass;
}

/** The same as the flow's requests say it. */
export interface ShareTerms {
  readonly weight: number;
  readonly isLowClass: boolean;
}

/** Throws XpassError `config` for a weight or class that is not allowed, and for either of a flow without credits. */
export function shareTerms({ weight = 1, creditClass = 'high' }: ShareOptions, isReactive: boolean): ShareTerms {
  if (!(Number.isInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT))
    throw new XpassError('config', `weight is ${weight}: it must be a whole number from 1 to ${MAX_WEIGHT}`);
  if (!CREDIT_CLASSES.includes(creditClass))
    throw new XpassError('config', `creditClass is ${String(creditClass)}: it must be ${CREDIT_CLASSES.join(' or ')}`);
  const isLowClass = creditClass === 'low';
  if (isReactive && (weight > 1 || isLowClass))
    throw new XpassError(
      'config',
      'weight and class are of flows with credits: leave them out beside a window algorithm',
    );
  return { weight, isLowClass };
}
