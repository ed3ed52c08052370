/** What was found in the audit log -> self-contained pages: a search, a replay, a decision that cannot be read. */

import { RECORDED_OUTCOMES } from '../../audit/entry/entry.ts';
import type { SearchableFields } from '../../audit/entry/searchable.ts';
import type { Counts } from '../../audit/query/count-by.ts';
import type { CountedReason, OtherOutcomes, OutcomeChange } from '../../audit/query/replay/comparison.ts';
import type { Replay } from '../../audit/query/replay/replay.ts';
import type { FoundDecision } from '../../audit/query/search-entry.ts';
import { CATALOG_TABLE } from '../../facts/catalog.ts';
import { capitalised, count, grouped } from '../../text.ts';
import { countNotes, countTable, exampleNames, problemLines } from '../log.ts';
import { ARCHIVED_DIGEST, clearFields } from '../record.ts';
import { missingWords } from '../words/missing.ts';
import { markCodes, markEarlier, markWords, UNDETERMINED_ALONE } from '../words/reason-codes.ts';
import { type RecordContent, writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { type Child, code, h1, li, type Markup, p, span, ul } from './markup.ts';
import {
  codeName,
  codeNames,
  codeValue,
  factName,
  flag,
  instant,
  joined,
  optional,
  outcomeMark,
  soft,
  wordsOf,
} from './parts/phrases.ts';
import {
  headPairs,
  type NotedReview,
  peoplePart,
  provenancePart,
  type RecordState,
  type ShownEvent,
} from './parts/provenance.ts';
import { bullets, folded, NONE, type Pair, pairs, table } from './parts/table.ts';

export interface SearchPage {
  /** The filters in words, such as `outcome review`; empty for all decisions. */
  readonly filters: readonly string[];
  readonly rows: readonly FoundDecision[];
  /** The number of decisions that were found. */
  readonly total: number;
  /** What the page shows in place of decisions, if the search was to count. */
  readonly counts?: Counts | undefined;
  /** Whether the log was verified, in a sentence. */
  readonly verification: string;
}

/** The page. It needs no network, no script and no other file, and shows nothing that the log encrypts. */
export function searchPage({ filters, rows, total, counts, verification }: SearchPage): string {
  const found = total === 1 ? '1 decision' : `${grouped(total)} decisions`;
  return writePage({
    title: `Search of the audit log · ${found}`,
    head: [
      p({ class: 'kind' }, 'Search of the audit log'),
      h1(`${found} found`),
      p({ class: 'lead' }, counts ? capitalised(countNotes(counts).join('; ')) : shownWords(rows.length, total)),
      pairs([
        ['Asked for', filters.length === 0 ? 'all decisions' : filters.join('; ')],
        ['Outcomes shown', rows.length === 0 || counts ? undefined : outcomeCounts(rows)],
        ['Verification', verification],
      ]),
    ],
    parts: [
      {
        id: 'decisions',
        title: 'Decisions',
        content: shownPart(rows, counts),
      },
    ],
  });
}

function shownPart(rows: readonly FoundDecision[], counts: Counts | undefined): Child {
  if ((counts?.rows ?? rows).length === 0) return p('None.');
  return counts ? htmlOf([countTable(counts)]) : decisionTable(rows, ({ id }) => codeValue(id));
}

function shownWords(shown: number, total: number): string {
  if (total === 0) return 'No decision fits the filters.';
  return shown < total ? `The newest ${grouped(shown)} are shown.` : 'All are shown.';
}

function outcomeCounts(rows: readonly FoundDecision[]): Child {
  const counts = RECORDED_OUTCOMES.map(
    (outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const,
  );
  return joined(counts.filter(([, n]) => n > 0).map(([outcome, n]) => [`${grouped(n)} `, outcomeMark(outcome)]));
}

/** A table of decisions. `nameOf`: how the page shows the id of one. */
export function decisionTable(rows: readonly FoundDecision[], nameOf: (row: FoundDecision) => Child): Markup {
  return table({
    id: 'decisions-found',
    caption: ['Decisions by the searchable fields of their records', markWords(rows)].filter(Boolean).join('; '),
    columns: ['Decision', 'Outcome', 'Decided by', 'Also', 'Policy', 'After review'],
    width: 'wide',
    rows: rows.map((row) => [
      [instant(row.at), ' ', nameOf(row), row.erased ? [' ', flag('erased')] : ''],
      outcomeMark(row.outcome),
      decidedBy(row),
      alsoPart(row),
      [codeName(row.policy.name), ' ', codeName(row.policy.version)],
      row.disposition ?? NONE,
    ]),
  });
}

function decidedBy(row: FoundDecision): Child {
  const codes = row.reasons ? markCodes(row, 'decisive') : markEarlier(row);
  return codes.length > 0 ? codeNames(codes) : row.reasons ? UNDETERMINED_ALONE : NONE;
}

/** The codes that did not decide, the rules and the missing facts: many, so they are folded. */
function alsoPart(row: FoundDecision): Child {
  const { rules, undetermined, missing } = row;
  const others = [...markCodes(row, 'fired'), ...markCodes(row, 'undetermined')];
  const parts: readonly Pair[] = [
    ['Other reasons', others.length === 0 ? undefined : codeNames(others)],
    ['Rules that fired', rules.length === 0 ? undefined : codeNames(rules)],
    ['Rules undetermined', undetermined.length === 0 ? undefined : codeNames(undetermined)],
    ['Facts', missingPart(missing)],
  ];
  if (parts.every(([, value]) => value === undefined)) return NONE;
  return folded(`${count(rules.length, 'rule')} fired, ${grouped(undetermined.length)} undetermined`, pairs(parts));
}

function missingPart(missing: FoundDecision['missing']): Child {
  const words = missingWords(missing);
  return words.length === 0 ? undefined : soft('missing facts: ', wordsOf(words));
}

/** A policy as a record names it. */
type NamedPolicy = Replay['policies'][number];

/** The page. It needs no network, no script and no other file; of what the log encrypts it shows only references. */
export function replayPage(replay: Replay, policy?: NamedPolicy): string {
  const { erased, policyErased, policies, other } = replay;
  const { compared, differing } = comparedIn(replay);
  const problems = problemLines(replay);
  const aborted = other?.aborted ?? 0;
  return writePage({
    title: `Replay of the audit log · ${count(differing, 'difference')}`,
    head: [
      p({ class: 'kind' }, 'Replay of the audit log'),
      h1(headline(replay)),
      p({ class: 'lead' }, replayWords(replay)),
      pairs([
        ['Compared', grouped(compared)],
        ['The same', grouped(compared - differing)],
        ['Different', grouped(differing)],
        ['Erased, not compared', grouped(erased)],
        ['Erased in the policy, not compared', policyErased === 0 ? undefined : grouped(policyErased)],
        ['Aborted, not compared', aborted === 0 ? undefined : grouped(aborted)],
        ['Open, not compared', other?.open ? grouped(other.open) : undefined],
        ['Decided with', policies.length === 0 ? undefined : joined(policies.map(policyName), '; ')],
        ['Decided again with', policy ? policyName(policy) : 'the policy of each record'],
      ]),
    ],
    parts: [
      { id: 'changes', title: 'Changes', content: changesPart(replay) },
      { id: 'lacking', title: 'Facts that are not on record', content: other && openTable(other) },
      {
        id: 'problems',
        title: 'Decisions that differ, or could not be decided again',
        content: problems.length === 0 ? undefined : bullets(problems),
      },
    ],
  });
}

/** With another policy the outcomes are compared; with the policy of each record, whole decisions. */
function comparedIn({ compared, same, other }: Replay): Readonly<Record<'compared' | 'differing', number>> {
  if (!other) return { compared, differing: compared - same };
  const sum = (changes: readonly OutcomeChange[]) => changes.reduce((all, { count: n }) => all + n, 0);
  return { compared: sum(other.changes), differing: sum(other.changes.filter(({ from, to }) => from !== to)) };
}

function headline(replay: Replay): string {
  const { compared, differing } = comparedIn(replay);
  if (compared === 0) return 'Nothing was compared';
  const what = replay.other ? 'outcome' : 'decision';
  if (differing > 0)
    return `${grouped(differing)} of ${grouped(compared)} ${what}s ${differing === 1 ? 'differs' : 'differ'}`;
  return compared === 1 ? `The ${what} is the same` : `All ${grouped(compared)} ${what}s are the same`;
}

function replayWords({ other }: Replay): Child {
  const how = other ? 'with another policy, and the outcomes compared' : 'and compared byte for byte';
  return [
    `Each record was decided again from its stored facts, on its own day, ${how}.`,
    other ? [' ', code('verdict audit show LOG ID'), ' explains a decision on record.'] : '',
  ];
}

function policyName({ name, version, digest }: NamedPolicy): Child {
  return [codeValue(name), ' ', codeValue(version), ' ', span({ class: 'digest' }, codeValue(digest))];
}

/** Undefined if decisions differ under their own policy: the problems name them. */
function changesPart(replay: Replay): Child {
  const { changes = [] } = replay.other ?? {};
  if (changes.length > 0) return changeTable(changes);
  return comparedIn(replay).differing === 0 ? p('No decision changed.') : undefined;
}

function changeTable(changes: readonly OutcomeChange[]): Child {
  return table({
    id: 'changes-by-kind',
    caption: 'Outcomes before and after: changes first, the most frequent first',
    columns: ['From', 'To', 'Decisions', 'Reasons on record', 'Reasons now', 'Examples'],
    width: 'wide',
    rows: changes
      .map((change) => ({ ...change, isSame: change.from === change.to }))
      .sort((one, other) => Number(one.isSame) - Number(other.isSame) || other.count - one.count)
      .map(({ from, to, isSame, count: n, decidedBy, ...shown }) => [
        outcomeMark(from),
        isSame ? 'the same' : outcomeMark(to),
        grouped(n),
        ...(isSame
          ? [NONE, NONE, NONE]
          : [
              reasonList(decidedBy.old),
              reasonList(decidedBy.new),
              plainList(exampleNames(shown).map((names) => joined(names.map(codeValue), ' '))),
            ]),
      ]),
  });
}

/** Codes of decisive reasons, each with the number of decisions that have it. */
function reasonList(reasons: readonly CountedReason[]): Child {
  return reasons.length === 0
    ? NONE
    : plainList(reasons.map(({ code, count: n }) => [codeName(code), ` ${grouped(n)}`]));
}

function plainList(items: readonly Child[]): Child {
  return ul(
    { class: 'plain', role: 'list' },
    items.map((item) => li(item)),
  );
}

function openTable({ openFacts }: OtherOutcomes): Child {
  const rows = Object.entries(openFacts).map(([path, n]) => [factName(path, CATALOG_TABLE), grouped(n)]);
  if (rows.length === 0) return undefined;
  return table({
    id: 'facts-lacking',
    caption: 'Facts that the new policy reads, and that decisions which are not compared do not have',
    columns: ['Fact', 'Decisions'],
    width: 'tight',
    rows,
  });
}

export interface UnreadablePage {
  /** The fields that the record does not encrypt. */
  readonly clear: SearchableFields;
  /** Why the facts cannot be read, in a sentence or two. */
  readonly why: string;
  /** Whether the facts were erased on request; when, in ISO 8601, UTC, if that is on record. */
  readonly isErased: boolean;
  readonly erasedAt?: string;
  readonly record: RecordState;
  /** In chronological order. */
  readonly notes: readonly NotedReview[];
  readonly events?: readonly ShownEvent[];
}

/** The page. It needs no network, script or other file; of encrypted data it shows only readable notes and events. */
export function unreadablePage(page: UnreadablePage): string {
  return writePage(unreadableContent(page));
}

/** The content of that page. */
export function unreadableContent(page: UnreadablePage): RecordContent {
  const { clear, why, isErased, erasedAt, record, notes, events = [] } = page;
  const { id, at, outcome, policy, mapping, engine } = clear;
  const state = isErased ? 'erased' : 'closed';
  const reasons = p({ class: isErased ? 'lead' : 'warning' }, why);
  const names = headPairs({ id, decidedAt: at }, policy, record, [['Erased', optional(erasedAt, instant)]]);
  return {
    title: `Decision · ${id} · ${outcome} · ${policy.name} ${policy.version} · ${state}`,
    head: [
      p({ class: 'kind' }, isErased ? 'Decision, its facts erased' : 'Decision, its facts closed'),
      h1(outcomeMark(outcome)),
      reasons,
      names,
    ],
    ...{ reasons, names },
    parts: [
      { id: 'clear', title: 'What can be read', content: htmlOf([clearFields(clear)]) },
      { id: 'closed', title: isErased ? 'What was erased' : 'What cannot be read', content: bullets(UNREADABLE) },
      {
        id: 'notes',
        title: 'After the decision',
        content: peoplePart(notes, events, isErased ? 'erased' : 'cannot be read'),
      },
      {
        id: 'record',
        title: 'Record',
        content: [provenancePart({ mapping, engine }, policy, record), p(`${capitalised(ARCHIVED_DIGEST)}.`)],
      },
    ],
  };
}

const UNREADABLE = [
  'The facts of the decision.',
  'The evidence and the message of each reason, and the score.',
  "The caller's reference, and the calls to the service.",
];
