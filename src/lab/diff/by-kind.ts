/**
 * Two policies with many rules that differ -> parts: for each kind of change, boxes in which the stricter policy is as
 * strict as that, which depends on few rules; for whom both policies decide so is a case of each box. To say in
 * facts that no rule of the milder policy fires would take most facts.
 */

import { OutcomeRange, outcomeBit } from '../../decision/meaning/outcome-range.ts';
import { TRUTH_BITS, truthsOf } from '../../decision/meaning/truth.ts';
import { lazy } from '../../platform/lazy.ts';
import { strictness, testsOf } from '../../policy/language.ts';
import { createRuleKey, OUTCOME } from '../../policy/sameness.ts';
import { weigh } from '../../policy/weight.ts';
import { KIND_FIRST_STEPS, MOST_NAMED } from '../limits.ts';
import { holdsIn } from '../solver/circuit.ts';
import { and, type Formula, TRUE } from '../solver/formula.ts';
import { type Box, truthsIn } from '../space/truths.ts';
import type { Steps } from '../steps.ts';
import { CHANGES, type Change, type ChangeCase, type Part, type PartSource } from './parts.ts';
import {
  type BoxFinder,
  changeFormulas,
  createBoxFinder,
  type FoundBox,
  looseChangeFormulas,
  pointAt,
  type Search,
  widenOne,
} from './search.ts';

/** One way in which the outcome can change. */
interface Kind extends Change {
  readonly formula: Formula;
  readonly boxes: BoxFinder;
  /** The states in which it was last found: more of it is often near. */
  states?: readonly number[];
  /** Whether it is possible as far as the sums of points are left open, which is answered first. */
  isPossible?: boolean;
  /** Whether there is proof that there is no more of it. */
  isDone?: boolean;
  /** The steps that the next question about it may take. */
  most: number;
}

/** Finds parts of the difference between two policies: one of each kind of change, then more of each in turns. */
export function partsByKind(search: Search): PartSource {
  const { space, compared, solver } = search;
  const looseFormulaOf = lazy(() => looseChangeFormulas(search));
  const formulaOf = changeFormulas(search);
  const outcomes = [createOutcomes(search, 0), createOutcomes(search, 1)] as const;
  const undetermined = describeUndetermined(search);
  const everything = space.variables.map(({ states }) => states.map(() => true));
  const kinds = CHANGES.map((change): Kind => {
    const formula = and([compared.formula, formulaOf(change)]);
    const stricter = outcomes[strictness(change.from) > strictness(change.to) ? 0 : 1];
    const boxes = createBoxFinder(search, formula, (states, isFree) =>
      undetermined === undefined ? widen(search, change, stricter, states, isFree) : everything,
    );
    return { ...change, formula, boxes, most: KIND_FIRST_STEPS };
  });
  const open = [...kinds];
  /** Kinds that were found once, and then not in their steps: all others go first. */
  const hard: Kind[] = [];

  const caseOf = ({ from, to, formula }: Kind, box: Box): ChangeCase => {
    const sides = [
      { subject: 'the old policy', outcome: from, possible: outcomes[0].at(box).possible() },
      { subject: 'the new policy', outcome: to, possible: outcomes[1].at(box).possible() },
    ];
    const decided = sides.flatMap(({ subject, outcome, possible }) =>
      possible === outcomeBit(outcome) ? [] : [`${subject} decides ${outcome}`],
    );
    return {
      change: { from, to },
      formula,
      key: [from, to, ...decided].join(),
      words: [undetermined ?? [], decided.length > 0 ? decided.join(', and ') : []].flat(),
    };
  };

  const seek = async (kind: Kind, steps: Steps): Promise<readonly Part[] | 'none' | 'unknown'> => {
    if (!kind.isPossible) {
      const { kind: answer } = await solver.check([compared.formula, looseFormulaOf()(kind)], steps);
      if (answer === 'unsatisfiable') kind.isDone = true;
      if (answer !== 'satisfiable') return answer === 'unsatisfiable' ? 'none' : 'unknown';
      kind.isPossible = true;
    }
    const boxFound = await kind.boxes.find(steps, TRUE, kind.states);
    if (boxFound === 'none') kind.isDone = true;
    return typeof boxFound === 'string' ? boxFound : partsOf(kind, boxFound);
  };

  const partsOf = (kind: Kind, boxFound: FoundBox): readonly Part[] => {
    kind.isPossible = true;
    kind.isDone = boxFound.box === everything;
    kind.states = boxFound.states;
    return [{ ...boxFound, changeCase: caseOf(kind, boxFound.box) }];
  };
  const truths = search.own.flat().map(({ when }) => when);

  return {
    async next(steps) {
      for (let kind = open.shift() ?? hard.shift(); kind; kind = open.shift() ?? hard.shift()) {
        if (steps.areOver) return 'unknown';
        // No kind takes the steps of the others.
        const most = Math.min(kind.most, steps.left / (open.length + hard.length + 1));
        const boxFound = await seek(kind, steps.atMost(most));
        if (boxFound === 'none') continue;
        if (boxFound === 'unknown') {
          kind.most *= 2;
          (kind.states ? hard : open).push(kind);
          continue;
        }
        if (!kind.isDone) open.push(kind);
        return boxFound;
      }
      return 'none';
    },
    kindOf: (states) => truths.map((when) => truthsOf(when, truthsIn(pointAt(space, states), space))).join(''),
    around(states, { from, to }) {
      const kind = kinds.find((each) => each.from === from && each.to === to);
      const boxFound = kind && holdsIn(kind.formula, states) ? kind.boxes.around(states) : undefined;
      return kind && boxFound ? partsOf(kind, boxFound) : [];
    },
    kinds: kinds.map((kind) => {
      const { from, to } = kind;
      return { how: { from, to }, next: async (steps) => (kind.isDone ? 'none' : seek(kind, steps)) };
    }),
  };
}

