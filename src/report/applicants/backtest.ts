/** What a policy would have done to applicants of the past -> words, an outline, or data for JSON. */

import type { FileColumns } from '../../decision/rows/column-gaps.ts';
import type { CountedVelocities } from '../../decision/rows/count-velocities.ts';
import { daysBetween } from '../../facts/day.ts';
import { velocityWords } from '../../facts/velocity.ts';
import { applicantsIn } from '../../lab/backtest/applicants.ts';
import type { Backtest, Scores } from '../../lab/backtest/backtest.ts';
import type { Joined } from '../../lab/backtest/labels.ts';
import type { GroupCount, Grouped } from '../../lab/backtest/outcome-counts.ts';
import type { EditEffects } from '../../lab/impact/edit-effects.ts';
import { bandOf, OUTCOMES } from '../../policy/language.ts';
import { grouped, groupedCount, printable } from '../../text.ts';
import type { BarChart } from '../charts.ts';
import { type Block, heading, lines, outcome, paragraph, type Table, type Words } from '../outline.ts';
import { columnLines, columnsAsData } from '../words/columns.ts';
import { amountRange, oneDigit, percent, signed } from '../words/numbers.ts';
import { flowTable, unjudgedWords, worstBlocks } from './changed.ts';
import { editBlocks } from './edits.ts';
import { firstLines, joinLines, labelBlocks, moneyBlocks } from './labels.ts';
import { ruleBlocks } from './rules.ts';

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

function velocitiesAsData({ velocities, problems, from, leftOut, labelsTo }: CountedVelocities): object {
  const counted = [...velocities].map(([velocity, each]) => {
    return { velocity, counts: velocityWords(each), problem: problems.get(velocity) ?? null };
  });
  return { counted, from: from === undefined ? null : new Date(from).toISOString(), leftOut, labelsTo };
}

/** What was counted from the rows, from when on a window reaches back to rows alone, and until when labels go. */
function velocityBlocks(counted: CountedVelocities, period: Backtest['period']): readonly Block[] {
  const { velocities, problems, from, leftOut, labelsTo } = counted;
  const rows = [...velocities].map(([path, velocity]) => {
    const minute = 60_000 * Math.ceil(((from ?? 0) + velocity.withinMs) / 60_000);
    const complete =
      from === undefined ? '–' : `${new Date(minute).toISOString().slice(0, 'yyyy-MM-ddTHH:mm'.length)}Z`;
    return [path, velocityWords(velocity), problems.has(path) ? 'missing' : complete];
  });
  const page = { id: 'counted', caption: 'Velocities, and from when on they are complete' };
  return [
    { is: 'table', columns: ['counted from the rows', 'counts', 'complete from'], rows, page },
    ...[...problems].map(([path, problem]) => paragraph(`${path} is missing: ${problem}.`)),
    ...(labelsTo !== undefined && period && daysBetween(labelsTo, period.to) > 1
      ? [paragraph(`No label is of a day after ${labelsTo}: what is counted of labels after it can be too low.`)]
      : []),
    ...(leftOut > 0 ? [paragraph(`Not counted: ${groupedCount(leftOut, 'row')} without a time, or unreadable.`)] : []),
  ];
}

/** The parts of the report, for a text or a page. */
export function backtestSections(shown: ShownBacktest, form: 'text' | 'page') {
  const { backtest, edits, joined, sweep, columns = [], velocities } = shown;
  const { labels, worst = [], groups, undecided } = backtest;
  const problems = Object.entries(undecided.problems).toSorted(([, one], [, other]) => other - one);
  const { policyMissing } = undecided;
  const left = [
    ...unjudgedWords(undecided),
    ...(policyMissing > 0 ? [`${grouped(policyMissing)} without a policy of then: it was not kept`] : []),
    ...problems.map(([problem, n]) => `  ${grouped(n)}: ${printable(problem)}`),
  ];
  return {
    first: [...(joined ? firstLines(joined, shown) : []), ...columnLines(columns)],
    outcomes: [outcomeTable(shown), ...changedBlocks(backtest, form)],
    edits: edits ? editBlocks(edits) : [],
    sweep: sweep ? [sweepTable(sweep), ...cliffLines(sweep)] : [],
    labels: labels ? [...labelBlocks(labels, shown), ...moneyBlocks(labels, shown), ...joinLines(joined)] : [],
    scores: backtest.scores ? [scoreTable(backtest.scores, backtest.decided)] : [],
    rules: ruleBlocks(backtest, form),
    velocities: velocities ? velocityBlocks(velocities, backtest.period) : [],
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

function outcomeTable({ titles, backtest }: ShownBacktest): Table {
  const { outcomes, before, decided, period } = backtest;
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
    page: { id: 'outcomes', caption: 'Applicants by outcome', names: titles },
  };
}

/** On a page the changes are a matrix. */
function changedBlocks({ changed = 0, decided, flows }: Backtest, form: 'text' | 'page'): readonly Block[] {
  if (!flows) return [];
  if (form === 'page') return [flowTable(flows)];
  if (changed === 0) return [paragraph('Nobody is decided differently.')];
  const each = flows
    .filter(({ from, to, applicants }) => from !== to && applicants > 0)
    .toSorted((one, other) => other.applicants - one.applicants)
    .map(({ from, to, applicants }) => `${from} to ${to} ${grouped(applicants)}`);
  const are = `${changed === 1 ? 'is' : 'are'} decided differently (${percent(changed, decided)})`;
  return [paragraph(`${grouped(changed)} ${are}: ${each.join(', ')}.`)];
}

/** How many applicants are in each band, and close below the next one. */
function scoreTable({ values, open, ...bands }: Scores, decided: number): Table {
  const begins = (['review', 'reject'] as const).flatMap((band) => {
    const begin = bands[band];
    return begin === undefined ? [] : [{ band, begin }];
  });
  const countIf = (isMeant: (points: number) => boolean) =>
    applicantsIn(values.filter(({ points }) => isMeant(points)));
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
    page: {
      ...{ id: `by-${by.replaceAll('.', '-')}`, caption: `Applicants by ${by}`, names: by.includes('.') ? [by] : [] },
      charts: [outcomeChart([...values, ...(others ? [others] : [])])],
    },
  };
}

/** The shares of outcomes in each row, beside its name. */
function outcomeChart(rows: readonly Pick<Backtest, 'outcomes'>[]): BarChart {
  const drawn = rows.map(({ outcomes }) => {
    const all = OUTCOMES.reduce((sum, to) => sum + outcomes[to], 0);
    return OUTCOMES.map((to) => ({ to, size: outcomes[to] / (all || 1) }));
  });
  return { is: 'bars', at: 1, title: 'shares', rows: drawn };
}

function sweepTable({ of, runs }: Sweep): Table {
  const hasLabels = runs.some(({ backtest }) => backtest.labels);
  const hasMoney = runs.some(({ backtest }) => backtest.labels?.money);
  const rows = runs.map(({ value, backtest }): readonly Words[] => {
    const { outcomes, period, labels, changed = 0 } = backtest;
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
    page: {
      ...{ id: 'sweep', caption: `Outcomes by the value of ${of}`, names: [of] },
      charts: [outcomeChart(runs.map(({ backtest }) => backtest))],
    },
  };
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
