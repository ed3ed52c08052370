/** A search of decisions -> its form and what was found; one decision -> its page with what may be done with it. */

import { ASKED_ROWS } from '../../../audit/read/criteria.ts';
import type { FoundDecision } from '../../../audit/read/search-entry.ts';
import type { Outcome } from '../../../policy/language.ts';
import type { Page, Part } from '../../../report/html/document.ts';
import { type Child, details, h1, type Markup, p, strong, summary } from '../../../report/html/markup.ts';
import {
  codeName,
  codeNames,
  codeValue,
  flag,
  instant,
  outcomeMark,
  soft,
  wordsOf,
} from '../../../report/html/parts/phrases.ts';
import { folded, NONE, type Pair, pairs, table } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import { judgedWords } from '../../../report/words/judged.ts';
import { missingWords } from '../../../report/words/missing.ts';
import { markCodes, markEarlier, markWords, UNDETERMINED_ALONE } from '../../../report/words/reason-codes.ts';
import { count, grouped } from '../../../text.ts';
import { actionForm, choice, field, submit, textField, whyField } from '../parts/form.ts';
import type { Reader } from '../parts/frame.ts';
import { type Personal, personalPart } from '../parts/personal.ts';

/** The criteria that have a field. */
const FIELDS = ASKED_ROWS.flatMap(({ title, ...row }) => (title === undefined ? [] : [{ ...row, title }]));

/** The filters of a search, as its URL has them. */
export const FILTERS: readonly string[] = FIELDS.map(({ api }) => api[0]);

export type Filters = Readonly<Record<string, string | undefined>>;

export interface DecisionsData {
  readonly filters: Filters;
  readonly rows: readonly FoundDecision[];
  /** Counted up to a limit; undefined where it was not. */
  readonly total: number | undefined;
  /** The path of the next page. */
  readonly more: string | undefined;
  /** What was looked for, if it is not in the URL: `this reference`. */
  readonly found?: string;
  readonly mayFindPeople: boolean;
  /** Why the filters were refused. */
  readonly problem?: string;
}

export function decisionsPage(
  { filters, rows, total, more, found, mayFindPeople, problem }: DecisionsData,
  reader: Reader,
): Page {
  const all = total ?? rows.length;
  const words = rows.length === 0 ? 'No decision' : `${grouped(all)} ${all === 1 ? 'decision' : 'decisions'}`;
  const status = s.region(
    { role: 'status' },
    p({ class: 'lead' }, `${words}${found === undefined ? '' : ` of ${found}`}.`),
  );
  return {
    title: 'Decisions',
    head: [
      h1('Decisions'),
      findForm(reader, mayFindPeople),
      filterForm(filters),
      problem === undefined ? status : s.region({ role: 'alert', class: 'warning' }, p(strong(problem))),
    ],
    parts: [
      {
        id: 'decisions',
        title: 'Found',
        content: [
          rows.length === 0 ? p('None. Leave out a filter, or widen the days.') : decisionTable(rows),
          more === undefined ? undefined : p(s.link({ href: more }, 'Older decisions')),
        ],
      },
    ],
  };
}

