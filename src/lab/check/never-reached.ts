/** Outcomes that are asked for and that nobody gets, and bands in which nobody's score lies -> a warning each. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import type { Check } from '../../policy/check/context.ts';
import { bandNode } from '../../policy/check/score/bands.ts';
import type { Outcome } from '../../policy/language.ts';
import type { Proof } from '../proof/prove.ts';
import { findApplicant } from '../reasoning/find-applicant.ts';
import type { Reasoner, Time } from '../reasoning/reasoner.ts';
import { asked } from '../solver/encode.ts';
import { and, not, sumAtLeast, TRUE } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import { IDLE_CODES, wasReported } from './was-reported.ts';

const NOBODY: Readonly<Record<Outcome, string>> = {
  accept: 'nobody is accepted',
  review: 'nobody is reviewed',
  reject: 'nobody is rejected',
};

/** Reports outcomes; gives the questions that could not be decided. */
export function warnOfOutcomes(proofs: readonly Proof[], { policy, keys, nodes, warn }: Check): readonly string[] {
  const undecided: string[] = [];
  for (const { property, result } of proofs) {
    if (result === 'proved') continue;
    const outcome = property.about as Outcome;
    const asking = policy.rules.find((rule) => {
      return rule.then === outcome && !rule.shadow && !wasReported(nodes.get(rule), IDLE_CODES);
    });
    const isDefault = policy.default === outcome;
    // A policy may well do without an outcome.
    if (!isDefault && !asking) continue;
    const by = isDefault ? 'the default' : `"${asking?.id}"`;
    const message = `${NOBODY[outcome]}, though ${by} asks for it: other rules decide about every applicant`;
    if (result === 'undecided') undecided.push(`the outcome ${outcome}`);
    else warn((keys.get('default') ?? keys.get('policy'))?.value, 'never-reached', message, 'narrow the other rules');
  }
  return undecided;
}

/** Reports bands; gives the questions that could not be decided. */
export async function warnOfBands(reasoner: Reasoner, check: Check, time: Time): Promise<readonly string[]> {
  const { policy, day, warn } = check;
  const [{ rules }] = reasoner.space.sides as readonly [Side];
  const { least } = asked(rules, reasoner.encoding);
  const undecided: string[] = [];
  for (const band of ['review', 'reject'] as const) {
    const from = policy.score[band];
    const at = bandNode(band, check);
    if (from === undefined || !at || least.length === 0 || wasReported(at, ['band-never-reached'])) continue;
    const above = band === 'review' ? policy.score.reject : undefined;
    const isIn = and([sumAtLeast(from, least), above === undefined ? TRUE : not(sumAtLeast(above, least))]);
    const isRight = (given: Facts) =>
      matcherOf(policy).outcome(readFacts(given, policy.facts, day), day).score.band === band;
    const found = await findApplicant(reasoner, [isIn], isRight, time);
    if (found === undefined) undecided.push(`the band ${band}`);
    if (found !== 'none') continue;
    const where = above === undefined ? `reaches ${band} from ${from}` : `lies between ${from} and ${above}`;
    warn(at, 'never-reached', `no score ${where}: the rules that would add up to it exclude each other`);
  }
  return undecided;
}
