/** A policy and facts -> every fact that the policy reads: what it means, and what it is. */

import { stateOf } from '../../../decision/explain/unfired-rules.ts';
import { factAt } from '../../../decision/meaning/truth.ts';
import { conditionFacts, type Policy } from '../../../policy/language.ts';
import { type Child, element } from '../markup.ts';
import { factName, meaningOf, stateWords } from './phrases.ts';
import { table } from './table.ts';
import type { EvaluationContext } from './truth-tree.ts';

/** The facts, folded: the rules show them too. */
export function factsPart(policy: Policy, world: EvaluationContext): Child {
  const read = conditionFacts(policy.rules);
  const paths = [...policy.facts.keys()].filter((path) => read.has(path));
  if (paths.length === 0) return undefined;
  return element(
    'details',
    { class: 'more' },
    element('summary', {}, `${paths.length} ${paths.length === 1 ? 'fact' : 'facts'}, with what they mean`),
    table({
      id: 'facts-read',
      caption: 'What the rules read',
      columns: ['Fact', 'Is', 'Meaning'],
      rows: paths.map((path) => [
        factName(path),
        stateWords(stateOf(path, factAt(world.facts, path), world), path, world),
        meaningOf(policy.facts.get(path)),
      ]),
    }),
  );
}
