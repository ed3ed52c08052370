/** A decision, and what is known of it -> an outline, whose sections a text and a page show in their own order. */

import { recordedOutcome } from '../audit/entry/searchable.ts';
import type { Decision } from '../decision/decision.ts';
import type { Explanation, Failures } from '../decision/explain/explanation.ts';
import { stateOf } from '../decision/explain/unfired-rules.ts';
import type { MissingEvidence } from '../decision/meaning/evidence.ts';
import { factAt } from '../decision/meaning/truth.ts';
import type { Reason, Verdict } from '../decision/meaning/verdict.ts';
import type { FactTable } from '../facts/catalog.ts';
import { factsAmong } from '../facts/compute.ts';
import { type Facts, isMissing } from '../facts/fact.ts';
import { isPersonal } from '../policy/identities.ts';
import { conditionFacts, type Notice, noticeTexts, type Policy } from '../policy/language.ts';
import { openPoints } from '../policy/weight.ts';
import { count, printable } from '../text.ts';
import {
  aside,
  type Block,
  code,
  type Form,
  heading,
  list,
  listed,
  name,
  OUTCOME_STYLES,
  paragraph,
  ruleMark,
  type Styler,
  said,
  soft,
  strong,
  type Table,
  type TextBlock,
  type Words,
} from './outline.ts';
import { sectionLines } from './plain-text.ts';
import type { Named, RecordState, ShownPeople } from './provenance.ts';
import { factCell, pointWords, stateWords } from './words/fact-states.ts';
import { causeWords, failedSentences, sourceName } from './words/missing.ts';
import { bandsOf, reasonsThat, scoreSentence, scoreWords } from './words/reasons.ts';

/** A verdict, and what is known of its decision: one on facts in hand has neither id nor signals. */
export type DecisionData = Verdict & Named & Partial<Pick<Decision, 'signals'>>;

/** A decision with its policy and facts. */
export interface ShownDecision extends ShownPeople {
  readonly decision: DecisionData;
  readonly policy: Policy;
  readonly facts: Facts;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  /** Of the same data. Without it, a page says neither what stopped a rule nor what would change the outcome. */
  readonly explanation?: Explanation | undefined;
  /** The sources that did not answer. Default: those of the explanation. */
  readonly failures?: Failures | undefined;
  readonly record?: RecordState;
}

/** What rules read, folded on a page, since its rules show them too. */
export function factBlocks({ policy, facts, day }: ShownDecision): readonly Block[] {
  const setting = { table: policy.facts, day };
  const read = conditionFacts(policy.rules);
  const paths = [...policy.facts.keys()].filter((path) => read.has(path));
  if (paths.length === 0) return [];
  const rows = paths.map((path) => [
    factCell(path, policy.facts),
    stateWords(path, stateOf(path, factAt(facts, path), setting), setting),
    policy.facts.get(path)?.description ?? [],
  ]);
  const title = `${count(paths.length, 'fact')}, with their values and what they mean`;
  const page = { id: 'facts-read', caption: 'What the rules read', folded: title };
  return [{ is: 'table', columns: ['fact', 'is', 'meaning'], rows, page }];
}

/** The score with its bands, and where its points come from; none if the policy has no bands and no rule gave any. */
export function scoreBlocks({ score, reasons, undetermined }: Verdict, policy: Policy): readonly Block[] {
  const given = reasons.flatMap((each) => (each.because === 'fired' ? [[each.rule, each.points] as const] : []));
  const possible = new Set(undetermined.map(({ rule }) => rule));
  const open = policy.rules.flatMap((rule) => (possible.has(rule.id) ? [[rule.id, openPoints(rule)] as const] : []));
  const counted = [...given, ...open].filter(([, points]) => points !== undefined);
  if (bandsOf(policy.score).length === 0 && counted.length === 0) return [];
  const range = ' It is a range, since rules with points could not be determined.';
  const sentence = scoreSentence(strong(scoreWords(score)), score, policy);
  const words = paragraph(sentence, score.least === score.most ? '' : range);
  if (counted.length === 0) return [words];
  const isRange = counted.some(([rule]) => possible.has(rule));
  const sum = given.reduce((total, [, points = 0]) => total + points, 0);
  const points: Table = {
    is: 'table',
    columns: ['rule', ...(isRange ? ['certain', 'possible'] : ['points'])],
    rows: counted.map(([rule, each = 0]) => [
      ruleMark(rule, policy),
      ...(possible.has(rule) ? [''] : []),
      pointWords(each),
      ...(isRange && !possible.has(rule) ? [''] : []),
    ]),
    total: ['Total', count(sum, 'point'), ...(isRange ? [scoreWords(score)] : [])],
    page: { id: 'points-of-rules', caption: 'Where the points come from', width: 'tight' },
  };
  return [words, points];
}

/** Where a source failed, a longer list of the facts that it did not bring is folded on a page. */
const MOST_OPEN = 4;

