/** A decision, and an explanation of its facts by its policy now -> whether both have the same result. */

import type { Explanation } from '../../decision/explain/explanation.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';

/** The compared parts of a verdict: its outcome, the fired rules and the undetermined rules. */
type Compared = Pick<Verdict, 'outcome' | 'reasons'> & { readonly undetermined: readonly { readonly rule: string }[] };

/** Whether the explanation explains the decision: another engine or other facts may give another result. */
export function isReproduced(decision: Compared, explanation: Pick<Explanation, keyof Compared>): boolean {
  return summary(decision) === summary(explanation);
}

function summary({ outcome, reasons, undetermined }: Compared): string {
  const fired = reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : []));
  return JSON.stringify([outcome, fired.sort(), undetermined.map(({ rule }) => rule).sort()]);
}
