/** What a policy would have done to applicants of the past -> words, an outline, or data for JSON. */

import type { FileColumns } from '../../decision/rows/column-gaps.ts';
import type { CountedVelocities } from '../../decision/rows/count-velocities.ts';
import { velocityWords } from '../../facts/velocity.ts';
import type { Flow } from '../../lab/backtest/applicants.ts';
import type { Backtest, Scores } from '../../lab/backtest/backtest.ts';
import {
  type Caught,
  type Difference,
  type LabelCounts,
  type Money,
  type Range,
  unlabelledIn,
  wilson,
} from '../../lab/backtest/label-counts.ts';
import type { Joined } from '../../lab/backtest/labels.ts';
import type { GroupCount, Grouped, OutcomeCounts } from '../../lab/backtest/outcome-counts.ts';
import type { RuleCount } from '../../lab/backtest/rule-counts.ts';
import type { EditEffects } from '../../lab/impact/edit-effects.ts';
import { MOST_KINDS_COUNTED } from '../../lab/limits.ts';
import { bandOf, OUTCOMES } from '../../policy/language.ts';
import { grouped, groupedCount, printable } from '../../text.ts';
import { type Block, code, heading, lines, outcome, paragraph, type Table, type Words } from '../outline.ts';
import { columnLines, columnsAsData } from '../words/columns.ts';
import { CAUSE_WORDS } from '../words/missing.ts';
import { editBlocks } from './edits.ts';
import { oneDigit, percent, signed, unjudgedWords, worstBlocks } from './impact.ts';

/** A backtest, and what its forms say beside the counts. */
export interface ShownBacktest {
  readonly backtest: Backtest;
  /** What each edit does by itself; absent where edits are not counted. */
  readonly edits?: EditEffects;
  /** What the join of labels found; absent without labels. */
  readonly joined?: Joined;
  /** Who says what was decided then: the log, the column, or the policy of this name for rows that do not. */
  readonly decidedBy?: string;
  /** What was named as the holdout. */
  readonly holdout?: string | undefined;
  /** What is compared with the policy: `now` for the policy before, or what was changed. */
  readonly titles: readonly [before: string, now: string];
  /** The runs of a sweep, in its order. */
  readonly sweep?: Sweep;
  /** The columns of tables; absent without one. */
  readonly columns?: readonly FileColumns[];
  /** What was counted of the rows themselves; absent if that is nothing. */
  readonly velocities?: CountedVelocities;
}

/** One parameter, band or threshold with several values. */
export interface Sweep {
  readonly of: string;
  readonly runs: readonly { readonly value: string; readonly backtest: Backtest }[];
}

/** The data. */
export function backtestAsData(shown: ShownBacktest): object {
  const { backtest, edits, joined, decidedBy, sweep, columns = [], velocities } = shown;
  const { worst, ...counts } = backtest;
  const named = worst?.map(({ name, ...changed }) => ({ ...name, ...changed }));
  return {
    ...{ ...counts, columns: columnsAsData(columns) },
    ...(counts.before && named ? { worst: named } : {}),
    ...(edits ? { edits } : {}),
    ...(joined ? { joined: { ...joined, decidedBy } } : {}),
    ...(sweep
      ? { sweep: sweep.runs.map(({ value, backtest: { outcomes, labels } }) => ({ value, outcomes, labels })) }
      : {}),
    ...(velocities ? { velocities: velocitiesAsData(velocities) } : {}),
  };
}

function velocitiesAsData({ velocities, problems, from, leftOut }: CountedVelocities): object {
  const counted = [...velocities].map(([velocity, each]) => {
    return { velocity, counts: velocityWords(each), problem: problems.get(velocity) ?? null };
  });
  return { counted, from: from === undefined ? null : new Date(from).toISOString(), leftOut };
}

