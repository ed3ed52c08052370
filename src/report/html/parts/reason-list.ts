/** The reasons of a verdict -> a list: what decided it, then what else was found, each with its evidence. */

import type { Evidence } from '../../../decision/meaning/evidence.ts';
import type { FiredReason, Reason, UndeterminedReason, Verdict } from '../../../decision/meaning/verdict.ts';
import type { Policy } from '../../../policy/language.ts';
import { valueWords } from '../../words/reasons.ts';
import { DEPENDING, possibleBand, scoreWords } from '../../words/score.ts';
import { saysValue } from '../../words/sentence.ts';
import { type Child, element, type Markup } from '../markup.ts';
import { flag, outcomeMark } from './marks.ts';
import { codeName, codeValue, factName, type PhraseSetting, stateWords, testPhrase } from './phrases.ts';
import { pointWords } from './rule-card.ts';
import { anchorOf } from './standing.ts';

/** A longer list of reasons that did not decide is folded. */
const MOST_OPEN = 8;

/** The two lists; one that is empty is left out. */
export function reasonLists({ reasons, score }: Verdict, policy: Policy, setting: PhraseSetting): Child {
  const of = (isDecisive: boolean) => reasons.filter(({ decisive }) => decisive === isDecisive);
  const list = (some: readonly Reason[]) =>
    element(
      'ol',
      { class: 'reasons', role: 'list' },
      gather(some).map((each) =>
        'because' in each ? reasonItem(each, score, policy, setting) : undeterminedItem(each, policy),
      ),
    );
  const [decisive, others] = [of(true), of(false)];
  return [
    decisive.length === 0 ? undefined : [element('h3', {}, `Decisive (${decisive.length})`), list(decisive)],
    others.length === 0
      ? undefined
      : [
          element('h3', {}, `Found too, not decisive (${others.length})`),
          gather(others).length <= MOST_OPEN
            ? list(others)
            : element('details', { class: 'more' }, element('summary', {}, `${others.length} reasons`), list(others)),
        ],
  ];
}

/** Undetermined rules among reasons all say the same: there may be dozens, and they stand together at the place of the first. */
function gather(reasons: readonly Reason[]): readonly (Reason | readonly UndeterminedReason[])[] {
  const open = reasons.filter((reason) => reason.because === 'undetermined');
  if (open.length < 2) return reasons;
  return reasons.flatMap((reason): (Reason | readonly UndeterminedReason[])[] => {
    if (reason.because !== 'undetermined') return [reason];
    return reason === open[0] ? [open] : [];
  });
}

function undeterminedItem(reasons: readonly UndeterminedReason[], policy: Policy): Markup {
  return element(
    'li',
    {},
    element(
      'p',
      { class: 'reason' },
      element('strong', {}, `${reasons.length} rules could not be determined`),
      ' ',
      outcomeMark('review'),
      ' ',
      element('span', { class: 'from' }, 'each asks for review until it can be'),
    ),
    element(
      'ul',
      { class: 'evidence open', role: 'list' },
      reasons.map(({ code, rule }) =>
        element('li', {}, codeName(code), ' ', element('span', { class: 'from' }, 'rule ', ruleLink(rule, policy))),
      ),
    ),
  );
}

function reasonItem(reason: Reason, score: Verdict['score'], policy: Policy, setting: PhraseSetting): Markup {
  const points = reason.because === 'fired' && reason.points !== undefined ? pointWords(reason.points) : undefined;
  const isFinal = 'rule' in reason && policy.rules.some(({ id, final }) => id === reason.rule && final);
  return element(
    'li',
    {},
    element(
      'p',
      { class: 'reason' },
      element('strong', { class: 'code' }, codeName(reason.code)),
      ' ',
      reason.outcome ? outcomeMark(reason.outcome) : undefined,
      points === undefined ? undefined : [' ', element('span', { class: 'points' }, points)],
      isFinal ? [' ', flag('final')] : undefined,
      ' ',
      element('span', { class: 'from' }, origin(reason, policy)),
    ),
    reason.because === 'fired' ? firedDetails(reason, setting) : element('p', {}, explained(reason, score, policy)),
  );
}

function origin(reason: Reason, policy: Policy): Child {
  return 'rule' in reason ? ['rule ', ruleLink(reason.rule, policy)] : undefined;
}

/** A rule by its id, with a link to its card where the policy has it. */
export function ruleLink(id: string, { rules }: Policy): Markup {
  const place = rules.findIndex((rule) => rule.id === id);
  return place < 0 ? codeName(id) : element('a', { href: `#${anchorOf(place)}` }, codeName(id));
}

function firedDetails({ message, notice, evidence }: FiredReason, setting: PhraseSetting): Child {
  return [
    message === undefined ? undefined : element('p', { class: 'message' }, message),
    element(
      'ul',
      { class: 'evidence', role: 'list' },
      evidence.map((each) => element('li', {}, evidencePhrase(each, setting))),
    ),
    notice === undefined ? undefined : element('p', { class: 'soft' }, `The applicant may be told: ${notice}`),
  ];
}

/** A test with the value that it met. The applicant's own phone number, email and IP stay out of the page. */
function evidencePhrase(evidence: Evidence, setting: PhraseSetting): Child {
  const { fact, other } = evidence;
  const met = (path: string, found: Evidence['value']) => {
    if (found === undefined) return 'missing';
    const isHidden = setting.table.get(path)?.origin === 'applicant';
    return stateWords(isHidden ? { hidden: true } : { value: found }, path, setting);
  };
  return [
    testPhrase(evidence),
    saysValue(evidence, evidence.value)
      ? undefined
      : [element('span', { class: 'soft' }, ': is '), met(fact, evidence.value)],
    other ? ['; ', factName(other.fact), ' is ', met(other.fact, other.value)] : undefined,
  ];
}

function explained(reason: Exclude<Reason, FiredReason>, score: Verdict['score'], policy: Policy): Child {
  switch (reason.because) {
    case 'undetermined':
      return 'It could not be determined, and asks for review until it can be.';
    case 'score': {
      const points = scoreWords(score);
      return reason.code === 'SCORE'
        ? `The score, ${points}, reaches the band of ${reason.outcome}.`
        : `The score, ${points}, may reach the band of ${possibleBand(score, policy.score)}, ${DEPENDING}.`;
    }
    case 'default':
      return [
        "No rule asked for anything certain; the policy's default is ",
        codeValue(valueWords(policy.default)),
        '.',
      ];
  }
}
