/** Reasons of a verdict and its score -> an outline. */

import type { Failures } from '../../decision/explain/explanation.ts';
import type { Score } from '../../decision/meaning/outcome.ts';
import {
  type FiredReason,
  firedReasons,
  type Reason,
  type UndeterminedReason,
  type Verdict,
} from '../../decision/meaning/verdict.ts';
import { bandAbove, type Outcome, type Policy } from '../../policy/language.ts';
import { count } from '../../text.ts';
import {
  type Block,
  type Form,
  link,
  listed,
  name,
  outcome,
  type ReasonItem,
  ruleMark,
  soft,
  strong,
  type Words,
} from '../outline.ts';
import { evidenceWords, foundWords, pointWords, type StateSetting } from './fact-states.ts';
import { causeList, whatFailed } from './missing.ts';

/** What reasons are shown with. */
export interface Reasoned {
  readonly decision: Pick<Verdict, 'reasons' | 'undetermined' | 'score'>;
  readonly policy: Policy;
  /** yyyy-MM-dd. */
  readonly day: string;
  /** The sources that did not answer. Default: those of the explanation. */
  readonly failures?: Pick<Failures, 'failedSources'> | undefined;
  readonly explanation?: Pick<Failures, 'failedSources'> | undefined;
}

/** The reasons of a decision that decided, or the others. */
export function reasonsThat(decide: boolean, shown: Reasoned, form: Form): readonly Block[] {
  const reasons = shown.decision.reasons.filter(({ decisive }) => decisive === decide);
  return reasonBlocks(reasons, shown, form);
}

/** Some reasons of a verdict. Undetermined rules, which may be dozens, are one item. */
export function reasonBlocks(reasons: readonly Reason[], shown: Reasoned, form: Form): readonly Block[] {
  const fired = firedReasons({ reasons });
  const open = reasons.filter((reason) => reason.because === 'undetermined');
  const byScore = reasons.filter((reason) => reason.because === 'score');
  const defaults = reasons.filter((reason) => reason.because === 'default');
  const of = [
    ...named(fired, form).map((each) => firedItem(each, shown, form)),
    ...more(fired, form).map((words): ReasonItem => ({ codes: [], words, from: [], on: [] })),
    ...(open.length > 0 ? [openItem(open, shown, form)] : []),
    ...(byScore.length > 0 ? [scoreItem(byScore, shown, form)] : []),
    ...defaults.map(({ code, outcome: to }) => defaultItem(code, to)),
  ];
  return of.length > 0 ? [{ is: 'reasons', of }] : [];
}

/** The number of rules that a page names one by one; its section on rules has them all. */
const MOST_NAMED = 5;

function named<Each>(all: readonly Each[], form: Form): readonly Each[] {
  return form === 'page' ? all.slice(0, MOST_NAMED) : all;
}

function more(all: readonly unknown[], form: Form): readonly Words[] {
  const left = all.length - named(all, form).length;
  return left > 0 ? [link('rules', `and what ${count(left, 'more rule')} found`)] : [];
}

function firedItem(reason: FiredReason, { policy, day }: Reasoned, form: Form): ReasonItem {
  const { code, rule, outcome: asked, points, message, evidence } = reason;
  const setting: StateSetting = { day, table: policy.facts };
  const isFinal = policy.rules.some(({ id, final }) => id === rule && final);
  return {
    codes: [code],
    words: foundWords(message, evidence, setting),
    from: [
      ['rule ', ruleMark(rule, policy)],
      ...[asked ?? [], points ? pointWords(points) : [], isFinal ? 'final' : []].flat(),
    ],
    on: form === 'text' && message !== undefined ? evidence.map((each) => evidenceWords(each, setting)) : [],
  };
}