/** What was counted from the rows, and from when on a window reaches back to rows alone. */
function velocityBlocks({ velocities, problems, from = 0, leftOut }: CountedVelocities): readonly Block[] {
  const rows = [...velocities].map(([path, velocity]) => {
    const minute = 60_000 * Math.ceil((from + velocity.withinMs) / 60_000);
    const complete = `${new Date(minute).toISOString().slice(0, 'yyyy-MM-ddTHH:mm'.length)}Z`;
    return [path, velocityWords(velocity), problems.has(path) ? 'missing' : complete];
  });
  const page = { id: 'counted', caption: 'Counted from the rows', width: 'tight' } as const;
  return [
    { is: 'table', columns: ['counted from the rows', 'counts', 'complete from'], rows, page },
    ...[...problems].map(([path, problem]) => paragraph(`${path} is missing: ${problem}.`)),
    ...(leftOut > 0 ? [paragraph(`Not counted: ${groupedCount(leftOut, 'row')} without a time, or unreadable.`)] : []),
  ];
}

/** The parts of the report, for a text or a page. */
export function backtestSections(shown: ShownBacktest, form: 'text' | 'page') {
  const { backtest, edits, joined, sweep, columns = [], velocities } = shown;
  const { labels, worst = [], rules, groups, undecided, notCounted = [] } = backtest;
  const problems = Object.entries(undecided.problems).toSorted(([, one], [, other]) => other - one);
  const { policyMissing } = undecided;
  const left = [
    ...unjudgedWords(undecided),
    ...(policyMissing > 0 ? [`${grouped(policyMissing)} without a policy of then: it was not kept`] : []),
    ...problems.map(([problem, n]) => `  ${grouped(n)}: ${printable(problem)}`),
  ];
  return {
    first: [...(joined ? firstLines(joined, shown) : []), ...columnLines(columns)],
    outcomes: [outcomeTable(shown), ...(backtest.flows ? [paragraph(changedWords(backtest.flows))] : [])],
    edits: edits ? editBlocks(edits) : [],
    sweep: sweep ? [sweepTable(sweep), ...cliffLines(sweep)] : [],
    labels: labels ? [...labelBlocks(labels, shown), ...moneyBlocks(labels, shown), ...joinLines(joined)] : [],
    scores: backtest.scores ? [scoreTable(backtest.scores, backtest.decided)] : [],
    rules: [ruleTable(rules, backtest), ...(notCounted.length > 0 ? [paragraph(notCountedWords(notCounted))] : [])],
    velocities: velocities ? velocityBlocks(velocities) : [],
    groups: groups.map((each) => groupTable(each, backtest)),
    worst: worstBlocks(worst, form),
    undecided: left.length > 0 ? [lines('Not decided', left)] : [],
  } satisfies Record<string, readonly Block[]>;
}

/** The whole report as a text. */
export function backtestText(shown: ShownBacktest): readonly Block[] {
  return [heading(backtestHeadline(shown.backtest)), ...Object.values(backtestSections(shown, 'text')).flat()];
}

/** `48,212 decisions, 2026-08-01 to 2026-10-31`. */
export function backtestHeadline({ decided, period }: Backtest): string {
  if (!period) return 'No applicant was decided';
  const days = period.days > 1 ? `${period.from} to ${period.to}` : period.from;
  return `${groupedCount(decided, 'decision')}, ${days}`;
}

function outcomeTable({ backtest: { outcomes, before, decided, period }, titles }: ShownBacktest): Table {
  const days = period?.days ?? 1;
  const rows = OUTCOMES.map((each): readonly Words[] => {
    const share = percent(outcomes[each], decided);
    const perDay = each === 'review' && days > 1 ? `${oneDigit(outcomes[each] / days)} a day` : '';
    if (!before) return [outcome(each), grouped(outcomes[each]), share, perDay];
    const more = outcomes[each] - before[each];
    const points = decided === 0 ? '' : ` (${signed((100 * more) / decided, 1)} pp)`;
    const daily = each === 'review' && days > 1 ? `, ${signed(more / days, 1)} a day` : '';
    return [outcome(each), grouped(before[each]), grouped(outcomes[each]), share, `${signed(more)}${points}${daily}`];
  });
  const columns = before ? ['outcome', ...titles, 'share', 'change'] : ['outcome', 'applicants', 'share', 'a day'];
  return {
    ...{ is: 'table', columns, rows, numbersFrom: 1 },
    page: { id: 'outcomes', caption: 'Applicants by outcome', width: 'tight' },
  };
}