/** A row for each decision, by the searchable fields of its record. */
function decisionTable(rows: readonly FoundDecision[]): Markup {
  return table({
    id: 'decisions-found',
    caption: ['Decisions by the searchable fields of their records', markWords(rows)].filter(Boolean).join('; '),
    columns: ['Decision', 'Outcome', 'Decided by', 'Also', 'Policy', 'After review'],
    width: 'wide',
    rows: rows.map((row) => [
      [
        instant(row.at),
        ' ',
        s.link({ href: `/decisions/${row.id}` }, codeValue(row.id)),
        row.erased ? [' ', flag('erased')] : '',
      ],
      outcomeMark(row.outcome),
      decidedBy(row),
      alsoPart(row),
      [codeName(row.policy.name), ' ', codeName(row.policy.version)],
      judgedWords(row) || NONE,
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

/** By what identifies one decision or one person: posted, so that it is in no URL, and in no log of URLs. */
function findForm(reader: Reader, mayFindPeople: boolean): Child {
  const people = [
    ['phoneNo', 'Phone number'],
    ['email', 'Email address'],
    ['ip', 'IP address'],
  ] as const;
  const kinds = [['reference', 'Reference'], ['id', 'Id of the decision'], ...(mayFindPeople ? people : [])] as const;
  return actionForm(
    reader,
    { action: '/decisions/find', look: 'line', id: 'find' },
    textField('text', 'Find', { type: 'search', required: true }),
    choice('by', 'By', kinds),
    submit('Find'),
    mayFindPeople ? p({ class: 'soft' }, 'A search for a person is put on record.') : undefined,
  );
}

function filterForm(filters: Filters): Child {
  const fields = FIELDS.map(({ api: [name], title, kind, among }) => {
    const { [name]: value } = filters;
    if (among) return choice(name, title, [['', 'any'], ...among.map((each) => [each, each] as const)], value);
    const type = kind === 'time' ? 'date' : 'text';
    return textField(name, title, { type, ...(value === undefined ? {} : { value }) });
  });
  const isUsed = Object.keys(filters).length > 0;
  const form = s.form(
    { method: 'get', action: '/decisions', class: 'line', role: 'search', id: 'filter', 'aria-label': 'Filters' },
    ...fields,
    submit('Filter'),
    isUsed ? s.link({ href: '/decisions' }, 'Leave out all') : undefined,
  );
  return details({ class: 'more', open: isUsed }, summary('Filters'), form);
}

/** What deciding again on the facts on record gave. */
export interface Replay {
  readonly same: boolean;
  readonly recorded: Outcome;
  readonly again: Outcome;
}

export interface DecisionData {
  readonly id: string;
  /** Its page, as `audit show --html` writes it. */
  readonly decision: Page;
  readonly personal: Personal;
  readonly replay?: Replay;
  readonly may: { readonly replay: boolean; readonly note: boolean; readonly pack: boolean };
  /** Whether its facts can be read. */
  readonly isReadable: boolean;
  /** The open case of it. */
  readonly case: string | undefined;
}

export function recordedPage(data: DecisionData, reader: Reader): Page {
  const { id, decision, personal, replay, case: open } = data;
  const { title, head, parts } = decision;
  const after = parts.findIndex((part) => part.id === 'unknown');
  const own: readonly Part[] = [
    { id: 'personal', title: 'The applicant', content: personalPart(personal, reader, `/decisions/${id}/reveal`) },
    { id: 'actions', title: 'What you can do', content: actions(data, reader) },
  ];
  return {
    title,
    head: [
      replay ? s.region({ role: 'status', class: replay.same ? 'done' : 'warning' }, replayWords(replay)) : undefined,
      head,
      open === undefined
        ? undefined
        : p('It waits for a person: ', s.link({ href: `/cases/${open}` }, 'its case'), '.'),
    ],
    parts: [...parts.slice(0, after), ...own, ...parts.slice(after)],
    foot: 'Personal values are masked. Who reveals them, and why, is on record.',
  };
}

function replayWords({ same, recorded, again }: Replay): Child {
  if (same) return strong('Decided again on the facts on record: the same decision.');
  return [strong('Decided again, it differs: '), outcomeMark(recorded), ' on record, ', outcomeMark(again), ' now.'];
}

const NOTES = [
  ['genuine', 'Genuine: it came to light that the applicant is honest'],
  ['fraud', 'Fraud: it came to light that the applicant is not'],
  ['approve', 'Approve'],
  ['decline', 'Decline'],
] as const;

function actions({ id, may, isReadable, case: open }: DecisionData, reader: Reader): Child {
  return [
    may.replay && isReadable
      ? [
          actionForm(
            reader,
            { action: `/decisions/${id}/replay`, look: 'line' },
            submit('Decide again on the facts on record'),
          ),
          p(
            s.link({ href: `/decisions/${id}/test` }, 'Make a test of it'),
            ', of an invented applicant whom no rule can tell from this one',
          ),
        ]
      : undefined,
    may.pack
      ? p(
          s.link({ href: `/decisions/${id}/pack` }, 'Evidence pack'),
          ', one file: this page, its record and the check of its segment',
        )
      : undefined,
    may.note
      ? [
          actionForm(
            reader,
            { action: `/decisions/${id}/note` },
            choice('disposition', 'Note', open === undefined ? NOTES : NOTES.slice(0, 2)),
            whyField('note-why', 'Why; it stays in the log'),
            submit('Put it on record'),
          ),
          open === undefined
            ? actionForm(
                reader,
                { action: `/decisions/${id}/open` },
                choice('kind', 'Open a case', [
                  ['challenge', 'the applicant contests the decision'],
                  ['recheck', 'it is to be looked at again'],
                ]),
                whyField('open-why', 'Why; it stays in the log'),
                submit('Open a case'),
              )
            : undefined,
        ]
      : undefined,
  ];
}

/** A page of one message. */
export function messagePage(title: string, words: readonly string[], more: readonly Child[] = []): Page {
  const shown = more.filter((each) => each !== undefined);
  return {
    title,
    head: [h1(title), words.map((each) => p(each))],
    parts: [{ id: 'more', title: 'What to do', content: shown.length > 0 ? shown : undefined }],
  };
}

/** What a person had written in a form that was refused. */
export function keptWords(texts: readonly string[]): Child {
  if (texts.length === 0) return undefined;
  return texts.map((text, i) =>
    field(`kept-${i}`, 'What you wrote', s.textarea({ id: `kept-${i}`, rows: 3, readonly: true }, text)),
  );
}
