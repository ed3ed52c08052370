/** Two policies -> the applicants with the same outcome and other reason codes or notices. */

import type { Verdict } from '../../decision/meaning/verdict.ts';
import { and, FALSE, type Formula, isInBox, not, or, xor } from '../solver/formula.ts';
import { type CaseBox, createCaseFinder } from './by-rules.ts';
import type { Part, PartSource } from './parts.ts';
import { type ReasonCase, ReasonCases, type ReasonChange } from './reason-cases.ts';
import { keyOf, type Reasons, reasonsOf } from './reasons.ts';
import { type Collected, collectRegions, type Limits } from './regions.ts';
import type { FoundBox, Search } from './search.ts';
import type { SumCase } from './sum-cases.ts';

/** How the reasons of two policies differ where the outcome is the same: regions of one change each. */
export type ReasonDiff = Collected<ReasonChange>;

/** Compares the reasons of two policies, exactly. The search is one for `REASONS`. */
export function diffReasons(search: Search, limits: Limits): Promise<ReasonDiff> {
  return collectRegions(search, partsByReasons(search), isChanged, limits);
}

function isChanged(change: ReasonChange, [before, after]: readonly [Verdict, Verdict]): boolean {
  if (before.outcome !== after.outcome) return false;
  const [old, now] = [reasonsOf(before), reasonsOf(after)];
  const found: ReasonChange = { added: subtract(now, old), removed: subtract(old, now) };
  return JSON.stringify(found) === JSON.stringify(change);
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
      const found = await findCases(timeoutMs);
      return typeof found === 'string' ? found : partsIn(found);
    },
  };
}