function isChange({ from, to }: Flow): boolean {
  return from !== to;
}

function sumOf(counts: readonly { readonly applicants: number }[]): number {
  return counts.reduce((sum, { applicants }) => sum + applicants, 0);
}

/** `1,266 are decided differently (2.6%): accept to review 688, review to reject 404.` */
function changedWords(flows: readonly Flow[]): string {
  const changes = flows.filter((flow) => isChange(flow) && flow.applicants > 0);
  if (changes.length === 0) return 'Nobody is decided differently.';
  const [changed, all] = [sumOf(changes), sumOf(flows)];
  const each = changes
    .toSorted((one, other) => other.applicants - one.applicants)
    .map(({ from, to, applicants }) => `${from} to ${to} ${grouped(applicants)}`);
  const are = changed === 1 ? 'is' : 'are';
  return `${grouped(changed)} ${are} decided differently (${percent(changed, all)}): ${each.join(', ')}.`;
}

/** How many applicants are in each band, and close below the next one. */
function scoreTable({ values, open, ...bands }: Scores, decided: number): Table {
  const begins = (['review', 'reject'] as const).flatMap((band) => {
    const begin = bands[band];
    return begin === undefined ? [] : [{ band, begin }];
  });
  const countIf = (isMeant: (points: number) => boolean) => sumOf(values.filter(({ points }) => isMeant(points)));
  const rows = [{ band: null, begin: Number.NEGATIVE_INFINITY }, ...begins].map(
    ({ band, begin }, i): readonly Words[] => {
      const next = begins[i]?.begin;
      const isIn = (points: number) => bandOf(bands, points) === band;
      const n = countIf(isIn);
      const close = next === undefined ? '' : grouped(countIf((points) => isIn(points) && points >= next - CLOSE));
      const points = band === null ? `below ${next}` : `from ${begin}`;
      return [band === null ? 'no band' : outcome(band), points, grouped(n), percent(n, decided), close];
    },
  );
  const depends = open > 0 ? [['depends on missing facts', '', grouped(open), percent(open, decided), '']] : [];
  return {
    is: 'table',
    columns: ['score', 'points', 'applicants', 'share', `within ${CLOSE} points of the next band`],
    rows: [...rows, ...depends],
    numbersFrom: 1,
    page: { id: 'scores', caption: 'Applicants by the band of their score', width: 'tight' },
  };
}

/** So many points below a band are close. */
const CLOSE = 5;

/** Fewer labels of applicants than this share of all are hardly any. */
const HARDLY = 0.1;

/** Whether labels are of hardly anybody here: they are of others, or their references are written differently. */
export function matchesHardly({ labels, unused }: Joined): boolean {
  return labels - unused < HARDLY * labels;
}

/** What a reader has to know before the first number. */
function firstLines(joined: Joined, { decidedBy = '', holdout }: ShownBacktest): readonly Block[] {
  const { filled, notDecided, reviewsLetIn, heldOut } = joined;
  const sentences = [
    ...(matchesHardly(joined) ? [hardlyWords(joined)] : []),
    ...(filled > 0
      ? [`${grouped(filled)} have no outcome of then, and count as decided by ${printable(decidedBy)}.`]
      : []),
    ...(notDecided > 0
      ? [`Of ${grouped(notDecided)} nothing says what was decided then: without a label they are unknown.`]
      : []),
    ...(reviewsLetIn > 0
      ? [`${groupedCount(reviewsLetIn, 'review')} of then count as let in: no column disposition says otherwise.`]
      : []),
    ...(holdout !== undefined && heldOut === 0 ? [`Nobody has a probability in ${printable(holdout)}.`] : []),
  ];
  return sentences.map((sentence) => paragraph(sentence));
}

