/** The reasons of a verdict -> the decisive ones in words, each with its code and its rule below. */

import type { Explanation } from '../../../decision/explain/explanation.ts';
import type {
  FiredReason,
  Reason,
  ScoreReason,
  UndeterminedReason,
  Verdict,
} from '../../../decision/meaning/verdict.ts';
import type { Outcome, Policy } from '../../../policy/language.ts';
import { count } from '../../../text.ts';
import { foundWords, pointWords, type StateSetting } from '../../words/fact-states.ts';
import { whatFailed } from '../../words/missing.ts';
import { bandsOf, DEPENDING, possibleBand, scoreWords } from '../../words/reasons.ts';
import { a, type Child, li, type Markup, ol, p, span, strong, ul } from '../markup.ts';
import { codeName, flag, joined, outcomeMark, ruleLink, wordsOf } from './phrases.ts';

/** The number of rules that are named one by one; the section on rules has them all. */
const MOST_NAMED = 5;

/** The decisive reasons. */
export function decisiveReasons(
  { reasons, undetermined, score }: Verdict,
  explanation: Explanation | undefined,
  policy: Policy,
  setting: StateSetting,
): Markup {
  const { yes = [], no = [] } = Object.groupBy(reasons, ({ decisive }) => (decisive ? 'yes' : 'no'));
  const open = yes.filter((reason) => reason.because === 'undetermined');
  const byScore = yes.filter((reason) => reason.because === 'score');
  return ol(
    { class: 'why', role: 'list' },
    firedItems(yes.filter(isFired), policy, setting),
    open.length === 0 ? undefined : openItem(open, failedFor(open, undetermined, explanation), policy),
    byScore.length === 0 ? undefined : scoreItem(byScore, score, policy, partsOf(no.filter(isFired), policy, setting)),
    yes
      .filter((reason) => reason.because === 'default')
      .map(({ code, outcome }) => item(defaultWords(outcome, no.length === 0 && open.length === 0), codeName(code))),
  );
}

function isFired(reason: Reason): reason is FiredReason {
  return reason.because === 'fired';
}

function item(words: Child, ...from: readonly Child[]): Markup {
  return li(p({ class: 'words' }, words), p({ class: 'from' }, joined(from, ' · ')));
}

/** What the first of the rules found, each by itself. */
function firedItems(fired: readonly FiredReason[], policy: Policy, setting: StateSetting): Child {
  return [
    fired.slice(0, MOST_NAMED).map(({ message, evidence, code, rule, points }) => {
      const isFinal = policy.rules.some(({ id, final }) => id === rule && final);
      return item(
        wordsOf(foundWords(message, evidence, setting)),
        codeName(code),
        ['rule ', ruleLink(rule, policy)],
        ...(points === undefined ? [] : [pointWords(points)]),
        ...(isFinal ? [flag('final')] : []),
      );
    }),
    moreItem(fired.length),
  ];
}

/** What other rules found that gave points, in short. */
function partsOf(fired: readonly FiredReason[], policy: Policy, setting: StateSetting): Child {
  const giving = fired.filter(({ points }) => points !== undefined);
  if (giving.length === 0) return undefined;
  return ul(
    { class: 'parts', role: 'list' },
    giving
      .slice(0, MOST_NAMED)
      .map(({ message, evidence, rule, points = 0 }) =>
        li(
          strong(pointWords(points)),
          ' ',
          wordsOf(foundWords(message, evidence, setting)),
          ' ',
          span({ class: 'from' }, 'rule ', ruleLink(rule, policy)),
        ),
      ),
    moreItem(giving.length),
  );
}

function moreItem(rules: number): Child {
  const left = rules - MOST_NAMED;
  return left > 0 ? li(p(a({ href: '#rules' }, `and what ${count(left, 'more rule')} found`))) : undefined;
}

/** `The email source did not answer.`, for each source that failed and left one of the rules undetermined. */
function failedFor(
  reasons: readonly UndeterminedReason[],
  undetermined: Verdict['undetermined'],
  explanation: Explanation | undefined,
): readonly string[] {
  const open = new Set(reasons.map(({ rule }) => rule));
  const missing = undetermined.filter(({ rule }) => open.has(rule)).flatMap((each) => each.missing);
  const paths = new Set(missing.map(({ fact }) => fact));
  const failedSources = explanation?.failedSources.filter(({ facts }) => facts.some((path) => paths.has(path))) ?? [];
  return whatFailed({ failedSources });
}

/** All undetermined rules, which may be dozens, after the sources that failed. */
function openItem(reasons: readonly UndeterminedReason[], failed: readonly string[], policy: Policy): Markup {
  const left = reasons.length - MOST_NAMED;
  const isOne = reasons.length === 1;
  return item(
    [
      failed.map((sentence) => `${sentence} `),
      `${isOne ? 'A rule' : `${reasons.length} rules`} could not be determined, `,
      a({ href: '#unknown' }, 'since facts are missing'),
      `. ${isOne ? 'It asks' : 'Each asks'} for `,
      outcomeMark('review'),
      ' until it is.',
    ],
    ...(isOne ? reasons.map(({ code }) => codeName(code)) : []),
    [
      isOne ? 'rule ' : 'rules ',
      joined(reasons.slice(0, MOST_NAMED).map(({ rule }) => ruleLink(rule, policy))),
      left > 0 ? ` and ${left} more` : '',
    ],
  );
}

/** The score, and the bands that it reaches and may reach. */
function scoreItem(reasons: readonly ScoreReason[], score: Verdict['score'], policy: Policy, parts: Child): Markup {
  const possible = possibleBand(score, policy.score);
  const begins = bandsOf(policy.score).filter(([band]) => band === score.band || band === possible);
  return li(
    p(
      { class: 'words' },
      'The score is ',
      a({ href: '#score' }, scoreWords(score)),
      possible === undefined ? '' : `, ${DEPENDING}`,
      ...begins.map(([band, begin], i) => `${i === 0 ? '; ' : ', '}${band} begins at ${begin}`),
      '.',
    ),
    parts,
    p(
      { class: 'from' },
      joined(
        reasons.map(({ code }) => codeName(code)),
        ' · ',
      ),
    ),
  );
}

function defaultWords(outcome: Outcome, isAlone: boolean): Child {
  const asked = isAlone ? 'asked for an outcome' : 'that fired asked for an outcome';
  return [`No rule ${asked}, so that the policy's default applies: `, outcomeMark(outcome), '.'];
}
