/** A policy and the facts of a decision -> those that it reads, and those that were missing, with the reason. */

import type { Explanation } from '../../../decision/explain/explanation.ts';
import { stateOf } from '../../../decision/explain/unfired-rules.ts';
import type { MissingEvidence } from '../../../decision/meaning/evidence.ts';
import { factAt } from '../../../decision/meaning/truth.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { type Facts, isMissing } from '../../../facts/fact.ts';
import { isPersonal } from '../../../policy/identities.ts';
import { conditionFacts, type Policy } from '../../../policy/language.ts';
import { count } from '../../../text.ts';
import { factCell } from '../../words/fact-states.ts';
import { causeWords, failedSentences } from '../../words/missing.ts';
import { type Child, div, p } from '../markup.ts';
import { codeValue, joined, ruleLink, statePhrase, wordsOf } from './phrases.ts';
import type { DecisionPageData } from './provenance.ts';
import type { EvaluationContext } from './standing.ts';
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
        wordsOf(factCell(path, policy.facts)),
        statePhrase(path, stateOf(path, factAt(context.facts, path), context), context),
        policy.facts.get(path)?.description,
      ]),
    }),
  );
}

interface MissingFact {
  readonly fact: string;
  readonly cause: MissingEvidence['cause'];
  /** The rules that it left undetermined. */
  readonly rules: readonly string[];
}

/** The sources that failed, the facts that rules needed, and the other missing facts. */
export function unknownPart(
  { undetermined, signals }: DecisionPageData,
  explanation: Explanation | undefined,
  facts: Facts,
  policy: Policy,
): Child {
  const needed = neededFacts(undetermined);
  const others = Object.entries(signals?.missing ?? {}).filter(([path]) => !needed.some(({ fact }) => fact === path));
  const sentences = explanation ? failedSentences(explanation) : [];
  const why = (fact: string, cause: MissingEvidence['cause']) => [
    causeWords(fact, cause, policy.facts),
    foundInstead(fact, facts, policy.facts),
  ];
  const neededTable = table({
    id: 'unknown-facts',
    caption: 'Missing facts that left rules undetermined, those that the most rules need first',
    columns: ['Fact', 'Why it is missing', 'Needed by'],
    rows: needed.map(({ fact, cause, rules }) => [
      wordsOf(factCell(fact, policy.facts)),
      why(fact, cause),
      joined(rules.map((id) => ruleLink(id, policy))),
    ]),
  });
  const isLong = sentences.length > 0 && needed.length > MOST_OPEN;
  return [
    sentences.length === 0
      ? undefined
      : div(
          { class: 'callout' },
          sentences.map((sentence) => p(sentence)),
        ),
    needed.length === 0 ? p('Every fact that a rule needed was known.') : undefined,
    needed.length === 0 || isLong ? undefined : neededTable,
    isLong ? folded(`${count(needed.length, 'missing fact')}, and the rules that need them`, neededTable) : undefined,
    others.length === 0
      ? undefined
      : folded(
          `${count(others.length, 'missing fact')} that no rule needed`,
          table({
            id: 'unneeded-facts',
            caption: 'Missing facts that left no rule undetermined',
            columns: ['Fact', 'Why it is missing'],
            rows: others.map(([fact, cause]) => [wordsOf(factCell(fact, policy.facts)), why(fact, cause)]),
          }),
        ),
  ];
}

/** Where a source failed, a longer list of the facts that it did not bring is folded. */
const MOST_OPEN = 4;

/** The facts that left rules undetermined, those that left the most first. */
function neededFacts(undetermined: Verdict['undetermined']): readonly MissingFact[] {
  const found = new Map<string, MissingFact>();
  for (const { rule, missing } of undetermined) {
    for (const { fact, cause } of missing) {
      found.set(fact, { fact, cause, rules: [...(found.get(fact)?.rules ?? []), rule] });
    }
  }
  return [...found.values()].sort((one, other) => other.rules.length - one.rules.length);
}

/** The value that could not be read, unless it may be personal: that of an undeclared or derived fact may be, too. */
function foundInstead(path: string, facts: Facts, definitions: FactTable): Child {
  const fact = factAt(facts, path);
  const origin = definitions.get(path)?.origin;
  const isShown = (origin === 'service' || origin === 'caller') && !isPersonal(path, definitions);
  if (!isMissing(fact) || fact.raw === undefined || !isShown) return undefined;
  return [': ', codeValue(fact.raw)];
}