function hardlyWords({ labels, unused }: Joined): string {
  const used = labels - unused;
  const matched = `${used === 0 ? 'None' : grouped(used)} of ${groupedCount(labels, 'label')}`;
  const differ = 'their references differ from those of the applicants, and what they say below means nothing';
  return `${matched} ${used > 1 ? 'are' : 'is'} of somebody here: ${differ}.`;
}

function labelBlocks(
  { labels, before, now, more }: LabelCounts,
  { backtest: { before: outcomesBefore }, titles: [beforeTitle, nowTitle] }: ShownBacktest,
): readonly Block[] {
  const { fraud, good, notLetIn, unknown, immature, tooEarly } = labels;
  const has = [
    groupedCount(fraud, 'fraud'),
    `${grouped(good)} good`,
    ...(notLetIn > 0 ? [`${grouped(notLetIn)} were rejected or declined and have no label`] : []),
    ...(unknown > 0 ? [`${grouped(unknown)} wait for a review, or it is not known what was decided`] : []),
    ...(immature > 0 ? [`${grouped(immature)} are too recent`] : []),
    ...(tooEarly > 0 ? [`${grouped(tooEarly)} have a label from before their day`] : []),
  ];
  const cells = ({ caught, goodRejected, precision, recall, byHoldout }: Caught) => [
    `${grouped(caught)} of ${grouped(fraud)}`,
    `${rangeWords(recall)}${holdoutWords(byHoldout?.recall)}`,
    `${grouped(goodRejected)} of ${grouped(good)}`,
    `${rangeWords(precision)}${holdoutWords(byHoldout?.precision)}`,
  ];
  const names = ['frauds not accepted', '  of all frauds', 'good applicants rejected', 'of the rejected, frauds'];
  const [was, is] = [cells(before), cells(now)];
  const gained = [differenceWords(more.caught), '', differenceWords(more.goodRejected), ''];
  const range = 'of those who may not have been let in, none may be a fraud, or all of them';
  return [
    paragraph(`Of those with labels: ${has.join(', ')}.`),
    {
      is: 'table',
      columns: ['with labels', ...(outcomesBefore ? [beforeTitle, nowTitle, 'change'] : [nowTitle])],
      rows: names.map((name, i) => [
        name,
        ...(outcomesBefore ? [was[i] ?? '', is[i] ?? '', gained[i] ?? ''] : [is[i] ?? '']),
      ]),
      numbersFrom: 1,
      page: { id: 'labels', caption: 'Frauds and good applicants', width: 'tight' },
    },
    lines('What is counted', [
      'frauds not accepted: sent to review or rejected',
      'good: let in then, and without a label against them',
      'of the rejected, frauds; and for each rule, frauds among those it fired for, whatever it asks for',
      ...(unlabelledIn(labels) > 0 ? [`a range: ${range}`] : []),
    ]),
  ];
}

/** What mistakes and reviews cost, with its range where labels are missing. */
function moneyBlocks(
  { money, labels }: LabelCounts,
  { backtest: { before }, titles: [beforeTitle, nowTitle] }: ShownBacktest,
): readonly Block[] {
  if (!money) return [];
  const cells = ({ review, acceptedFraud, rejectedGood, sum }: Money) => [
    amount(review),
    amountRange(acceptedFraud),
    amountRange(rejectedGood),
    amountRange(sum),
  ];
  const names = ['reviews', 'accepted frauds', 'good applicants rejected', 'sum'];
  const [was, is] = [cells(money.before), cells(money.now)];
  const { least, most } = money.more;
  const more = least === most ? signedAmount(least) : `${signedAmount(least)} to ${signedAmount(most)}`;
  const counted = labels.fraud + labels.good + unlabelledIn(labels);
  return [
    {
      is: 'table',
      columns: ['cost', ...(before ? [beforeTitle, nowTitle, 'change'] : [nowTitle])],
      rows: names.map((name, i) => [
        name,
        ...(before ? [was[i] ?? '', is[i] ?? '', name === 'sum' ? more : ''] : [is[i] ?? '']),
      ]),
      numbersFrom: 1,
      page: { id: 'cost', caption: 'What reviews and mistakes cost', width: 'tight' },
    },
    paragraph(`Cost: of the ${grouped(counted)} who are not too recent.`),
  ];
}