/** A box around states in which the stricter policy decides as strictly as there, or more so. */
function widen(
  { space }: Search,
  { from, to }: Change,
  outcomes: ReturnType<typeof createOutcomes>,
  states: readonly number[],
  isFree: (box: Box) => boolean,
): Box {
  const milder = (1 << Math.max(strictness(from), strictness(to))) - 1;
  let box = pointAt(space, states);
  const range = outcomes.at(box);
  const causes = range.variablesOfAsking();
  const order = [...space.variables.keys()].sort((one, other) => Number(causes.has(one)) - Number(causes.has(other)));
  for (const variable of order) {
    box = widenOne(box, variable, (wider) => {
      if (!isFree(wider)) return false;
      const undo = range.move(wider, variable);
      if ((range.possible() & milder) === 0) return true;
      undo();
      return false;
    });
  }
  return box;
}

/**
 * What holds for all who are decided differently where the rules differ in `whenUnknown` alone, as by that of the whole
 * policy; undefined if they differ in more. Said in facts, it would be long lists of those that are missing.
 */
function describeUndetermined({ own, policies, conditionKey }: Search): string | undefined {
  const [before, after] = policies.map(OUTCOME.settingsOf);
  const keyOf = createRuleKey(['condition', 'outcome'], conditionKey);
  const [old, now] = own.map((rules) => rules.map(keyOf).sort().join());
  if (before !== after || old !== now) return undefined;
  const ids = own[1].map(({ id }) => id);
  const listed = ids.length > MOST_NAMED ? [...ids.slice(0, MOST_NAMED), '…'] : ids;
  return `one of ${ids.length} rules is undetermined: ${listed.join(', ')}`;
}

/** What one policy can decide in a box, kept up to date as one variable after the other gets more states. */
function createOutcomes({ space, policies, rules }: Search, side: 0 | 1) {
  const ownRules = rules[side];
  const weights = ownRules.map(weigh);
  const readers = space.variables.map((): number[] => []);
  for (const [i, { when }] of ownRules.entries()) {
    for (const variable of new Set([...testsOf(when)].map((test) => space.statesOf(test).variable))) {
      readers[variable]?.push(i);
    }
  }
  const truthOf = (rule: number, box: Box) =>
    truthsOf((ownRules[rule] as (typeof ownRules)[number]).when, truthsIn(box, space));
  return {
    at(box: Box) {
      const truths = ownRules.map((_, rule) => truthOf(rule, box));
      return {
        /** Outcomes as bits, by strictness. */
        possible(): number {
          const range = new OutcomeRange(policies[side]);
          for (const [i, weight] of weights.entries()) {
            if (truths[i] !== TRUTH_BITS.false) range.add(weight, truths[i] as number);
          }
          return range.outcomes();
        },
        /** Applies a box in which one variable has other states; returns a function that undoes it. */
        move(wider: Box, variable: number): () => void {
          const changed = (readers[variable] ?? []).map((rule) => [rule, truths[rule] as number] as const);
          for (const [rule] of changed) truths[rule] = truthOf(rule, wider);
          return () => {
            for (const [rule, truth] of changed) truths[rule] = truth;
          };
        },
        /** What the rules that are not false read. */
        variablesOfAsking(): ReadonlySet<number> {
          const asking = new Set([...truths.keys()].filter((rule) => truths[rule] !== TRUTH_BITS.false));
          return new Set([...readers.keys()].filter((variable) => readers[variable]?.some((rule) => asking.has(rule))));
        },
      };
    },
  };
}
