/** The tables of facts, operators and checks -> pages about the language for those who write policies. */

import { DIAGNOSTIC_CODES } from '../../../diagnostics.ts';
import { CATALOG_TABLE } from '../../../facts/catalog.ts';
import { OPERATOR_NAMES, operatorRow } from '../../../policy/operators.ts';
import type { Page } from '../../../report/html/document.ts';
import { h1, p, span } from '../../../report/html/markup.ts';
import { codeName, joined } from '../../../report/html/parts/phrases.ts';
import { NONE, table } from '../../../report/html/parts/table.ts';
import { link } from '../../../report/html/served.ts';

const SUBJECTS = { facts: 'Facts', operators: 'Operators', checks: 'Checks' } as const;

export type Subject = keyof typeof SUBJECTS;

export function isSubject(text: string): text is Subject {
  return Object.hasOwn(SUBJECTS, text);
}

/** Where it is said what a code of the checker means. */
export function pathOfCheck(code: string): string {
  return `/reference/checks#check-${code}`;
}

export function languagePage(subject: Subject): Page {
  const others = Object.entries(SUBJECTS).filter(([name]) => name !== subject);
  return {
    title: SUBJECTS[subject],
    head: [
      h1(SUBJECTS[subject]),
      p(ABOUT[subject]),
      p(
        'See also: ',
        joined([
          ...others.map(([name, title]) => link({ href: `/reference/${name}` }, title)),
          link({ href: '/reference' }, 'The API'),
        ]),
      ),
    ],
    parts: [{ id: subject, title: SUBJECTS[subject], content: TABLES[subject]() }],
  };
}

const ABOUT: Readonly<Record<Subject, string>> = {
  facts:
    'What can be known of an applicant. A missing fact has a cause, and leaves the rules that need it undetermined.',
  operators: 'What a policy can ask of a fact. Several operators under one fact have to hold together.',
  checks: 'What the checker says of a policy, its lists and its tests.',
};

const TABLES: Readonly<Record<Subject, () => ReturnType<typeof table>>> = {
  facts: () =>
    table({
      id: 'all-facts',
      caption: 'Facts of the catalog; a policy may declare more',
      columns: ['Fact', 'Type', 'Comes from', 'Meaning'],
      rows: [...CATALOG_TABLE].map(([path, { type, values, origin, description }]) => [
        codeName(path, 'fact'),
        values ? `${type}: ${values.join(', ')}` : type,
        origin,
        description,
      ]),
    }),
  operators: () =>
    table({
      id: 'all-operators',
      caption: 'Operators of the policy language',
      columns: ['Operator', 'Of facts of type', 'Means that the fact', 'Or a fact as argument'],
      rows: OPERATOR_NAMES.map((name) => {
        const { types, sentence, againstFact } = operatorRow(name);
        return [codeName(name), types.join(', '), sentence, againstFact ? 'yes' : NONE];
      }),
    }),
  checks: () =>
    table({
      id: 'all-checks',
      caption: 'Codes of the checker',
      columns: ['Code', 'Meaning'],
      rows: Object.entries(DIAGNOSTIC_CODES).map(([code, words]) => [
        span({ id: `check-${code}` }, codeName(code)),
        words,
      ]),
    }),
};