/** The sources that failed, the facts that rules needed, and the other missing facts. */
export function unknownBlocks(shown: ShownDecision, form: Form): readonly Block[] {
  const { decision, policy, failures = shown.explanation } = shown;
  const sentences = failures ? failedSentences({ ...failures, outcome: decision.outcome }) : [];
  const rows = missingRows(shown, form);
  const lacking = new Set(decision.undetermined.flatMap(({ missing }) => missing.map(({ fact }) => fact)));
  const others = Object.entries(decision.signals?.missing ?? {}).filter(([path]) => !lacking.has(path));
  const isLong = sentences.length > 0 && rows.length > MOST_OPEN;
  const neededTable: Table = {
    is: 'table',
    columns: ['fact', 'why it is missing', 'needed by'],
    rows,
    page: {
      id: 'unknown-facts',
      caption: 'Missing facts that left rules undetermined, those that the most rules need first',
      folded: isLong ? `${count(rows.length, 'missing fact')}, and the rules that need them` : undefined,
    },
  };
  const unneeded: Table = {
    is: 'table',
    columns: ['fact', 'why it is missing'],
    rows: others.map(([fact, cause]) => [factCell(fact, policy.facts), whyMissing(fact, cause, shown, form)]),
    page: {
      id: 'unneeded-facts',
      caption: 'Missing facts that left no rule undetermined',
      folded: `${count(others.length, 'missing fact')} that no rule needed`,
    },
  };
  return [
    ...(sentences.length > 0 ? [aside('callout', sentences)] : []),
    ...(rows.length > 0 ? [neededTable] : []),
    ...(form === 'page' && rows.length === 0 ? [paragraph('Every fact that a rule needed was known.')] : []),
    ...(form === 'page' && others.length > 0 ? [unneeded] : []),
  ];
}

/** The facts that left rules undetermined, the most needed first; in a text those of a failed source are one. */
function missingRows(shown: ShownDecision, form: Form): readonly (readonly Words[])[] {
  const { decision, policy, failures = shown.explanation } = shown;
  const needed = decision.undetermined.flatMap(({ rule, missing }) => missing.map((each) => ({ ...each, rule })));
  const sourceOf = (path: string) =>
    form === 'text' ? failures?.failedSources.find(({ facts }) => facts.includes(path)) : undefined;
  const groups = [...Map.groupBy(needed, ({ fact }) => sourceOf(fact)?.source ?? fact).values()];
  const rows = groups.flatMap(([first, ...others]) => {
    if (!first) return [];
    const source = sourceOf(first.fact);
    const what = source ? [sourceName(source.source), ': ', listed(source.facts)] : factCell(first.fact, policy.facts);
    const rules = [...new Set([first, ...others].map(({ rule }) => rule))];
    return { rules, cells: [what, whyMissing(first.fact, first.cause, shown, form)] };
  });
  rows.sort((one, other) => other.rules.length - one.rules.length);
  return rows.map(({ rules, cells }) => [...cells, listed(rules.map((id) => ruleMark(id, policy)))]);
}

/**
 * The cause; on a page with the value that could not be read, unless it may be personal: as of an undeclared or derived
 * fact. The output of terminals is logged, and an unreadable value may be anything.
 */
function whyMissing(path: string, cause: MissingEvidence['cause'], shown: ShownDecision, form: Form): Words {
  const { facts, policy } = shown;
  const fact = factAt(facts, path);
  const origin = policy.facts.get(path)?.origin;
  const isGiven = ['service', 'caller'].includes(origin ?? '') && !isPersonal(path, policy.facts);
  const found = form === 'page' && isGiven && isMissing(fact) && fact.raw !== undefined ? [': ', code(fact.raw)] : [];
  return [causeWords(path, cause, policy.facts), found];
}

/** What the applicant may be told; on a page also what to ask for, and what not to say. */
export function toldBlocks({ decision, facts, policy }: ShownDecision, form: Form): readonly Block[] {
  const { reasons, undetermined } = decision;
  const notices = noticesOf(reasons, true);
  if (form === 'text') return noticeBlocks(notices, policy);
  if (recordedOutcome(decision) === 'aborted' || (decision.outcome === 'accept' && notices.size === 0)) return [];
  const others = new Map([...noticesOf(reasons, false)].filter(([key]) => !notices.has(key)));
  const missing = undetermined.flatMap((rule) => rule.missing);
  const wanted = new Set(missing.flatMap(({ fact }) => givenBy(fact, facts, policy.facts)));
  return [
    ...(notices.size === 0
      ? [paragraph('The policy has no text about this decision for the applicant: say the outcome, and no reason.')]
      : noticeBlocks(notices, policy)),
    ...(wanted.size === 0
      ? []
      : [
          heading('What to ask for'),
          paragraph('The applicant or your own systems can still give:'),
          list([...wanted].map((path) => factCell(path, policy.facts))),
        ]),
    heading('What not to say'),
    paragraph(
      'Nothing else on this page is for the applicant: no score, rule, code or source, and not what would lead to ',
      'another outcome. It would tell a fraudster what to change.',
    ),
    ...(others.size === 0
      ? []
      : [
          {
            is: 'folded' as const,
            title: `${count(others.size, 'notice')} of rules that did not decide, not for this applicant`,
            of: noticeBlocks(others, policy),
          },
        ]),
  ];
}

