/** Gaps between ranges of one fact in two rules -> a warning each. */

import { isMissing } from '../../../facts/fact.ts';
import { readFacts } from '../../../facts/read.ts';
import { type Check, placeOfRule } from '../../../policy/check/context.ts';
import { isPersonal } from '../../../policy/identities.ts';
import type { Rule } from '../../../policy/language.ts';
import { printable } from '../../../text.ts';
import { exampleLine } from '../../question/find-applicant.ts';
import type { Reasoner, Time } from '../../question/reasoner.ts';
import { describeApplicant } from '../check-guarantees.ts';
import { type Decided, findGaps, type Gap } from './find-gaps.ts';
import { wasReported } from './was-reported.ts';

/** Reports gaps; gives the facts with ranges for which it is not known. */
export async function warnOfGaps(reasoner: Reasoner, check: Check, time: Time): Promise<readonly string[]> {
  const { gaps, undecided } = await findGaps(reasoner, (rule) => !isReported(rule, check), time);
  for (const gap of gaps) warnOfGap(gap, reasoner, check);
  return undecided;
}

/** Whether an ordinary check has reported a gap at a rule, or in its table. */
function isReported(rule: Rule, { nodes, tables }: Check): boolean {
  const table = tables.find(({ rows }) => rows.includes(rule));
  return wasReported(nodes.get(rule), ['border-gap']) || wasReported(table?.node, ['table-gap']);
}

function warnOfGap({ path, rules: [below, above], given, values }: Gap, reasoner: Reasoner, check: Check): void {
  const { policy, day, warn, nodeOf } = check;
  const [low, inside, high] = values;
  const words = ({ fact }: Decided) =>
    isMissing(fact) || isPersonal(path, policy.facts) ? '(not shown)' : printable(String(fact.value));
  const message =
    `the same applicant gets ${inside.outcome} with ${path} ${words(inside)}, yet ${low.outcome} with ${words(low)} ` +
    `("${below.id}") and ${high.outcome} with ${words(high)} ("${above.id}")`;
  const applicant = { example: exampleLine(given, reasoner.table), facts: readFacts(given, policy.facts, day) };
  const hint = given.size > 0 ? describeApplicant(applicant, policy) : undefined;
  warn(nodeOf(above), 'outcome-gap', message, hint, placeOfRule(below, check));
}
