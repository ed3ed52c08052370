/** A decision, and its explanation as the policy and facts are decided now -> whether it still comes out so. */

import type { Explanation } from '../../decision/explain/explanation.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';

/** What is compared of a verdict: its outcome, the rules that fired, and those that could not be determined. */
type Compared = Pick<Verdict, 'outcome' | 'reasons'> & { readonly undetermined: readonly { readonly rule: string }[] };

/** Whether an explanation is of what was decided: another engine, or other facts, may decide otherwise. */
export function isReproduced(decision: Compared, explanation: Pick<Explanation, keyof Compared>): boolean {
  return summary(decision) === summary(explanation);
}

function summary({ outcome, reasons, undetermined }: Compared): string {
  const fired = reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : []));
  return JSON.stringify([outcome, fired.sort(), undetermined.map(({ rule }) => rule).sort()]);
}
