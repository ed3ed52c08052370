/** The difference of two policies -> words, an outline, or data for JSON. */

import { isDeepStrictEqual } from 'node:util';
import { withOperands } from '../facts/compute.ts';
import { applicantsIn, BY_SEVERITY } from '../lab/backtest/applicants.ts';
import type { PolicyDiff } from '../lab/diff/diff.ts';
import type { Change } from '../lab/diff/parts.ts';
import type { DiffRegion } from '../lab/diff/regions.ts';
import type { ExampleLine } from '../lab/question/find-applicant.ts';
import { moreSteps, stepsText } from '../lab/steps.ts';
import { hasPersonalTexts } from '../policy/identities.ts';
import type { Policy } from '../policy/language.ts';
import { count, groupedCount } from '../text.ts';
import { changeHeadline } from './applicants/figures.ts';
import { impactAsData, impactBlocks, outsideWords, type ShownImpact } from './applicants/impact.ts';
import {
  type Block,
  EVERYONE,
  FOR_OLD,
  type Group,
  type GroupExample,
  type Groups,
  heading,
  list,
  outcome,
  paragraph,
  placeMark,
  strong,
  type Table,
  type Words,
} from './outline.ts';
import { daysWords } from './words/days.ts';
import { NOT_SHOWN, nameOfFact, shownLine, stateWords } from './words/fact-states.ts';

/** A difference with what its words depend on. */
export interface ShownDiff {
  readonly diff: PolicyDiff;
  /** What it means for real applicants, where they were counted. */
  readonly impact?: ShownImpact | undefined;
  readonly policies: readonly [old: Policy, now: Policy];
  /** The day of the decisions. */
  readonly at: string;
}

/** How a form calls a fact: a text by its path, which is what one types; a page by its name. */
interface NamedDiff extends ShownDiff {
  nameOf(path: string): string;
}

function namedByPath(shown: ShownDiff): NamedDiff {
  return { ...shown, nameOf: (path) => path };
}

function namedForPeople(shown: ShownDiff): NamedDiff {
  const tables = shown.policies.map(({ facts }) => facts).reverse();
  const nameOf = (path: string) => tables.map((table) => nameOfFact(path, table)).find(Boolean) ?? path;
  return { ...shown, nameOf };
}

/** The paths of facts in a sentence, or a value in quotes. */
const PATHS = /"[^"]*"|[A-Za-z]\w*(?:\.\w+)+/g;

/** The lines of facts of a region. */
type Examples = Pick<DiffRegion, 'example' | 'oldExample'>;

/** Whether all applicants are proved to be decided the same. */
export function isProvedSame({ regions, elsewhere }: PolicyDiff): boolean {
  return regions.length === 0 && elsewhere === 'same';
}

/** Whether it is undecided that the outcome of any applicant changes in this way. */
export function isChangeUndecided({ regions, elsewhere, excluded = [] }: PolicyDiff, { from, to }: Change): boolean {
  const isIt = (change: Change) => change.from === from && change.to === to;
  const found = regions.filter(isIt);
  if (found.some(({ example }) => example)) return false;
  return found.length > 0 || (elsewhere !== 'same' && !excluded.some(isIt));
}

/** Whether anything is undecided: a region without an example, or all other applicants. */
export function isUndecided({ regions, elsewhere }: PolicyDiff): boolean {
  return elsewhere === 'undecided' || elsewhere === 'notProved' || regions.some(({ example }) => !example);
}

/** The regions of one kind of change. */
export interface ChangedRegions extends Pick<DiffRegion, 'from' | 'to'> {
  readonly regions: readonly DiffRegion[];
}

/** The regions by change, the worst first. */
function changesOf({ regions }: PolicyDiff): readonly ChangedRegions[] {
  return BY_SEVERITY.flatMap(([from, to]) => {
    const own = regions.filter((region) => region.from === from && region.to === to);
    // Where applicants were counted, those of most first.
    own.sort(byApplicants);
    return own.length > 0 ? [{ from, to, regions: own }] : [];
  });
}

