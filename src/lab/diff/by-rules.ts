/**
 * Two policies of which few rules differ -> parts: boxes in which these rules have one truth each, with the cases of
 * what the common rules give.
 */

import { type Policy, type Rule, testsOf } from '../../policy/language.ts';
import { asked, type Encoding } from '../solver/encode.ts';
import { and, type Formula, isInBox, not, or, TRUE, xor } from '../solver/formula.ts';
import { type Box, truthsIn } from '../space/truths.ts';
import type { Part } from './part.ts';
import { type OwnTruth, restCases } from './rest.ts';
import type { PartSource, Search } from './search.ts';
import { isApart, pointAt, widenOne } from './widen.ts';

/** Finds parts of the difference between two policies by the rules that only one of them has. */
export function partsByRules({ space, encoding, solver, policies, common, own, compared }: Search): PartSource {
  const commonAsked = asked(common, encoding);
  const differ = and([compared.formula, ownRulesDiffer(policies, own, encoding)]);
  const covered: Box[] = [];
  const elsewhere: Formula[] = [];
  const truthsOf = (box: Box) => own.map((rules) => rules.map(({ when }) => truthsIn(when, box, space)));
  /** Equal for boxes in which the same cases hold; undefined where that is not certain. */
  const signatureOf = (box: Box): string | undefined => {
    if (!compared.hasAll(box)) return undefined;
    const truths = truthsOf(box);
    return truths.flat().every((each) => (each & (each - 1)) === 0) ? truths.join(';') : undefined;
  };
  const ownVariables = new Set(
    [...own.flat().map(({ when }) => when), ...compared.conditions].flatMap((condition) =>
      [...testsOf(condition)].map((test) => space.statesOf(test).variable),
    ),
  );

  const widen = (states: readonly number[]): Box => {
    // Nothing that only common rules read is asked of a box: the cases say what these rules give.
    let box: Box = pointAt(space, states).map((own, i) => (ownVariables.has(i) ? own : own.map(() => true)));
    const wanted = signatureOf(box);
    for (const variable of ownVariables) {
      box = widenOne(box, variable, (wider) => signatureOf(wider) === wanted && covered.every(isApart(wider)));
    }
    return box;
  };
  const partsIn = (box: Box): readonly Part[] => {
    const truths = truthsOf(box);
    const withTruths = ([0, 1] as const).map((side) =>
      own[side].map((rule, i): OwnTruth => ({ rule, truth: truths[side]?.[i] as number })),
    ) as [OwnTruth[], OwnTruth[]];
    return restCases({ policies, common: commonAsked }, withTruths).map(({ holds, ...restCase }): Part => {
      const holdsIn = (states: readonly number[]) => {
        const point = pointAt(space, states);
        return holds(common.map((rule) => ({ rule, truth: truthsIn(rule.when, point, space) })));
      };
      return { box, changeCase: { ...restCase, holds: holdsIn } };
    });
  };

  return {
    async next(timeoutMs) {
      const answer = await solver.ask([differ, ...elsewhere], timeoutMs);
      if (answer.kind !== 'satisfiable') return answer.kind === 'unsatisfiable' ? 'none' : 'unknown';
      const box = widen(answer.states);
      covered.push(box);
      elsewhere.push(not(isInBox(box)));
      return partsIn(box);
    },
  };
}

/**
 * When the own rules of both policies ask for different things. Rules that ask for the same are compared with each
 * other, so that an edited condition counts only where its truth differs. It says nothing of the common rules, which
 * makes it far easier to answer than what both policies decide.
 */
export function ownRulesDiffer(
  policies: readonly [old: Policy, now: Policy],
  [old, now]: readonly [old: readonly Rule[], now: readonly Rule[]],
  encoding: Encoding,
): Formula {
  const settings = policies.map(({ default: fallback, score }) =>
    JSON.stringify([fallback, score.review, score.reject]),
  );
  if (settings[0] !== settings[1]) return TRUE;
  const effectOf = ({ then, points = 0, final, whenUnknown }: Rule) => [then, points, final, whenUnknown].join();
  const unpaired = [...now];
  const differences = old.map((rule) => {
    const at = unpaired.findIndex((each) => effectOf(each) === effectOf(rule));
    const one = encoding.truth(rule.when);
    const [other] = at < 0 ? [] : unpaired.splice(at, 1);
    if (!other) return one.possible;
    const { certain, possible } = encoding.truth(other.when);
    return or([xor(one.certain, certain), xor(one.possible, possible)]);
  });
  return or([...differences, ...unpaired.map(({ when }) => encoding.truth(when).possible)]);
}
