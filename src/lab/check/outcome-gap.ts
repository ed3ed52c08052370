/**
 * Ranges of one fact in two rules -> a warning if the same applicant gets a milder outcome with a value between them
 * than with one just below and one just above. The accepted middle of an order is no gap: one of the ranges has to end
 * on its outer side too, so that the outcome gets stricter, milder and stricter again.
 */

import { findCell } from '../../decision/matcher/find-cell.ts';
import { matcherOf } from '../../decision/matcher/matcher.ts';
import { strictness } from '../../decision/meaning/outcome.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { type Check, placeOfRule } from '../../policy/check/context.ts';
import { partsOfAll } from '../../policy/check/ranges/borders.ts';
import { isPersonal } from '../../policy/identities.ts';
import { factsOf, type Outcome, type Rule } from '../../policy/language.ts';
import { printable } from '../../text.ts';
import { describeApplicant } from '../proof/check-guarantees.ts';
import { exampleLine, findApplicant } from '../reasoning/find-applicant.ts';
import type { Reasoner, Time } from '../reasoning/reasoner.ts';
import { type OutcomeFormulas, outcomeFormulas } from '../solver/encode.ts';
import { and, FALSE, type Formula, isIn, isKept, not, or, rewriter, TRUE } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import { wasReported } from './was-reported.ts';

/** More pairs of ranges are not looked at. */
const MOST_PAIRS = 60;

/** The cells of a fact's order for which a rule may fire, from the first to the last. */
interface Range {
  readonly rule: Rule;
  readonly least: number;
  readonly most: number;
}

/** Reports gaps; gives the questions that could not be decided. */
export async function warnOfOutcomeGaps(reasoner: Reasoner, check: Check, time: Time): Promise<readonly string[]> {
  const undecided = new Set<string>();
  let asked = 0;
  for (const order of ordersIn(reasoner)) {
    const ranges = order.rules.filter(isStrict).flatMap((rule) => order.rangeOf(rule) ?? []);
    const pairs = ranges.flatMap((below) => ranges.flatMap((above) => (isGap(below, above) ? [[below, above]] : [])));
    const width = ([below, above]: readonly Range[]) => (above?.least ?? 0) - (below?.most ?? 0);
    const found: Range[] = [];
    for (const [below, above] of pairs.sort((one, other) => width(one) - width(other)) as [Range, Range][]) {
      const isKnown = found.some(({ least, most }) => below.most < least && most < above.least);
      if (isKnown || isReported(below.rule, check) || isReported(above.rule, check)) continue;
      asked += 1;
      const gap =
        asked > MOST_PAIRS || performance.now() > time.endsAt ? undefined : await order.find(below, above, time);
      if (gap === undefined) undecided.add(`the gaps between ranges of ${order.path}`);
      if (gap === undefined || gap === 'none') continue;
      report(order.path, [below.rule, above.rule], gap, reasoner, check);
      found.push({ rule: below.rule, least: below.most + 1, most: above.least - 1 });
    }
  }
  return [...undecided];
}

function isStrict({ then, points = 0 }: Rule): boolean {
  return then === 'review' || then === 'reject' || points > 0;
}

/** Whether values lie between two ranges, of rules of which one reads no fact that the other does not. */
function isGap(below: Range, above: Range): boolean {
  if (below.rule === above.rule || below.most + 1 >= above.least) return false;
  const [one, other] = [factsOf(below.rule.when), factsOf(above.rule.when)];
  return one.isSubsetOf(other) || other.isSubsetOf(one);
}

/** Whether an ordinary check has reported a gap at a rule, or in its table. */
function isReported(rule: Rule, { nodes, tables }: Check): boolean {
  const table = tables.find(({ rows }) => rows.includes(rule));
  return wasReported(nodes.get(rule), ['border-gap']) || wasReported(table?.node, ['table-gap']);
}

/** The same applicant just below a gap, in it, and just above it. */
interface Gap {
  readonly given: Facts;
  readonly values: readonly [below: Decided, inside: Decided, above: Decided];
}

interface Decided {
  readonly fact: Fact;
  readonly outcome: Outcome;
}

/** An ordered fact, and the rules that read it. */
interface Order {
  readonly path: string;
  readonly rules: readonly Rule[];
  /** Undefined unless all tests of the fact that have to hold leave one range. */
  rangeOf(rule: Rule): Range | undefined;
  find(below: Range, above: Range, time: Time): Promise<Gap | 'none' | undefined>;
}