/** The difference as data. An example is a line that `evaluate` takes. */
export function diffAsData({ diff, impact }: ShownDiff): object {
  const { where, days, lastDay, edits, elsewhere, tooFewSteps, excluded } = diff;
  const changes = changesOf(diff).map(({ from, to, regions }) => ({
    from,
    to,
    regions: regions.map(({ from: _, to: __, ...region }) => region),
  }));
  return {
    same: isProvedSame(diff),
    ...(where === undefined ? {} : { where }),
    days,
    ...(lastDay === undefined ? {} : { lastDay }),
    edits,
    changes,
    elsewhere,
    ...(tooFewSteps === undefined ? {} : { tooFewSteps }),
    ...(excluded ? { excluded } : {}),
    undecided: isUndecided(diff),
    ...(impact ? { impact: impactAsData(impact) } : {}),
  };
}

/** For a text: the edits, how many are decided differently, the regions of each change, and all others. */
export function diffText(paths: ShownDiff): readonly Block[] {
  const shown = namedByPath(paths);
  const { diff, impact } = shown;
  const { first = [], details = [] } = impact ? impactBlocks(impact, 'text') : {};
  return [
    ...[editsBlock(shown), ...first],
    ...changesOf(diff).flatMap(({ from, to, regions }) => [
      heading(`${from} to ${to}${beginWords(regions, shown)}: ${count(regions.length, 'region')}`),
      ...regionBlocks(regions, shown, (title) => paragraph(`${title}: --json has them.`)),
    ]),
    paragraph(closingWords(shown)),
    ...(details.length > 0 ? [heading('Real applicants'), ...details] : []),
  ];
}

/** More regions than these are folded in Markdown. */
const MOST_OPEN = 5;

/** For Markdown: as for a text, with real applicants by themselves and how many regions each change has. */
export function diffMarkdown(paths: ShownDiff): readonly Block[] {
  const shown = namedForPeople(paths);
  const { diff, impact } = shown;
  const changes = changesOf(diff);
  return [
    editsBlock(shown),
    ...(impact ? impactSection(impact) : []),
    ...(changes.length > 0 ? [changeTable(changes)] : []),
    paragraph(strong(closingWords(shown))),
    ...changes.flatMap(({ from, to, regions }): readonly Block[] => {
      const groups = regionBlocks(regions, shown, foldedIn(shown));
      const title = `${from} to ${to}${beginWords(regions, shown)}`;
      return diff.regions.length > MOST_OPEN
        ? [{ is: 'folded', title: `${title}: ${count(regions.length, 'region')}`, of: groups }]
        : [heading(title), ...groups];
    }),
  ];
}

function impactSection(impact: ShownImpact): readonly Block[] {
  const headline = changeHeadline(impact.backtest);
  const blocks = [...(headline === undefined ? [] : [paragraph(`${headline}.`)]), ...impactOnPage(impact)];
  return [heading('Real applicants'), ...blocks, heading('Changed decisions')];
}

function impactOnPage(impact: ShownImpact): readonly Block[] {
  return Object.values(impactBlocks(impact, 'page')).flat();
}

/** For a page: the blocks of each section; without blocks, a section is left out. */
export function diffSections(paths: ShownDiff): Readonly<Record<DiffSection, readonly Block[]>> {
  const shown = namedForPeople(paths);
  const changes = changesOf(shown.diff);
  return {
    edits: [editsBlock(shown)],
    impact: shown.impact ? impactOnPage(shown.impact) : [],
    changes: changes.length > 0 ? [changeTable(changes)] : [],
    regions: changes.flatMap(({ from, to, regions }) => [
      heading(outcome(from), ' to ', outcome(to), beginWords(regions, shown)),
      ...regionBlocks(regions, shown, foldedIn(shown)),
    ]),
  };
}

type DiffSection = 'edits' | 'impact' | 'changes' | 'regions';

/** The most edits in a text: a comment on a pull request has a limit too. */
const MOST_EDITS = 40;

function editsBlock(shown: ShownDiff): Block {
  const { edits } = shown.diff;
  if (edits.length === 0) return paragraph(noEdits(shown));
  return list(
    edits.map(({ text, place }) => [text, placeMark(place)]),
    MOST_EDITS,
  );
}

function changeTable(changes: readonly ChangedRegions[]): Table {
  return {
    is: 'table',
    columns: ['from', 'to', 'regions'],
    rows: changes.map(({ from, to, regions }) => [outcome(from), outcome(to), String(regions.length)]),
    numbersFrom: 2,
    page: { id: 'changes-by-kind', caption: 'Outcomes before and after', width: 'tight' },
  };
}