/** All undetermined rules, after the sources that failed. */
function openItem(reasons: readonly UndeterminedReason[], shown: Reasoned, form: Form): ReasonItem {
  const { decision: verdict, policy, explanation, failures = explanation } = shown;
  const ids = new Set(reasons.map(({ rule }) => rule));
  const missing = verdict.undetermined.filter(({ rule }) => ids.has(rule)).flatMap((each) => each.missing);
  const paths = new Set(missing.map(({ fact }) => fact));
  const failedSources = failures?.failedSources.filter(({ facts }) => facts.some((path) => paths.has(path))) ?? [];
  const failed = new Set(failedSources.flatMap(({ facts }) => facts));
  const causes = causeList(missing.flatMap(({ fact, cause }) => (failed.has(fact) ? [] : cause)));
  const isOne = reasons.length === 1;
  const codes = reasons.map(({ code }) => code);
  const rules = reasons.map(({ rule }) => ruleMark(rule, policy));
  const left = reasons.length - MOST_NAMED;
  return {
    codes: isOne ? codes : [],
    words: [
      whatFailed({ failedSources }).map((sentence) => `${sentence} `),
      `${isOne ? 'A rule' : `${reasons.length} rules`} could not be determined, `,
      link('unknown', 'since facts are missing'),
      causes === '' ? '' : ` (${causes})`,
      `. ${isOne ? 'It asks' : 'Each asks'} for `,
      outcome('review'),
      ' until it is.',
    ],
    from: isOne
      ? [['rule ', rules]]
      : [
          form === 'text'
            ? listed(codes.map(name))
            : ['rules ', listed(rules.slice(0, MOST_NAMED)), left > 0 ? ` and ${left} more` : ''],
        ],
    on: [],
  };
}

/** The score and what gave points: in a text as a sum, since it has no table of them. */
function scoreItem(reasons: readonly Reason[], shown: Reasoned, form: Form): ReasonItem {
  const { decision, policy } = shown;
  const giving = firedReasons(decision).filter(({ points }) => points !== undefined && points !== 0);
  return {
    codes: reasons.map(({ code }) => code),
    words: scoreSentence(link('score', scoreWords(decision.score)), decision.score, policy),
    from: [],
    on: form === 'text' ? sumOf(giving) : partsOf(giving, shown),
  };
}

/** The bands that a score reaches and may reach, and where they begin. */
export function scoreSentence(words: Words, score: Score, policy: Policy): Words {
  const { least, most, band } = score;
  const possible = bandAbove(policy.score, least, most);
  const begins = bandsOf(policy.score).map(([each, begin]) => `${each} begins at ${begin}`);
  return [
    ['The score is ', words],
    band === null ? [] : [', in the band of ', outcome(band)],
    possible === undefined
      ? []
      : [
          `, ${band === null ? 'which' : 'and'} may reach the band of `,
          outcome(possible),
          ', depending on missing facts',
        ],
    `; ${begins.join(', ') || 'the policy has no bands'}.`,
  ];
}

/** What the rules found that gave points, in short: together their points are the score. */
function partsOf(giving: readonly FiredReason[], { policy, day }: Reasoned): readonly Words[] {
  const parts = named(giving, 'page').map(({ message, evidence, rule, points = 0 }) => [
    [strong(pointWords(points)), ' ', foundWords(message, evidence, { day, table: policy.facts }), ' '],
    soft('rule ', ruleMark(rule, policy)),
  ]);
  const left = giving.slice(parts.length).reduce((sum, { points = 0 }) => sum + points, 0);
  return [...parts, ...more(giving, 'page').map((words) => [strong(pointWords(left)), ' ', words])];
}

/** `20 = 15 one + 10 two − 5 less`; none where a single rule gave points. */
function sumOf(giving: readonly FiredReason[]): readonly Words[] {
  if (giving.length < 2) return [];
  const sum = giving.reduce((total, { points = 0 }) => total + points, 0);
  const parts = giving.map(({ rule, points = 0 }, i) => {
    const sign = points < 0 ? '− ' : i === 0 ? '' : '+ ';
    return `${sign}${Math.abs(points)} ${rule}`;
  });
  return [`${sum} = ${parts.join(' ')}`];
}

function defaultItem(code: string, to: Outcome): ReasonItem {
  const lead = "No rule that fired asks for an outcome, nor does the score: the policy's default is ";
  return { codes: [code], words: [lead, outcome(to), '.'], from: [], on: [] };
}

/** The first points of each band of a policy. */
export type Bands = { readonly [Band in 'review' | 'reject']?: number | undefined };

/** The bands that a policy has, each with its first points. */
export function bandsOf({ review, reject }: Bands): readonly (readonly [band: keyof Bands, begin: number])[] {
  return [
    ...(review === undefined ? [] : [['review', review] as const]),
    ...(reject === undefined ? [] : [['reject', reject] as const]),
  ];
}

/** `25 to 40 points`. */
export function scoreWords({ least, most }: Pick<Score, 'least' | 'most'>): string {
  return least === most ? count(least, 'point') : `${least} to ${most} points`;
}
