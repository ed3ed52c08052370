/** Two policies -> the applicants with the same outcome and other reason codes or notices. */

import type { Sums } from '../../decision/meaning/outcome.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { Notice, Rule } from '../../policy/language.ts';
import { weigh, whenAsking } from '../../policy/weight.ts';
import { holdsIn } from '../solver/circuit.ts';
import { and, FALSE, type Formula, isInBox, not, or, TRUE, xor } from '../solver/formula.ts';
import { type CaseBox, createCaseFinder } from './by-rules.ts';
import { noticeText } from './edits/rule-edits.ts';
import type { Part, PartSource } from './parts.ts';
import { givenReasons, keyOf, noticeOf, type Reasons, reasonsOf } from './reasons.ts';
import { type Collected, collectRegions, type Limits } from './regions.ts';
import type { FoundBox, Search } from './search.ts';
import type { KeyedChange, OwnTruths, SumCase } from './sum-cases.ts';

/** How the reasons of two policies differ where the outcome is the same: regions of one change each. */
export type ReasonDiff = Collected<ReasonChange>;

/** Compares the reasons of two policies, exactly. The search is one for `REASONS`. */
export function diffReasons(search: Search, limits: Limits): Promise<ReasonDiff> {
  return collectRegions(search, partsByReasons(search), isChanged, limits);
}

function isChanged(change: ReasonChange, [before, after]: readonly [Verdict, Verdict]): boolean {
  if (before.outcome !== after.outcome) return false;
  const [old, now] = [reasonsOf(before), reasonsOf(after)];
  const actual: ReasonChange = { added: subtract(now, old), removed: subtract(old, now) };
  return JSON.stringify(actual) === JSON.stringify(change);
}

/** What one verdict gives and the other does not. */
function subtract(one: Reasons, other: Reasons): Reasons {
  const [codes, notices] = [other.codes, other.notices.map(keyOf)];
  return {
    codes: one.codes.filter((code) => !codes.includes(code)),
    notices: one.notices.filter((notice) => !notices.includes(keyOf(notice))),
  };
}

/** A box with a case in which several changes are possible, by what the common rules give. */
interface Open {
  readonly box: FoundBox;
  readonly sumCase: SumCase<ReasonCase>;
  /** That something changes, and nothing that was found. */
  readonly formulas: Formula[];
}

/** Finds parts by the rules that only one of the policies has. */
function partsByReasons(search: Search): PartSource<ReasonChange> {
  const { solver } = search;
  const reasons = new ReasonCases(search);
  const findCases = createCaseFinder(search, (own, sums) => reasons.changeAt(own, sums));
  const open: Open[] = [];

  const partOf = (
    { box, states }: FoundBox,
    sumCase: SumCase<ReasonCase>,
    change: ReasonChange,
  ): Part<ReasonChange> => {
    const { how, words } = sumCase;
    return {
      box,
      states,
      changeCase: {
        change,
        formula: and([sumCase.formula(), reasons.formulaFor(how, change)]),
        key: JSON.stringify([change, sumCase.key]),
        words: [...(words ? [words] : []), ...reasons.wordsFor(how, change)],
      },
    };
  };
  const partsIn = (box: CaseBox<ReasonCase>) =>
    box.cases.flatMap((sumCase): readonly Part<ReasonChange>[] => {
      const differs = or(sumCase.how.map((item) => xor(...reasons.formulasOf(item))));
      if (differs === FALSE) return [];
      const formulas = sumCase.how.flatMap((item) => reasons.formulasOf(item));
      if (formulas.every(({ kind }) => kind === 'constant')) {
        // A rule of both policies that always fires may give what an own rule gives.
        return [partOf(box, sumCase, reasons.changeIn(sumCase.how, box.states))];
      }
      open.push({ box, sumCase, formulas: [isInBox(box.box), sumCase.formula(), differs] });
      return [];
    });

  return {
    async next(timeoutMs) {
      const [first] = open;
      if (first) {
        const answer = await solver.ask(first.formulas, timeoutMs);
        if (answer.kind === 'unknown') return 'unknown';
        if (answer.kind === 'unsatisfiable') {
          open.shift();
          return [];
        }
        const change = reasons.changeIn(first.sumCase.how, answer.states);
        first.formulas.push(not(reasons.formulaFor(first.sumCase.how, change)));
        return [partOf({ ...first.box, states: answer.states }, first.sumCase, change)];
      }
      const casesFound = await findCases(timeoutMs);
      return typeof casesFound === 'string' ? casesFound : partsIn(casesFound);
    },
  };
}

/** What is added and removed. */
export interface ReasonChange {
  readonly added: Reasons;
  readonly removed: Reasons;
}

/** Where a policy gives a notice: always, or where a rule of both policies of one of these kinds fires. */
type GivenBy = 'itself' | readonly string[];

/** A code or a notice that only one policy gives, unless rules of both policies give it too. */
interface Item {
  readonly kind: keyof Reasons;
  readonly value: Notice;
  readonly by: readonly [old: GivenBy, now: GivenBy];
}

/** The items that change for some sums. */
type ReasonCase = readonly Item[];

/** Which notices a rule gives depends on these alone. */
function kindOf({ then, final }: Rule): string {
  return `${final ? 'final ' : ''}${then}`;
}

/** Finds what changes for truths of the own rules and sums of the common ones. */
class ReasonCases {
  readonly #search: Search;
  /** A rule of each kind, and the notices of each kind. */
  readonly #rules: readonly Rule[];
  readonly #notices: ReadonlyMap<string, ReadonlyMap<string, Notice>>;