/** When regions begin, if none of them is there on the first day. */
function beginWords(regions: readonly DiffRegion[], { at }: ShownDiff): string {
  const [first = at] = regions.map(({ firstDay }) => firstDay).sort();
  return first > at ? ` from ${first}` : '';
}

/** More edited rules are not named beside a region. */
const MOST_RULES_NAMED = 3;

function ruleWords({ rules }: DiffRegion): readonly string[] {
  const more = rules.length - MOST_RULES_NAMED;
  const named = [...rules.slice(0, MOST_RULES_NAMED), ...(more > 0 ? [`${more} more`] : [])];
  return rules.length === 0 ? [] : [`because of ${rules.length === 1 ? 'rule' : 'rules'} ${named.join(', ')}`];
}

/** The days of a region, unless it has all of them. */
function daysOfRegion({ firstDay, lastDay }: DiffRegion, { at, diff }: ShownDiff): readonly string[] {
  if (firstDay === at && lastDay === diff.lastDay) return [];
  if (firstDay === at) return [`until ${lastDay}`];
  return [daysWords(firstDay, lastDay === undefined ? {} : { lastDay })];
}

/** Of regions with counted applicants, so many are shown, those of most applicants. */
const MOST_COUNTED_SHOWN = 10;

/** The regions of a change: those of most applicants; the others as the form has them; and who is in none of them. */
function regionBlocks(
  regions: readonly DiffRegion[],
  shown: NamedDiff,
  fold: (title: string, rest: readonly DiffRegion[]) => Block,
): readonly Block[] {
  const all = [...shown.diff.regions].sort(byApplicants);
  const first = new Set(all.slice(0, MOST_COUNTED_SHOWN));
  const {
    own = [],
    more = [],
    empty = [],
  } = Object.groupBy(regions, (region) => {
    if (region.applicants === 0) return 'empty';
    return region.applicants === undefined || first.has(region) ? 'own' : 'more';
  });
  const outside = outsideOf(regions, shown);
  const others = `and ${count(more.length, 'more region')} with ${groupedCount(applicantsIn(more), 'applicant')}`;
  const rest = count(empty.length, outside > 0 ? 'more region' : 'region');
  return [
    ...(own.length > 0 ? [regionGroups(own, shown)] : []),
    ...(more.length > 0 ? [fold(others, more)] : []),
    ...(empty.length > 0 ? [fold(outside > 0 ? rest : `${rest} without real applicants`, empty)] : []),
    ...(outside > 0 ? [paragraph(outsideWords(outside, 'who change so'))] : []),
  ];
}

function byApplicants(one: DiffRegion, other: DiffRegion): number {
  return (other.applicants ?? 0) - (one.applicants ?? 0);
}

/** How many counted applicants change as those of these regions do, and are in none of them. */
function outsideOf(regions: readonly DiffRegion[], { impact }: ShownDiff): number {
  const [{ from, to } = { from: '', to: '' }] = regions;
  const flow = impact?.backtest.flows?.find((each) => each.from === from && each.to === to);
  return (flow?.applicants ?? 0) - (flow ? applicantsIn(regions) : 0);
}

function foldedIn(shown: NamedDiff): (title: string, rest: readonly DiffRegion[]) => Block {
  return (title, rest) => ({ is: 'folded', title, of: [regionGroups(rest, shown)] });
}

/** The regions of a change, numbered among all of them. */
function regionGroups(regions: readonly DiffRegion[], shown: NamedDiff): Groups {
  const all = changesOf(shown.diff).flatMap((change) => change.regions);
  const groupOf = (region: DiffRegion): Group => ({
    name: `Region ${all.indexOf(region) + 1}`,
    conditions: [
      ...(region.conditions.length > 0 ? namedIn(region.conditions, shown) : [EVERYONE]),
      ...daysOfRegion(region, shown),
      ...ruleWords(region),
    ],
    counted: region.applicants,
    example: exampleOf(region, shown),
  });
  return { is: 'groups', groups: regions.map(groupOf) };
}

const OR = new Intl.ListFormat('en', { type: 'disjunction' });

