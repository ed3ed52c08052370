/** What a replay of the log came to -> one self-contained page: how many decisions are the same, and how the others changed. */

import { count } from '../../diagnostics.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import { writePage } from './document.ts';
import { outcomeMark } from './marks.ts';
import { type Child, element } from './markup.ts';
import { value } from './phrases.ts';
import { pairs, table } from './table.ts';

/** A policy as decisions name it. */
export interface NamedPolicy {
  readonly name: string;
  readonly version: string;
  readonly digest?: string;
}

/** Decisions that changed in the same way. */
export interface Change {
  /** An outcome, or what else describes the decision. */
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** The ids of some of them. */
  readonly examples: readonly string[];
}

/** The data of the page. */
export interface ReplayPage {
  /** How many were decided again; those that were erased are not among them. */
  readonly compared: number;
  readonly same: number;
  readonly differing: number;
  /** How many could not be: the keys of their bodies were deleted. */
  readonly erased: number;
  readonly changes: readonly Change[];
  /** Those that the records were decided with, and the one that they were decided with again; without `new` each with its own. */
  readonly policy: { readonly old: readonly NamedPolicy[]; readonly new?: NamedPolicy };
  /** What kept records from being decided again, a sentence each. */
  readonly problems: readonly string[];
}

/** The page. It needs no network, no script and no other file, and has nothing that the log keeps sealed. */
export function replayPage(data: ReplayPage): string {
  const { compared, same, differing, erased, changes, policy, problems } = data;
  return writePage({
    title: `Replay of the audit log · ${count(differing, 'difference')}`,
    head: [
      element('p', { class: 'kind' }, 'Replay of the audit log'),
      element('h1', {}, compared === 0 ? 'Nothing was compared' : headline(data)),
      element('p', { class: 'lead' }, lead(data)),
      pairs([
        ['Compared', `${compared}`],
        ['The same', shareWords(same, compared)],
        ['Different', shareWords(differing, compared)],
        ['Erased, not compared', `${erased}`],
        [
          'Decided with',
          policy.old.length === 0 ? undefined : policy.old.map((each, i) => [i === 0 ? '' : '; ', named(each)]),
        ],
        ['Decided again with', policy.new ? named(policy.new) : 'the policy of each record'],
      ]),
    ],
    parts: [
      { id: 'changes', title: 'Changes', content: changes.length === 0 ? undefined : changeTable(changes) },
      { id: 'problems', title: 'Problems', content: problems.length === 0 ? undefined : problemList(problems) },
    ],
    foot: element('p', {}, 'This page is complete in itself: it loads nothing and runs nothing.'),
  });
}

function headline({ differing, compared }: ReplayPage): string {
  if (differing > 0) return `${differing} of ${count(compared, 'decision')} ${differing === 1 ? 'differs' : 'differ'}`;
  return compared === 1 ? 'The decision is the same' : `All ${compared} decisions are the same`;
}

function lead({ policy }: ReplayPage): string {
  return policy.new
    ? 'Each record was decided again from its stored facts, on its own day, with another policy.'
    : 'Each record was decided again from its stored facts, on its own day, and compared byte for byte.';
}

function shareWords(part: number, whole: number): string {
  if (whole === 0 || part === whole) return `${part}`;
  const percent = (100 * part) / whole;
  // Rounding must not say 0 or 100 where it is neither.
  const shown = Math.min(99.9, Math.max(0.1, Number(percent.toFixed(1))));
  return part === 0 ? '0' : `${part} (${shown} %)`;
}

function named({ name, version, digest }: NamedPolicy): Child {
  return [
    value(name),
    ' ',
    value(version),
    digest === undefined ? '' : [' ', element('span', { class: 'digest' }, value(digest))],
  ];
}

function changeTable(changes: readonly Change[]): Child {
  return table({
    id: 'changes-by-kind',
    caption: 'How decisions changed, the most frequent change first',
    columns: ['From', 'To', 'Decisions', 'Examples'],
    rows: [...changes]
      .sort((one, other) => other.count - one.count)
      .map(({ from, to, count: n, examples }) => [
        marked(from),
        marked(to),
        `${n}`,
        element(
          'ul',
          { class: 'plain', role: 'list' },
          examples.map((id) => element('li', {}, value(id))),
        ),
      ]),
  });
}

function marked(text: string): Child {
  return (OUTCOMES as readonly string[]).includes(text) ? outcomeMark(text as Outcome) : text;
}

function problemList(problems: readonly string[]): Child {
  return element(
    'ul',
    {},
    problems.map((problem) => element('li', {}, problem)),
  );
}
