/** The reasons of a verdict -> two lists: the decisive reasons, then the others, each with its evidence. */

import type { Evidence } from '../../../decision/meaning/evidence.ts';
import type { FiredReason, Reason, UndeterminedReason, Verdict } from '../../../decision/meaning/verdict.ts';
import { isPersonal } from '../../../policy/identities.ts';
import type { Notice, Policy } from '../../../policy/language.ts';
import { valueWords } from '../../words/reasons.ts';
import { DEPENDING, possibleBand, scoreWords } from '../../words/score.ts';
import { saysValue } from '../../words/sentence.ts';
import { a, type Child, h3, li, type Markup, ol, p, span, strong, ul } from '../markup.ts';
import { pointWords } from '../rules/rule-card.ts';
import { anchorOf } from '../rules/standing.ts';
import { flag, outcomeMark, soft } from './marks.ts';
import {
  codeName,
  codeValue,
  factName,
  noticePhrase,
  optional,
  type PhraseSetting,
  stateWords,
  testPhrase,
} from './phrases.ts';
import { folded } from './table.ts';

/** A longer list of reasons that are not decisive is folded. */
const MOST_OPEN = 8;

/** The two lists; an empty one is left out. */
export function reasonLists({ reasons, score }: Verdict, policy: Policy, setting: PhraseSetting): Child {
  const list = (some: readonly Reason[]) =>
    ol(
      { class: 'reasons', role: 'list' },
      gather(some).map((each) =>
        'because' in each ? reasonItem(each, score, policy, setting) : undeterminedItem(each, policy),
      ),
    );
  const { yes, no } = Object.groupBy(reasons, ({ decisive }) => (decisive ? 'yes' : 'no'));
  return [
    optional(yes, (decisive) => [h3(`Decisive (${decisive.length})`), list(decisive)]),
    optional(no, (others) => [
      h3(`Found too, not decisive (${others.length})`),
      gather(others).length <= MOST_OPEN ? list(others) : folded(`${others.length} reasons`, list(others)),
    ]),
  ];
}

/** Puts all undetermined rules, of which there may be dozens, into one item at the position of the first. */
function gather(reasons: readonly Reason[]): readonly (Reason | readonly UndeterminedReason[])[] {
  const open = reasons.filter((reason) => reason.because === 'undetermined');
  if (open.length < 2) return reasons;
  return reasons.flatMap((reason): (Reason | readonly UndeterminedReason[])[] => {
    if (reason.because !== 'undetermined') return [reason];
    return reason === open[0] ? [open] : [];
  });
}

function undeterminedItem(reasons: readonly UndeterminedReason[], policy: Policy): Markup {
  return li(
    p(
      { class: 'reason' },
      strong(`${reasons.length} rules could not be determined`),
      ' ',
      outcomeMark('review'),
      ' ',
      span({ class: 'from' }, 'each asks for review until it is determined'),
    ),
    ul(
      { class: 'evidence open', role: 'list' },
      reasons.map(({ code, rule }) =>
        li(codeName(code), ' ', span({ class: 'from' }, 'rule ', ruleLink(rule, policy))),
      ),
    ),
  );
}

function reasonItem(reason: Reason, score: Verdict['score'], policy: Policy, setting: PhraseSetting): Markup {
  const points = reason.because === 'fired' && reason.points !== undefined ? pointWords(reason.points) : undefined;
  const isFinal = 'rule' in reason && policy.rules.some(({ id, final }) => id === reason.rule && final);
  return li(
    p(
      { class: 'reason' },
      strong({ class: 'code' }, codeName(reason.code)),
      ' ',
      reason.outcome ? outcomeMark(reason.outcome) : undefined,
      optional(points, (text) => [' ', span({ class: 'points' }, text)]),
      isFinal ? [' ', flag('final')] : undefined,
      ' ',
      span({ class: 'from' }, origin(reason, policy)),
    ),
    reason.because === 'fired' ? firedDetails(reason, setting) : p(explanationOf(reason, score, policy)),
    'notice' in reason ? noticeLine(reason.notice) : undefined,
  );
}

function origin(reason: Reason, policy: Policy): Child {
  return 'rule' in reason ? ['rule ', ruleLink(reason.rule, policy)] : undefined;
}

/** The id of a rule, with a link to its card if the policy has the rule. */
export function ruleLink(id: string, { rules }: Policy): Markup {
  const index = rules.findIndex((rule) => rule.id === id);
  return index < 0 ? codeName(id) : a({ href: `#${anchorOf(index)}` }, codeName(id));
}

function firedDetails({ message, evidence }: FiredReason, setting: PhraseSetting): Child {
  return [
    optional(message, (text) => p({ class: 'message' }, text)),
    ul(
      { class: 'evidence', role: 'list' },
      evidence.map((each) => li(evidencePhrase(each, setting))),
    ),
  ];
}

function noticeLine(notice: Notice | undefined): Child {
  return optional(notice, (known) => p({ class: 'soft' }, 'The applicant may be told: ', noticePhrase(known)));
}

/** A test with the value of its fact. The page never shows the values of personal facts. */
function evidencePhrase(evidence: Evidence, setting: PhraseSetting): Child {
  const { fact, other } = evidence;
  const met = (path: string, found: Evidence['value']) => {
    if (found === undefined) return 'missing';
    const isHidden = isPersonal(path, setting.table);
    return stateWords(isHidden ? { hidden: true } : { value: found }, path, setting);
  };
  return [
    testPhrase(evidence, setting),
    saysValue(evidence, evidence.value) ? undefined : [soft(': is '), met(fact, evidence.value)],
    other ? ['; ', factName(other.fact), ' is ', met(other.fact, other.value)] : undefined,
  ];
}

function explanationOf(reason: Exclude<Reason, FiredReason>, score: Verdict['score'], policy: Policy): Child {
  switch (reason.because) {
    case 'undetermined':
      return 'The rule could not be determined, and asks for review until it is.';
    case 'score': {
      const points = scoreWords(score);
      return reason.code === 'SCORE'
        ? `The score, ${points}, reaches the band of ${reason.outcome}.`
        : `The score, ${points}, may reach the band of ${possibleBand(score, policy.score)}, ${DEPENDING}.`;
    }
    case 'default':
      return [
        "No rule certainly asked for an outcome; the policy's default is ",
        codeValue(valueWords(policy.default)),
        '.',
      ];
  }
}