/** What was found, in one sentence; and which changes happen to nobody, if that is not said by it. */
export function closingWords(shown: ShownDiff): string {
  const { diff, at } = shown;
  const when = daysWords(at, diff);
  const excluded = (diff.excluded ?? []).map(({ from, to }) => `from ${from} to ${to}`);
  if (excluded.length === 0) return elsewhereWords(shown);
  return `${elsewhereWords(shown)} Nobody${whomWords(diff)} changes ${OR.format(excluded)} ${when}: proved.`;
}

function whomWords({ where }: PolicyDiff): string {
  return where === undefined ? '' : ` for whom ${where}`;
}

function elsewhereWords({ diff, at }: ShownDiff): string {
  const whom = whomWords(diff);
  if (isProvedSame(diff)) return `The policies decide every applicant${whom} the same ${daysWords(at, diff)}: proved.`;
  switch (diff.elsewhere) {
    case 'same':
      return `All other applicants${whom} are decided the same ${daysWords(at, diff)}: proved.`;
    case 'notSought':
      return 'There may be more regions: --regions looks for more of them.';
    case 'notProved':
      return 'Nothing is proved: z3, an optional package, is not installed.';
    case 'undecided':
      return `Whether other applicants${whom} are decided differently is undecided${whyUndecided(diff)}.`;
  }
}

/** Whether more steps may decide more. Until they are over, only a broken solver leaves anything undecided. */
function whyUndecided({ tooFewSteps }: Pick<PolicyDiff, 'tooFewSteps'>): string {
  return tooFewSteps
    ? ` after ${stepsText(tooFewSteps)} steps: ${moreSteps(tooFewSteps)}`
    : ': z3 broke down, and more steps do not help: --where asks for less';
}

/** What is shown without edits. */
function noEdits({ policies: [old, now] }: ShownDiff): string {
  const isSame = old.digest === now.digest;
  return isSame ? 'The policies say the same, apart from comments.' : 'Nothing was edited but order or spelling.';
}

/**
 * The example of a region as a line, and a second one for the old policy where it takes another; none without an
 * example. A text that may identify a person is not shown.
 */
export function exampleLines({ example, oldExample }: Examples, { policies }: ShownDiff): readonly string[] {
  return [example, oldExample].flatMap((line) => (line ? shownLine(line, policies) : []));
}

/** Conditions with the names of their facts. */
function namedIn(conditions: readonly string[], { nameOf }: NamedDiff): readonly string[] {
  return conditions.map((each) => each.replace(PATHS, nameOf));
}

/** Without conditions on facts, so many facts of an example are shown. */
const MOST_SHOWN = 3;

/** The example of a region, with the facts that its conditions are about, as either policy takes them. */
function exampleOf(
  region: Examples & Pick<DiffRegion, 'conditions' | 'firstDay'>,
  shown: NamedDiff,
): GroupExample | undefined {
  const { example, oldExample = example, conditions, firstDay } = region;
  if (!example || !oldExample) return undefined;
  const tables = shown.policies.map(({ facts }) => facts);
  const named = new Set(conditions.flatMap((each) => each.match(PATHS) ?? []));
  const about = tables.map((table) => withOperands(named, table)).reduce((all, each) => all.union(each));
  const paths = Object.keys({ ...example.facts, ...oldExample.facts, ...example.missing });
  const own = paths.filter((path) => about.has(path));
  const shownPaths = own.length > 0 ? own : paths.slice(0, MOST_SHOWN);
  const stateIn = ({ facts, missing }: ExampleLine, path: string): Words => {
    if (tables.some((table) => hasPersonalTexts(path, table))) return NOT_SHOWN;
    const value = facts[path];
    const state = value === undefined ? { missing: missing?.[path] ?? 'notGiven' } : { value };
    return stateWords(path, state, { day: firstDay, table: shown.policies[1].facts });
  };
  const wordsOf = (path: string): Words => {
    const both = [example, oldExample].map((line) => stateIn(line, path));
    return isDeepStrictEqual(both[0], both[1]) ? (both[0] ?? '') : [both[0] ?? '', FOR_OLD, both[1] ?? ''];
  };
  return {
    facts: shownPaths.map((path) => [shown.nameOf(path), wordsOf(path)]),
    more: paths.length - shownPaths.length,
    lines: exampleLines(region, shown),
  };
}