  constructor(search: Search) {
    this.#search = search;
    const withNotice = search.common.filter(({ notice }) => notice !== undefined);
    this.#rules = [...new Map(withNotice.map((rule) => [kindOf(rule), rule])).values()];
    this.#notices = new Map(
      [...Map.groupBy(withNotice, kindOf)].map(([kind, rules]) => [kind, byKey(rules.flatMap(noticeOf))]),
    );
  }

  /** Undefined where the outcome or nothing changes. */
  changeAt(own: OwnTruths, sums: Sums): KeyedChange<ReasonCase> | undefined {
    const { policies } = this.#search;
    const before = givenReasons(policies[0], own[0], sums, this.#rules);
    const after = givenReasons(policies[1], own[1], sums, this.#rules);
    if (before.outcome !== after.outcome) return undefined;
    const [old, now] = [before.decisive.map(kindOf), after.decisive.map(kindOf)];
    const codes = findDiffering(before.codes, after.codes).map((value): Item => {
      const by = (codes: readonly string[]): GivenBy => (codes.includes(value) ? 'itself' : []);
      return { kind: 'codes', value, by: [by(before.codes), by(after.codes)] };
    });
    const byItself = [byKey(before.notices), byKey(after.notices)] as const;
    const changed = new Map([...byItself[0], ...byItself[1]]);
    for (const kind of findDiffering(old, now)) {
      for (const [key, notice] of this.#notices.get(kind) ?? []) changed.set(key, notice);
    }
    const notices = [...changed].sort().flatMap(([key, value]): Item | [] => {
      const by = (side: 0 | 1, decisive: readonly string[]): GivenBy =>
        byItself[side].has(key) ? 'itself' : decisive.filter((kind) => this.#notices.get(kind)?.has(key));
      const both = [by(0, old), by(1, now)] as const;
      return String(both[0]) === String(both[1]) ? [] : { kind: 'notices', value, by: both };
    });
    const how = [...codes, ...notices];
    return how.length > 0 ? { key: JSON.stringify(how), how } : undefined;
  }

  /** When both policies give an item, by side. */
  formulasOf({ kind, value, by }: Item): readonly [old: Formula, now: Formula] {
    const { common, encoding } = this.#search;
    const formulaOf = (given: GivenBy): Formula => {
      if (given === 'itself') return TRUE;
      if (kind === 'notices') {
        const rules = common.filter((rule) => given.includes(kindOf(rule)) && has(rule, value));
        return or(rules.map(({ when }) => encoding.truth(when).certain));
      }
      return or(
        common
          .filter(({ reason }) => reason === value)
          .map((rule) => whenAsking(weigh(rule), encoding.truth(rule.when))),
      );
    };
    return [formulaOf(by[0]), formulaOf(by[1])];
  }

  /** What changes in a state of each variable. */
  changeIn(items: ReasonCase, states: readonly number[]): ReasonChange {
    const given = items.map((item) => this.formulasOf(item).map((formula) => holdsIn(formula, states)));
    const changed = (side: 0 | 1): Reasons => {
      const ownItems = items.filter((_, i) => given[i]?.[side] && !given[i]?.[1 - side]);
      const valuesOf = (kind: keyof Reasons) => ownItems.flatMap((item) => (item.kind === kind ? [item.value] : []));
      return { codes: valuesOf('codes').map(String), notices: valuesOf('notices') };
    };
    return { added: changed(1), removed: changed(0) };
  }

  /** When just this changes of the items. */
  formulaFor(items: ReasonCase, { added, removed }: ReasonChange): Formula {
    return and(
      items.flatMap((item) => {
        const [old, now] = this.formulasOf(item);
        if (isAmong(item, added)) return [not(old), now];
        return isAmong(item, removed) ? [old, not(now)] : [not(xor(old, now))];
      }),
    );
  }

  /** A sentence for each code and notice of a change that depends on rules of both policies. */
  wordsFor(items: ReasonCase, { added, removed }: ReasonChange): readonly string[] {
    const words = items.flatMap((item) => {
      const { kind, value } = item;
      const formulas = this.formulasOf(item);
      const open = formulas.filter((each) => each.kind !== 'constant');
      if (open.length === 0) return [];
      if (open.length > 1 && kind === 'notices') return [BY_OTHERS];
      const isChanged = isAmong(item, added) || isAmong(item, removed);
      // A policy that gives it by itself keeps it unless the other gives it too.
      const isGiven = formulas.includes(TRUE) ? !isChanged : isChanged;
      const what = kind === 'codes' ? `the reason ${value}` : `the notice ${noticeText(value)}`;
      return [`${isGiven ? 'another' : 'no other'} rule gives ${what}`];
    });
    return [...new Set(words)];
  }
}

function findDiffering(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set(one).symmetricDifference(new Set(other))].sort();
}

function byKey(notices: readonly Notice[]): ReadonlyMap<string, Notice> {
  return new Map(notices.map((notice) => [keyOf(notice), notice]));
}

function has({ notice }: Rule, value: Notice): boolean {
  return notice !== undefined && keyOf(notice) === keyOf(value);
}

/** Whether a code or a notice is among these reasons. */
function isAmong({ kind, value }: Item, reasons: Reasons): boolean {
  return reasons[kind].some((each) => keyOf(each) === keyOf(value));
}

/** Where both policies give a notice by rules that they share, though not by the same ones. */
const BY_OTHERS = 'the rules that did not change lead to just this change';