function ordersIn(reasoner: Reasoner): readonly Order[] {
  const { space, encoding } = reasoner;
  const [side] = space.sides as readonly [Side];
  const outcomes = outcomeFormulas(side, encoding);
  const matcher = matcherOf(side.policy);
  return space.variables.flatMap(({ path, axes: [axis, ...others], states, cells: [cells = []] }, variable) => {
    const isSampled = states.some(({ fact }) => fact !== undefined && !isMissing(fact));
    if (!axis?.numbers || others.length > 0 || !isSampled) return [];
    const { firstValue, numbers } = axis;
    const stateOf = new Map(cells.flatMap((own, state) => own.map((cell) => [cell, state] as const)));
    const rank = (fact: Fact) => (isMissing(fact) ? undefined : numbers.toNumber(fact.value, space.day)) ?? 0;
    const samples = [...(space.samples.get(path) ?? [])].sort((one, other) => rank(one) - rank(other));
    const samplesIn = (cell: number) => samples.filter((each) => findCell(axis, each, undefined, space.day) === cell);
    const rules = side.rules.filter(({ when }) => factsOf(when).has(path));

    const rangeOf = (rule: Rule): Range | undefined => {
      const tests = partsOfAll(rule.when).flatMap((part) => (part.kind === 'test' ? space.statesOf(part) : []));
      const own = tests.filter((test) => test.variable === variable);
      const isTrue = (cell: number) => own.every((test) => test.isTrue[stateOf.get(cell) ?? 0]);
      const inside = [...stateOf.keys()].filter((cell) => cell >= firstValue && isTrue(cell)).sort((a, b) => a - b);
      const [least, most] = [inside[0], inside.at(-1)];
      if (own.length === 0 || least === undefined || most === undefined) return undefined;
      return inside.length === most - least + 1 ? { rule, least, most } : undefined;
    };

    const formulasAt = new Map<number, { rewrite: (formula: Formula) => Formula; outcomes: OutcomeFormulas }>();
    /** What holds of the same applicant with a value of a cell. */
    const at = (cell: number) => {
      const state = stateOf.get(cell) ?? 0;
      const rewrite = rewriter((formula) => {
        if (formula.variable !== variable) return formula;
        return formula.states[state] ? TRUE : FALSE;
      });
      const { accept, review, reject } = outcomes;
      const made = formulasAt.get(state) ?? {
        rewrite,
        outcomes: { accept: rewrite(accept), review: rewrite(review), reject: rewrite(reject) },
      };
      formulasAt.set(state, made);
      return made;
    };
    const isMilder = (cell: number, than: number): Formula => {
      if (!stateOf.has(cell)) return FALSE;
      const [own, other] = [at(cell).outcomes, at(than).outcomes];
      return or([and([own.accept, not(other.accept)]), and([own.review, other.reject])]);
    };
    const ties = space.ties.filter((tie) => tie.some(([each]) => each === variable)).map(isKept);
    const certain = (rule: Rule) => encoding.truth(rule.when).certain;
    const between = (below: Range, above: Range) =>
      Array.from({ length: above.least - below.most - 1 }, (_, i) => below.most + 1 + i).filter((each) =>
        stateOf.has(each),
      );
    const outside = (below: Range, above: Range) =>
      [
        [below.least - 1, below.most],
        [above.most + 1, above.least],
      ].filter(([cell = 0]) => cell >= firstValue && stateOf.has(cell)) as [cell: number, strict: number][];

    const decide = (given: Facts, fact: Fact): Decided & { readonly fired: ReadonlySet<string> } => {
      const facts = readFacts(new Map([...given, [path, fact]]), side.policy.facts, space.day);
      const { outcome, reasons } = matcher.verdict(facts, space.day);
      return { fact, outcome, fired: new Set(reasons.flatMap((each) => (each.because === 'fired' ? each.rule : []))) };
    };
    /** The gap as the matcher decides it. */
    const gapOf = (given: Facts, below: Range, above: Range): Gap | undefined => {
      const decided = (cell: number, which: 0 | -1) =>
        samplesIn(cell)
          .slice(which || 0, which ? undefined : 1)
          .map((fact) => decide(given, fact));
      const [low] = decided(below.most, -1);
      const [high] = decided(above.least, 0);
      if (!low || !high) return undefined;
      const rankOf = ({ outcome }: Decided) => strictness(outcome);
      const isBounded = outside(below, above).some(([cell, strict]) =>
        decided(cell, 0).some((each) => rankOf(each) < rankOf(strict === below.most ? low : high)),
      );
      const inside = between(below, above)
        .flatMap((cell) => decided(cell, 0))
        .find(
          (each) => rankOf(each) < Math.min(rankOf(low), rankOf(high)) && !rules.some(({ id }) => each.fired.has(id)),
        );
      return isBounded && inside ? { given, values: [low, inside, high] } : undefined;
    };

    const find = async (below: Range, above: Range, time: Time): Promise<Gap | 'none' | undefined> => {
      const formulas = [
        at(below.most).rewrite(certain(below.rule)),
        at(above.least).rewrite(certain(above.rule)),
        ...[below.most, above.least].flatMap((cell) => ties.map(at(cell).rewrite)),
        or(outside(below, above).map(([cell, strict]) => isMilder(cell, strict))),
        or(
          between(below, above).map((cell) =>
            and([
              isIn(
                variable,
                states.map((_, state) => state === stateOf.get(cell)),
              ),
              isMilder(cell, below.most),
              isMilder(cell, above.least),
              ...rules.map((rule) => not(at(cell).rewrite(certain(rule)))),
            ]),
          ),
        ),
      ];
      const isRight = (given: Facts) => gapOf(given, below, above) !== undefined;
      const given = await findApplicant(reasoner, formulas, isRight, time);
      return given === undefined || given === 'none' ? given : gapOf(given, below, above);
    };
    return [{ path, rules, rangeOf, find }];
  });
}

function report(
  path: string,
  [below, above]: readonly [Rule, Rule],
  { given, values: [low, inside, high] }: Gap,
  reasoner: Reasoner,
  check: Check,
): void {
  const { policy, day, warn, nodeOf } = check;
  const words = ({ fact }: Decided) =>
    isMissing(fact) || isPersonal(path, policy.facts) ? '(not shown)' : printable(String(fact.value));
  const message =
    `the same applicant gets ${inside.outcome} with ${path} ${words(inside)}, yet ${low.outcome} with ${words(low)} ` +
    `("${below.id}") and ${high.outcome} with ${words(high)} ("${above.id}")`;
  const applicant = { example: exampleLine(given, reasoner.table), facts: readFacts(given, policy.facts, day) };
  const hint = given.size > 0 ? describeApplicant(applicant, policy) : undefined;
  warn(nodeOf(above), 'outcome-gap', message, hint, placeOfRule(below, check));
}
