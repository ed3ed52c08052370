/** A decision with its policy, facts and explanation -> one self-contained page that shows why. */

import { recordedOutcome } from '../../audit/entry/searchable.ts';
import type { Explanation } from '../../decision/explain/explanation.ts';
import type { Policy } from '../../policy/language.ts';
import { count } from '../../text.ts';
import { isReproduced } from '../words/reproduced.ts';
import { SUFFICIENT_TITLE } from '../words/sufficient.ts';
import { writePage } from './document.ts';
import { type Child, h1, p } from './markup.ts';
import type { DecisionPage, DecisionPageData } from './parts/decided.ts';
import { changesPart, sufficientPart } from './parts/explanation.ts';
import { factsPart } from './parts/facts.ts';
import { outcomeMark } from './parts/marks.ts';
import { codeName, codeValue, dayOf, instant, joined, optional } from './parts/phrases.ts';
import { notesPart, provenancePart, verificationPart } from './parts/provenance.ts';
import { reasonLists, ruleLink } from './parts/reason-list.ts';
import { scorePart } from './parts/score-chart.ts';
import { signalsPart } from './parts/signals.ts';
import { pairs } from './parts/table.ts';
import { unknownPart } from './parts/unknown.ts';
import { ruleGroups } from './rules/rule-cards.ts';
import { standings } from './rules/standing.ts';

/**
 * The page. It needs no network, no script and no other file. It does not show the applicant's phone number, email
 * and IP, but shows the values of all other facts: protect it like the record itself.
 */
export function decisionPage(data: DecisionPage): string {
  const { decision, explanation, policy, facts, day, record, notes = [] } = data;
  const context = { table: policy.facts, facts, day };
  const all = standings(policy, context, explanation);
  const { signals } = decision;
  const outcome = recordedOutcome(decision);
  const to = explanation?.changes.to;
  return writePage({
    title: ['Decision', decision.id ?? [], outcome, `${policy.name} ${policy.version}`].flat().join(' · '),
    head: head(data),
    parts: [
      { id: 'reasons', title: 'Why', content: reasonLists(decision, policy, context) },
      { id: 'rules', title: 'Rules', content: ruleGroups(all, context, explanation !== undefined) },
      { id: 'unknown', title: 'Missing facts', content: unknownPart(decision, signals?.missing ?? {}, facts, policy) },
      { id: 'score', title: 'Score', content: scorePart(decision.score, policy, all) },
      { id: 'stands-on', title: SUFFICIENT_TITLE, content: explanation && sufficientPart(explanation, context) },
      { id: 'changes', title: `What would lead to ${to}`, content: explanation && changesPart(explanation, context) },
      { id: 'facts', title: 'Facts', content: factsPart(policy, context) },
      { id: 'signals', title: 'Signals asked for', content: signals && signalsPart(signals) },
      { id: 'notes', title: 'After the decision', content: notesPart(notes) },
      { id: 'record', title: 'Record', content: provenancePart(decision, policy, day, record) },
    ],
    foot: "It does not show the applicant's phone number, email and IP address.",
  });
}

function head({ decision, explanation, policy, day, record }: DecisionPage): Child {
  const { id, clientReference, decidedAt, policy: stamp = policy } = decision;
  const outcome = recordedOutcome(decision);
  return [
    p({ class: 'kind' }, 'Decision'),
    h1(outcomeMark(outcome)),
    outcome === 'aborted' ? p({ class: 'warning' }, ABORTED, outcomeMark(decision.outcome), '.') : undefined,
    p({ class: 'lead' }, lead(decision, explanation, policy)),
    pairs([
      ['Policy', [codeValue(stamp.name), ' ', codeValue(stamp.version)]],
      ['Day of the decision', dayOf(day)],
      ['Decided', optional(decidedAt, instant)],
      ['Decision', optional(id, codeValue)],
      ['Reference', optional(clientReference, codeValue)],
      ['Record', record && verificationPart(record)],
    ]),
    explanation && !isReproduced(decision, explanation) ? p({ class: 'warning' }, NOT_REPRODUCED) : undefined,
  ];
}

const ABORTED =
  'The caller ended this decision after the service was asked, and nobody was given it. The facts that were there ' +
  'lead to ';

function lead({ reasons }: DecisionPageData, explanation: Explanation | undefined, policy: Policy): Child {
  if (explanation?.decidedBy !== undefined) {
    const links = explanation.decidedBy.map((id) => ruleLink(id, policy));
    const named = links.length > MOST_CODES ? `${links.length} final rules` : joined(links);
    return ['Decided by ', links.length === 1 ? 'the final rule ' : '', named, ' alone.'];
  }
  const decisive = reasons.filter((reason) => reason.decisive);
  const codes = [...new Set(decisive.map(({ code }) => code))];
  const shown = codes.slice(0, MOST_CODES).map((code) => codeName(code));
  const left = codes.length - shown.length;
  return [`${count(decisive.length, 'decisive reason')}: `, joined(shown), left > 0 ? `, and ${left} more` : '', '.'];
}

/** The number of reasons that the summary names. */
const MOST_CODES = 4;

/** The rules on the page do not explain such a decision. */
const NOT_REPRODUCED =
  'Decided again, this decision has another result: it was made with another policy, other facts or another engine.';
