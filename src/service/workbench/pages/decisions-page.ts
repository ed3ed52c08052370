/** A search of decisions -> its form and what was found; one decision -> its page with what may be done with it. */

import { ASKED_ROWS } from '../../../audit/read/criteria.ts';
import type { FoundDecision } from '../../../audit/read/search-entry.ts';
import type { Outcome } from '../../../policy/language.ts';
import type { Page, Part } from '../../../report/html/document.ts';
import { type Child, h1, type Markup, p, strong } from '../../../report/html/markup.ts';
import { codeName, codeNames, flag, outcomeMark } from '../../../report/html/parts/phrases.ts';
import { NONE, table } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import { judgedWords } from '../../../report/words/judged.ts';
import { markCodes, markEarlier, markWords, UNDETERMINED_ALONE } from '../../../report/words/reason-codes.ts';
import { grouped, groupedCount } from '../../../text.ts';
import { entryForm, type ListEntry } from '../parts/entry.ts';
import { actionForm, choice, field, submit, textField, whyField } from '../parts/form.ts';
import type { Reader } from '../parts/frame.ts';
import { type Personal, personalPart } from '../parts/personal.ts';
import { minute } from '../parts/times.ts';
import { RELEASES } from '../words/releases.ts';

/** The criteria that have a field. */
const FIELDS = ASKED_ROWS.flatMap(({ title, ...row }) => (title === undefined ? [] : [{ ...row, title }]));

/** The filters of a search, as its URL has them. */
export const FILTERS: readonly string[] = FIELDS.map(({ api }) => api[0]);

export type Filters = Readonly<Record<string, string | undefined>>;

export interface DecisionsData {
  readonly filters: Filters;
  readonly rows: readonly FoundDecision[];
  /** By the ids of decisions, as far as they can be read. */
  readonly references: ReadonlyMap<string, string>;
  /** What the log has of what filters ask for, by their names. */
  readonly known: Readonly<Record<string, readonly string[]>>;
  /** Counted up to a limit; undefined where it was not. */
  readonly total: number | undefined;
  /** The path of the next page. */
  readonly more: string | undefined;
  /** What was looked for, if it is not in the URL: `this reference`. */
  readonly found?: string;
  readonly mayFindPeople: boolean;
  /** Why the filters were refused. */
  readonly problem?: string;
  /** Where nothing has the code: its rules that could not be determined, and in how many decisions. */
  readonly open?: readonly { readonly rule: string; readonly n: number }[];
}

export function decisionsPage(
  { filters, rows, references, known, total, more, found, mayFindPeople, problem, open = [] }: DecisionsData,
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
      filterForm(filters, known),
      problem === undefined ? status : s.region({ role: 'alert', class: 'warning' }, p(strong(problem))),
    ],
    parts: [
      {
        id: 'decisions',
        title: 'Found',
        content:
          problem === undefined
            ? [
                rows.length === 0 ? p('None. Leave out a filter, or widen the days.') : decisionTable(rows, references),
                open.map((each) => openPart(each, filters)),
                more === undefined ? undefined : p(s.link({ href: more }, 'Older decisions')),
              ]
            : undefined,
      },
    ],
  };
}

/** A rule that asked for review since it could not be determined is no reason that decided. */
function openPart({ rule, n }: { readonly rule: string; readonly n: number }, { code: _, ...filters }: Filters): Child {
  const to = `/decisions?${new URLSearchParams({ ...(filters as Record<string, string>), undetermined: rule })}`;
  const words = `it could not be determined in ${groupedCount(n, 'decision')}`;
  return p('The code is of the rule ', codeName(rule), ': ', s.link({ href: to }, words), '.');
}

/** A line for each decision: its reference, else the end of its id, and what decided. */
export function decisionTable(rows: readonly FoundDecision[], references: ReadonlyMap<string, string>): Markup {
  return table({
    id: 'decisions-found',
    caption: ['The newest first', markWords(rows.filter(({ reasons }) => !reasons))].filter(Boolean).join('; '),
    columns: ['Reference', 'Decided', 'Outcome', 'Decided by', 'Policy', 'After review'],
    kinds: ['', 'one', 'one', 'one', 'one', 'one'],
    rows: rows.map((row) => {
      const { id, at, erased, outcome, policy } = row;
      const name = references.get(id) ?? `…${id.slice(-12)}`;
      return [
        [
          s.link({ href: `/decisions/${id}`, title: id, class: 'reference' }, name),
          erased ? [' ', flag('erased')] : '',
        ],
        minute(Date.parse(at)),
        outcomeMark(outcome),
        decidedBy(row),
        [codeName(policy.name), ' ', codeName(policy.version)],
        judgedWords(row) || NONE,
      ];
    }),
  });
}

function decidedBy(row: FoundDecision): Child {
  const codes = row.reasons ? markCodes(row, 'decisive') : markEarlier(row);
  return codes.length > 0 ? codeNames(codes) : row.reasons ? UNDETERMINED_ALONE : NONE;
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

function filterForm(filters: Filters, known: DecisionsData['known']): Child {
  const fields = FIELDS.map(({ api: [name], title, kind, among }) => {
    const { [name]: value } = filters;
    if (among) return choice(name, title, [['', 'any'], ...among.map((each) => [each, each] as const)], value);
    const { [name]: texts } = known;
    const type = kind === 'time' ? 'date' : 'text';
    const list = texts && `known-${name}`;
    return [
      textField(name, title, { type, ...(value === undefined ? {} : { value }), ...(list ? { list } : {}) }),
      texts && s.datalist({ id: `known-${name}` }, ...texts.map((text) => s.option({ value: text }))),
    ];
  });
  const isUsed = Object.keys(filters).length > 0;
  return s.form(
    { method: 'get', action: '/decisions', class: 'line', role: 'search', id: 'filter', 'aria-label': 'Filters' },
    ...fields,
    submit('Filter'),
    isUsed ? s.link({ href: '/decisions' }, 'Clear the filters') : undefined,
  );
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
  readonly entries: readonly ListEntry[];
  readonly replay?: Replay;
  readonly may: { readonly replay: boolean; readonly note: boolean; readonly pack: boolean };
  /** Whether its facts can be read. */
  readonly isReadable: boolean;
  /** The open case of it, and its last one. */
  readonly case: string | undefined;
  readonly lastCase: string | undefined;
}

export function recordedPage(data: DecisionData, reader: Reader): Page {
  const { id, decision, personal, replay, case: open, lastCase } = data;
  const asked = open === undefined ? 'A person was asked: ' : 'It waits for a person: ';
  const { title, head, parts } = decision;
  const after = parts.findIndex((part) => part.id === 'unknown');
  const own: readonly Part[] = [
    { id: 'personal', title: 'The applicant', content: personalPart(personal, reader, `/decisions/${id}/reveal`) },
    { id: 'actions', title: 'What you can do', content: actions(data, reader) },
    { id: 'list-entry', title: RELEASES.entry, content: entryForm(id, data.entries, reader) },
  ];
  return {
    title,
    head: [
      replay ? s.region({ role: 'status', class: replay.same ? 'done' : 'warning' }, replayWords(replay)) : undefined,
      head,
      lastCase === undefined ? undefined : p(asked, s.link({ href: `/cases/${open ?? lastCase}` }, 'its case'), '.'),
    ],
    parts: [...parts.slice(0, after), ...own, ...parts.slice(after)],
    foot: 'Personal values are masked. Who reveals them, and why, is on record.',
  };
}

function replayWords({ same, recorded, again }: Replay): Child {
  if (same) return strong('Decided again, by the policy and on the facts on record: the same decision.');
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
