/** Computations of an explanation that pause -> their results, without a pause. */

import { type ExplainOptions, explainSteps } from '../../../src/decision/explain/explain-steps.ts';
import type { Explanation } from '../../../src/decision/explain/explanation.ts';
import { conjunctiveFormOf } from '../../../src/decision/explain/model/conjunctive-form.ts';
import { createModel, type Model } from '../../../src/decision/explain/model/model.ts';
import { type Steps, Work } from '../../../src/decision/explain/steps.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { WORLD } from '../../../src/platform/formats/geo/world.ts';
import type { Policy } from '../../../src/policy/language.ts';

/** The result of a computation. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** `explain`, without a pause. */
export function explainNow(policy: Policy, facts: Facts, day: string, options: ExplainOptions = {}): Explanation {
  return finish(explainSteps(policy, facts, day, { ...options, geodata: WORLD }));
}

/** The model of a policy that is small enough to have one. */
export function modelOf(policy: Policy, facts: Facts, day: string): Model {
  const { form } = conjunctiveFormOf(policy, day);
  if (!form) throw new Error('the policy is too large');
  return finish(createModel(form, facts, { day, work: new Work(), geodata: WORLD }));
}
