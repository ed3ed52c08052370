/** What a replay of the log came to -> one self-contained page: how many decisions are the same, and how the others changed. */

import type { OutcomeChange } from '../../audit/query/replay/comparison.ts';
import type { Replay } from '../../audit/query/replay/replay.ts';
import { count } from '../../text.ts';
import { writePage } from './document.ts';
import { type Child, element } from './markup.ts';
import { outcomeMark } from './parts/marks.ts';
import { codeValue, factName, grouped } from './parts/phrases.ts';
import { pairs, table } from './parts/table.ts';

/** A policy as records name it. */
type NamedPolicy = Replay['policies'][number];

/** The data of the page. */
export interface ReplayPage {
  /** How many were decided again; those that were erased are not among them. */
  readonly compared: number;
  readonly same: number;
  readonly differing: number;
  /** How many could not be: the keys of their bodies were deleted. */
  readonly erased: number;
  readonly changes: readonly OutcomeChange[];
  /** Those that the records were decided with, and the one that they were decided with again; without `new` each with its own. */
  readonly policy: { readonly old: Replay['policies']; readonly new?: NamedPolicy };
  /** Facts that the new policy reads and that records lack: how many records each. */
  readonly lacking?: Readonly<Record<string, number>>;
  /** What kept records from being decided again, a sentence each. */
  readonly problems: readonly string[];
}

/** The page. It needs no network, no script and no other file, and has nothing that the log keeps sealed. */
export function replayPage(data: ReplayPage): string {
  const { compared, same, differing, erased, policy, problems, lacking = {} } = data;
  return writePage({
    title: `Replay of the audit log · ${count(differing, 'difference')}`,
    head: [
      element('p', { class: 'kind' }, 'Replay of the audit log'),
      element('h1', {}, compared === 0 ? 'Nothing was compared' : headline(data)),
      element('p', { class: 'lead' }, lead(data)),
      pairs([
        ['Compared', grouped(compared)],
        ['The same', grouped(same)],
        ['Different', grouped(differing)],
        ['Erased, not compared', grouped(erased)],
        [
          'Decided with',
          policy.old.length === 0 ? undefined : policy.old.map((each, i) => [i === 0 ? '' : '; ', named(each)]),
        ],
        ['Decided again with', policy.new ? named(policy.new) : 'the policy of each record'],
      ]),
    ],
    parts: [
      { id: 'changes', title: 'Changes', content: changesPart(data) },
      { id: 'lacking', title: 'Facts that are not on record', content: lackingTable(lacking) },
      {
        id: 'problems',
        title: 'What came out otherwise, or could not be decided again',
        content: problems.length === 0 ? undefined : problemList(problems),
      },
    ],
    foot: element('p', {}, 'This page is complete in itself: it loads nothing and runs nothing.'),
  });
}

/** Of another policy the outcomes are compared, of each record's own all that was decided. */
function headline({ differing, compared, policy }: ReplayPage): string {
  const what = policy.new ? 'outcome' : 'decision';
  if (differing > 0)
    return `${grouped(differing)} of ${grouped(compared)} ${what}s ${differing === 1 ? 'differs' : 'differ'}`;
  return compared === 1 ? `The ${what} is the same` : `All ${grouped(compared)} ${what}s are the same`;
}

function lead({ policy }: ReplayPage): string {
  return policy.new
    ? 'Each record was decided again from its stored facts, on its own day, with another policy, and the outcomes compared.'
    : 'Each record was decided again from its stored facts, on its own day, and compared byte for byte.';
}

function named({ name, version, digest }: NamedPolicy): Child {
  return [codeValue(name), ' ', codeValue(version), ' ', element('span', { class: 'digest' }, codeValue(digest))];
}

/** Undefined where decisions differ that no other policy changed: the problems name them. */
function changesPart({ changes, differing }: ReplayPage): Child {
  if (changes.length > 0) return changeTable(changes);
  return differing === 0 ? element('p', {}, 'No decision changed.') : undefined;
}

function changeTable(changes: readonly OutcomeChange[]): Child {
  return table({
    id: 'changes-by-kind',
    caption: 'How decisions came out again: those that changed first, the most frequent first',
    columns: ['From', 'To', 'Decisions', 'Examples'],
    rows: [...changes]
      .sort((one, other) => Number(isSame(one)) - Number(isSame(other)) || other.count - one.count)
      .map(({ from, to, count: n, examples }) => [
        outcomeMark(from),
        isSame({ from, to }) ? 'the same' : outcomeMark(to),
        grouped(n),
        element(
          'ul',
          { class: 'plain', role: 'list' },
          examples.map((id) => element('li', {}, codeValue(id))),
        ),
      ]),
  });
}

function isSame({ from, to }: Pick<OutcomeChange, 'from' | 'to'>): boolean {
  return from === to;
}

function lackingTable(lacking: Readonly<Record<string, number>>): Child {
  const rows = Object.entries(lacking).map(([path, n]) => [factName(path), grouped(n)]);
  if (rows.length === 0) return undefined;
  return table({
    id: 'facts-lacking',
    caption: 'What the new policy reads and records lack: these facts were taken as missing',
    columns: ['Fact', 'Decisions'],
    width: 'tight',
    rows,
  });
}

function problemList(problems: readonly string[]): Child {
  return element(
    'ul',
    {},
    problems.map((problem) => element('li', {}, problem)),
  );
}