/** The facts that would have to be given, in place of a missing fact that follows from them. */
function givenBy(path: string, facts: Facts, table: FactTable): readonly string[] {
  const definition = table.get(path);
  const fact = factAt(facts, path);
  if (!definition || !isMissing(fact)) return [];
  const { origin, variable, velocity, compute } = definition;
  // What verdict counts or computes is nobody's to give, but what it is made of.
  const { inputs = velocity?.by ?? (compute && factsAmong(compute.operands)) } = definition;
  if (inputs) return inputs.flatMap((input) => givenBy(input, facts, table));
  if (origin === 'service') {
    // The service is asked about what was sent.
    const isAskable = fact.missing === 'notRequested' && variable !== undefined;
    return isAskable ? givenBy(`applicant.${variable}`, facts, table) : [];
  }
  return fact.missing === 'invalid' ? [] : [path];
}

type Noticed = Exclude<Reason, { readonly because: 'undetermined' }> & { readonly notice: Notice };

/** The reasons with a notice, by the notice: several rules often have the same. */
function noticesOf(reasons: readonly Reason[], decisive: boolean): ReadonlyMap<string, readonly Noticed[]> {
  const noticed = reasons.filter((reason): reason is Noticed => 'notice' in reason && reason.notice !== undefined);
  return Map.groupBy(
    noticed.filter((reason) => reason.decisive === decisive),
    ({ notice }) => JSON.stringify(notice),
  );
}

/** The texts of notices, each with the rules or the code that it is of. */
function noticeBlocks(notices: ReadonlyMap<string, readonly Noticed[]>, policy: Policy): readonly Block[] {
  return [...notices.values()].map((reasons) => {
    const texts = reasons.slice(0, 1).flatMap(({ notice }) => noticeWords(notice));
    const from = reasons.map((each) =>
      each.because === 'fired' ? ['rule ', ruleMark(each.rule, policy)] : name(each.code),
    );
    return aside('notice', texts, listed(from));
  });
}

/** The text of a notice; of one in several languages, each text after its language. */
export function noticeWords(notice: Notice): readonly Words[] {
  return noticeTexts(notice).map(({ language, text }) =>
    language === undefined ? text : [soft(`${language}: `), said(language, text)],
  );
}

/** A section of a text; without blocks it is left out. */
export type Section = readonly [title: string, of: readonly TextBlock[]];

/** The outcome with its origin, the sections, and warnings. Data from outside is shown without control characters. */
export function printSections(shown: ShownDecision, sections: readonly Section[], style: Styler): string {
  const { decision, policy, day } = shown;
  const { outcome: to, clientReference, decidedAt, signals } = decision;
  const of = `policy ${policy.name} ${policy.version}`;
  const origin = clientReference === undefined ? `${of}, on ${day}` : `${clientReference}, ${decidedAt}, ${of}`;
  const head = `${style(OUTCOME_STYLES[to], style('bold', to.toUpperCase()))}  ${printable(origin)}\n`;
  const notes = signals?.warnings.map(({ text }) => paragraph(text)) ?? [];
  return [head, ...sectionTexts([...sections, ['Note', notes]], style)].join('\n');
}

export function sectionTexts(sections: readonly Section[], style: Styler): readonly string[] {
  const shown = sections.filter(([, of]) => of.length > 0);
  return shown.map(([title, of]) => `${style('bold', title)}\n${sectionLines(of, style).join('\n')}\n`);
}

/** The text of a decision. */
export function printDecision(shown: ShownDecision, style: Styler): string {
  return printSections(shown, verdictSections(shown), style);
}

/** Why a decision has its outcome, what the applicant may be told, and what was not known. */
export function verdictSections(shown: ShownDecision): readonly Section[] {
  return [
    ['Because', [...reasonsThat(true, shown, 'text'), ...aloneBlocks(shown.explanation)]],
    ['Besides', reasonsThat(false, shown, 'text')],
    ['The applicant may be told', toldBlocks(shown, 'text')],
    [UNKNOWN_TITLE, unknownBlocks(shown, 'text')],
  ];
}

/** That final rules decided alone; none if they did not. */
export function aloneBlocks(explanation: Explanation | undefined): readonly Block[] {
  const [only, ...others] = explanation?.decidedBy ?? [];
  if (only === undefined) return [];
  const who = others.length === 0 ? `The final rule ${only}` : `${others.length + 1} final rules`;
  return [paragraph(soft(`${who} decided alone, whatever the other rules and the score ask for.`))];
}

export const UNKNOWN_TITLE = 'What was not known';
