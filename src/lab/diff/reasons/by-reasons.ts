/** Two policies -> parts in which their reasons change and their outcome does not. */

import { asked } from '../../solver/encode.ts';
import { and, FALSE, type Formula, isInBox, not, or, xor } from '../../solver/formula.ts';
import { truthsAt } from '../by-rules.ts';
import { createOwnBoxes, type OwnBox } from '../own-boxes.ts';
import type { Part, PartSource } from '../part.ts';
import type { Search } from '../search.ts';
import { type OwnTruths, type SumCase, sumCases } from '../sums/sum-cases.ts';
import { dependsWords } from './depends-words.ts';
import { type ReasonCase, ReasonCases, type ReasonChange } from './reason-case.ts';

/** A box with a case in which several changes are possible, by what the common rules give. */
interface Open {
  readonly box: OwnBox;
  readonly sumCase: SumCase<ReasonCase>;
  /** That something changes, and nothing that was found. */
  readonly formulas: Formula[];
}

/** Finds parts by the rules that only one of the policies has. */
export function partsByReasons(search: Search): PartSource<ReasonChange> {
  const { space, encoding, solver, policies, common } = search;
  const context = { policies, common: asked(common, encoding) };
  const reasons = new ReasonCases(search);
  const casesFor = (own: OwnTruths) => sumCases(context, own, (sums) => reasons.changeAt(own, sums));
  const keyOf = ({ how, key }: SumCase<ReasonCase>) => JSON.stringify([how, key]);
  const boxes = createOwnBoxes(search, (own) => casesFor(own).map(keyOf).join());
  const open: Open[] = [];

  const partOf = (
    { box, states }: Pick<OwnBox, 'box' | 'states'>,
    sumCase: SumCase<ReasonCase>,
    change: ReasonChange,
  ): Part<ReasonChange> => {
    const { how, words } = sumCase;
    const wanted = JSON.stringify(change);
    return {
      box,
      states,
      changeCase: {
        change,
        formula: and([sumCase.formula(), reasons.formulaFor(how, change)]),
        key: JSON.stringify([change, keyOf(sumCase)]),
        words: [...(words ? [words] : []), ...dependsWords(how, change, (item) => reasons.formulasOf(item))],
        holds: (at) => {
          const truths = truthsAt(common, space, at);
          return sumCase.holds(truths) && JSON.stringify(reasons.changeFor(how, truths)) === wanted;
        },
      },
    };
  };
  const partsIn = (box: OwnBox) =>
    casesFor(box.truths).flatMap((sumCase): readonly Part<ReasonChange>[] => {
      const differs = or(sumCase.how.map((item) => xor(...reasons.formulasOf(item))));
      if (differs === FALSE) return [];
      const formulas = sumCase.how.flatMap((item) => reasons.formulasOf(item));
      if (formulas.every(({ kind }) => kind === 'constant')) {
        // A rule of both policies that always fires may give what an own rule gives.
        const truths = truthsAt(common, space, box.states);
        return [partOf(box, sumCase, reasons.changeFor(sumCase.how, truths))];
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
        const change = reasons.changeFor(first.sumCase.how, truthsAt(common, space, answer.states));
        first.formulas.push(not(reasons.formulaFor(first.sumCase.how, change)));
        return [partOf({ ...first.box, states: answer.states }, first.sumCase, change)];
      }
      const found = await boxes.next(timeoutMs);
      return typeof found === 'string' ? found : partsIn(found);
    },
  };
}
