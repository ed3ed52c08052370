/** A policy and facts -> every fact that the policy reads, with its value and its meaning. */

import { stateOf } from '../../../decision/explain/unfired-rules.ts';
import { factAt } from '../../../decision/meaning/truth.ts';
import { conditionFacts, type Policy } from '../../../policy/language.ts';
import { count } from '../../../text.ts';
import type { Child } from '../markup.ts';
import type { EvaluationContext } from '../rules/truth-tree.ts';
import { factName, stateWords } from './phrases.ts';
import { folded, table } from './table.ts';

/** The facts, folded, since the rules show them too. */
export function factsPart(policy: Policy, context: EvaluationContext): Child {
  const read = conditionFacts(policy.rules);
  const paths = [...policy.facts.keys()].filter((path) => read.has(path));
  if (paths.length === 0) return undefined;
  return folded(
    `${count(paths.length, 'fact')}, with their values and what they mean`,
    table({
      id: 'facts-read',
      caption: 'What the rules read',
      columns: ['Fact', 'Is', 'Meaning'],
      rows: paths.map((path) => [
        factName(path, policy.facts),
        stateWords(stateOf(path, factAt(context.facts, path), context), path, context),
        policy.facts.get(path)?.description,
      ]),
    }),
  );
}
