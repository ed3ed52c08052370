/** A decision with its policy, facts and explanation -> one self-contained page that shows why. */

import { recordedOutcome } from '../../audit/entry/searchable.ts';
import { SUFFICIENT_TITLE } from '../explanation.ts';
import { isReproduced } from '../record.ts';
import { writePage } from './document.ts';
import { type Child, h1, p } from './markup.ts';
import { factsPart, unknownPart } from './parts/facts.ts';
import { dayOf, outcomeMark, type PhraseSetting } from './parts/phrases.ts';
import { type DecisionPage, headPairs, notesPart, provenancePart, signalsPart } from './parts/provenance.ts';
import { scorePart } from './parts/score-chart.ts';
import { changesPart, sufficientPart } from './parts/settled.ts';
import { toldPart } from './parts/told.ts';
import { decisiveReasons } from './parts/why.ts';
import { foundRules, otherRules } from './rules/rule-cards.ts';
import { standings } from './rules/standing.ts';

/**
 * The page: first what a person asks who talks to the applicant, then what an analyst asks, at the end the rules that
 * did not fire. It needs no network, no script and no other file. It does not show the values of personal facts, but
 * those of all other facts: protect it like the record itself.
 */
export function decisionPage(data: DecisionPage): string {
  const { decision, explanation, policy, facts, day, record, notes = [] } = data;
  const context = { table: policy.facts, facts, day };
  const all = standings(policy, decision, context, explanation);
  const { signals } = decision;
  const outcome = recordedOutcome(decision);
  const to = explanation?.changes.to;
  return writePage({
    title: ['Decision', decision.id ?? [], outcome, `${policy.name} ${policy.version}`].flat().join(' · '),
    head: head(data, context),
    parts: [
      { id: 'notes', title: 'After the decision', content: notesPart(notes) },
      {
        id: 'unknown',
        title: 'What was not known',
        content: unknownPart(decision, explanation, facts, policy),
      },
      { id: 'score', title: 'Score', content: scorePart(decision.score, policy, all) },
      { id: 'changes', title: `What would lead to ${to}`, content: explanation && changesPart(explanation, context) },
      {
        id: 'told',
        title: 'What the applicant may be told',
        content: outcome === 'aborted' ? undefined : toldPart(decision, facts, policy),
      },
      { id: 'rules', title: 'Fired and undetermined rules', content: foundRules(all, context) },
      { id: 'settled', title: SUFFICIENT_TITLE, content: explanation && sufficientPart(explanation, context) },
      { id: 'facts', title: 'Facts', content: factsPart(policy, context) },
      { id: 'signals', title: 'Signals asked for', content: signals && signalsPart(signals) },
      { id: 'record', title: 'Record', content: provenancePart(decision, policy, record) },
      {
        id: 'others',
        title: 'Rules that did not fire',
        content: otherRules(all, context, explanation !== undefined),
      },
    ],
    foot: "It does not show the applicant's phone number, email and IP address, nor other personal facts.",
  });
}

function head({ decision, explanation, policy, day, record }: DecisionPage, setting: PhraseSetting): Child {
  const outcome = recordedOutcome(decision);
  const isAlone = explanation?.decidedBy !== undefined;
  return [
    p({ class: 'kind' }, 'Decision'),
    h1(outcomeMark(outcome)),
    outcome === 'aborted' ? p({ class: 'warning' }, ABORTED, outcomeMark(decision.outcome), '.') : undefined,
    explanation && !isReproduced(decision, explanation) ? p({ class: 'warning' }, NOT_REPRODUCED) : undefined,
    decisiveReasons(decision, explanation, policy, setting),
    isAlone
      ? p({ class: 'soft' }, 'A final rule decides alone, whatever the other rules and the score ask for.')
      : undefined,
    headPairs(decision, policy, record, decision.decidedAt === undefined ? [['Day', dayOf(day)]] : []),
  ];
}

const ABORTED =
  'The caller ended this decision after the service was asked, and nobody was given it. The facts that were there ' +
  'lead to ';

/** The rules on the page do not explain such a decision. */
const NOT_REPRODUCED =
  'Decided again, this decision has another result: it was made with another policy, other facts or another engine.';