function amount(sum: number): string {
  return sum.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

function signedAmount(sum: number): string {
  return sum.toLocaleString('en-US', { maximumFractionDigits: 2, signDisplay: 'exceptZero' });
}

function amountRange({ least, most }: Range): string {
  return least === most ? amount(least) : `${amount(least)} to ${amount(most)}`;
}

function joinLines(joined: Joined | undefined): readonly Block[] {
  if (!joined) return [];
  const { unused, several } = joined;
  const found = [
    ...(unused > 0 ? [`${groupedCount(unused, 'label')} of nobody here`] : []),
    ...(several > 0
      ? [`${groupedCount(several, 'label')} of several rows: a row stands twice, or a reference does`]
      : []),
  ];
  return found.length > 0 ? [lines('Labels that do not fit', found)] : [];
}

type NotCounted = NonNullable<Backtest['notCounted']>;

const NOT_COUNTED: Readonly<Record<NotCounted[number], string>> = {
  missing: 'because of which facts a rule is undetermined',
  alone: `for whom a rule decides alone (more than ${grouped(MOST_KINDS_COUNTED)} combinations of rules fire)`,
  overlap: 'which rules fire together',
  worst: 'the worst changes',
};

function notCountedWords(notCounted: NotCounted): string {
  return `Not counted by the database: ${notCounted.map((each) => NOT_COUNTED[each]).join('; ')}.`;
}

function ruleTable(rules: readonly RuleCount[], { before, labels, notCounted = [] }: Backtest): Table {
  const ifCounted = <Cell>(what: NotCounted[number], cells: readonly Cell[]) =>
    notCounted.includes(what) ? [] : cells;
  const rows = rules.map((each): readonly Words[] => {
    const { rule, shadow, fired, firedBefore, undetermined, missing = [], alone = 0, without, overlap } = each;
    const [first] = missing;
    const cause = first && (CAUSE_WORDS as Readonly<Record<string, string>>)[first.cause];
    return [
      [code(rule), shadow ? ' (shadow)' : ''],
      ...(before ? [firedBefore === undefined ? 'new' : grouped(firedBefore)] : []),
      grouped(fired),
      ...ifCounted('alone', [grouped(alone), alone > 0 && without ? withoutWords(without) : '']),
      ...ifCounted('overlap', [overlap ? [code(overlap.rule), ` ${grouped(overlap.applicants)}`] : '']),
      ...(labels ? [precisionWords(each)] : []),
      undetermined === 0 ? '' : grouped(undetermined),
      ...ifCounted('missing', [first ? [code(first.fact), ` ${cause ?? first.cause}`] : '']),
    ];
  });
  return {
    is: 'table',
    columns: [
      'rule',
      ...(before ? ['fired before'] : []),
      'fired',
      ...ifCounted('alone', ['alone', 'without it']),
      ...ifCounted('overlap', ['fires most with']),
      ...(labels ? ['frauds among those it fired for'] : []),
      'undetermined',
      ...ifCounted('missing', ['because of']),
    ],
    rows,
    page: {
      id: 'rules',
      caption: 'Rules. Alone: the outcome is another one without the rule; of a shadow rule, with it',
      width: 'wide',
    },
  };
}

function withoutWords(without: OutcomeCounts): string {
  return OUTCOMES.filter((each) => without[each] > 0)
    .map((each) => `${grouped(without[each])} ${each}`)
    .join(', ');
}

/** Of those with labels, with the range of chance; and the bounds if some have none. */
function precisionWords({ labels }: RuleCount): string {
  const { fraud = 0, good = 0 } = labels ?? {};
  const [known, unlabelled] = [fraud + good, labels ? unlabelledIn(labels) : 0];
  const chance = wilson(fraud, known);
  if (!chance) return unlabelled > 0 ? 'unknown' : '';
  const bounds = unlabelled > 0 ? `; ${grouped(unlabelled)} without a label` : '';
  return `${percent(fraud, known)} (${rangeWords(chance)})${bounds}`;
}

function groupTable({ by, values, others }: Grouped, { before }: Backtest): Table {
  const rowOf = (name: string, { applicants, outcomes, changed }: GroupCount): readonly Words[] => [
    name,
    grouped(applicants),
    ...OUTCOMES.map((each) => `${grouped(outcomes[each])} (${percent(outcomes[each], applicants)})`),
    ...(before ? [`${grouped(changed)} (${percent(changed, applicants)})`] : []),
  ];
  return {
    is: 'table',
    columns: [by, 'applicants', ...OUTCOMES, ...(before ? ['changed'] : [])],
    rows: [
      ...values.map(({ value, ...group }) => rowOf(value === null ? 'missing' : printable(value), group)),
      ...(others ? [rowOf(`others (${groupedCount(others.values, 'value')})`, others)] : []),
    ],
    numbersFrom: 1,
    page: { id: `by-${by.replaceAll('.', '-')}`, caption: `Applicants by ${by}` },
  };
}

function sweepTable({ of, runs }: Sweep): Table {
  const hasLabels = runs.some(({ backtest }) => backtest.labels);
  const hasMoney = runs.some(({ backtest }) => backtest.labels?.money);
  const rows = runs.map(({ value, backtest }): readonly Words[] => {
    const { outcomes, period, labels, flows = [] } = backtest;
    const changed = sumOf(flows.filter(isChange));
    return [
      value,
      ...OUTCOMES.map((each) => grouped(outcomes[each])),
      oneDigit(outcomes.review / (period?.days ?? 1)),
      grouped(changed),
      ...(hasLabels ? [grouped(labels?.now.caught ?? 0), grouped(labels?.now.goodRejected ?? 0)] : []),
      ...(labels?.money ? [amountRange(labels.money.now.sum)] : []),
    ];
  });
  return {
    is: 'table',
    columns: [
      of,
      ...OUTCOMES,
      'reviews a day',
      'changed',
      ...(hasLabels ? ['frauds not accepted', 'good rejected'] : []),
      ...(hasMoney ? ['cost'] : []),
    ],
    rows,
    numbersFrom: 1,
    page: { id: 'sweep', caption: `Outcomes by the value of ${of}` },
  };
}

/** `, 41.2% by the holdout`. */
function holdoutWords(share: number | undefined): string {
  return share === undefined ? '' : `, ${(100 * share).toFixed(1)}% by the holdout`;
}

/** A step is a cliff if it moves so many times as many as a usual one, and this share of all. */
const [CLIFF_TIMES, CLIFF_SHARE] = [3, 0.01];

/** The steps of a sweep at which many applicants change at once: they have one value in common. */
function cliffLines({ of, runs }: Sweep): readonly Block[] {
  const steps = runs.slice(1).map(({ value, backtest }, i) => {
    const before = runs[i];
    const moved = before ? Math.abs(before.backtest.outcomes.accept - backtest.outcomes.accept) : 0;
    return { from: before?.value ?? '', to: value, moved, all: backtest.decided };
  });
  const usual =
    steps.map(({ moved }) => moved).toSorted((one, other) => one - other)[Math.floor(steps.length / 2)] ?? 0;
  const cliffs = steps.filter(({ moved, all }) => moved > CLIFF_TIMES * usual && moved > CLIFF_SHARE * all);
  const words = cliffs.map(
    ({ from, to, moved }) => `from ${from} to ${to}: ${grouped(moved)} at once, ${grouped(usual)} at a usual step`,
  );
  return words.length > 0 ? [lines(`Cliffs of ${of}: many applicants have one value`, words)] : [];
}

/** `+21 (+12 to +30)`. */
function differenceWords({ by, least, most }: Difference): string {
  return by === 0 && least === 0 && most === 0 ? '0' : `${signed(by)} (${signed(least)} to ${signed(most)})`;
}

/** `2.7 to 62.3%`. */
function rangeWords(range: Range | undefined): string {
  if (!range) return '–';
  const [least, most] = [range.least, range.most].map((share) => (100 * share).toFixed(1));
  return least === most ? `${least}%` : `${least} to ${most}%`;
}
