/** A change of the API that would break a caller is noticed, and there is none since the last release. */

import { describe, expect, test } from 'vitest';
import { compareDocuments, type Document } from '../support/service/breaking.ts';
import { readDocument, releasedDocument } from '../support/service/document.ts';

/** Where a cause of a fact that is missing stands: callers read one that they do not know as one that is not listed. */
const CAUSES = [
  'POST /v1/decisions 200 undetermined[] missing[] cause',
  'POST /v1/decisions 200 signals missing {}',
  'POST /v1/decisions/batch 200 results[] decision undetermined[] missing[] cause',
  'POST /v1/decisions/batch 200 results[] decision signals missing {}',
  'POST /v1/evaluations 200 results[] undetermined[] missing[] cause',
];

/** What answers may be now that they could not be at the last release: CHANGELOG.md says it to callers. */
const LISTED: readonly string[] = [
  ...CAUSES.flatMap((where) => [`${where} may be incomplete`, `${where} may be noneSeen`]),
  'POST /v1/decisions/batch 200 results[] problem code may be SOLVER_FAILED',
  'POST /v1/labels 200 results[] problem code may be SOLVER_FAILED',
];

test('callers of the last release are served', () => {
  const { breaking, listed } = compareDocuments(releasedDocument(), readDocument());
  expect({ breaking, listed: listed.toSorted() }).toEqual({ breaking: [], listed: LISTED.toSorted() });
});

/** A part of the document that a planted change replaces: everything is optional and may be written. */
type Part = { [key: string]: Part } & Part[];

const decide = (document: Part) => document['paths']?.['/v1/decisions']?.['post'] as Part;
const schema = (document: Part, name: string) => document['components']?.['schemas']?.[name] as Part;
const field = (document: Part, name: string, key: string) => schema(document, name)['properties']?.[key] as Part;
const set = (part: Part | undefined, values: object) => void Object.assign(part as Part, values);

/** Changes, with what is said of each. */
const BREAKING: readonly (readonly [said: string, change: (document: Part) => void])[] = [
  ['POST /v1/decisions is removed', (d) => void delete d['paths']?.['/v1/decisions']],
  ['POST /v1/decisions is renamed to make', (d) => set(decide(d), { operationId: 'make' })],
  ['POST /v1/decisions refuses the role decide', (d) => set(decide(d), { 'x-roles': ['edit'] })],
  ['GET /openapi.json needs a key', (d) => void delete d['paths']?.['/openapi.json']?.['get']?.['security']],
  ['POST /v1/decisions header Accept-Language is removed', (d) => void delete decide(d)['parameters']],
  [
    'POST /v1/decisions query day is required',
    (d) => set(decide(d), { parameters: [{ name: 'day', in: 'query', required: true, schema: {} }] }),
  ],
  [
    'GET /v1/policies needs a body',
    (d) => set(d['paths']?.['/v1/policies']?.['get'], { requestBody: { required: true } }),
  ],
  [
    'POST /v1/evaluations request as application/x-ndjson is removed',
    (d) =>
      void delete d['paths']?.['/v1/evaluations']?.['post']?.['requestBody']?.['content']?.['application/x-ndjson'],
  ],
  ['POST /v1/decisions 409 is removed', (d) => void delete decide(d)['responses']?.['409']],
  [
    'POST /v1/decisions 200 header Verdict-Repeated is removed',
    (d) => void delete decide(d)['responses']?.['200']?.['headers'],
  ],
  [
    'POST /v1/decisions 200 as application/json is removed',
    (d) => set(decide(d)['responses']?.['200'], { content: {} }),
  ],
  // Requests.
  [
    'POST /v1/decisions request context is required',
    (d) => set(schema(d, 'DecisionRequest'), { required: ['policy', 'reference', 'applicant', 'context'] }),
  ],
  [
    'POST /v1/decisions request reference maxLength falls',
    (d) => set(field(d, 'DecisionRequest', 'reference'), { maxLength: 64 }),
  ],
  [
    'POST /v1/decisions request deadlineMs minimum rises',
    (d) => set(field(d, 'DecisionRequest', 'deadlineMs'), { minimum: 9 }),
  ],
  [
    'POST /v1/decisions request reference pattern changes',
    (d) => set(field(d, 'DecisionRequest', 'reference'), { pattern: 'A' }),
  ],
  [
    'POST /v1/decisions request policy refuses most values',
    (d) => set(field(d, 'DecisionRequest', 'policy'), { enum: ['a'] }),
  ],
  [
    'POST /v1/decisions request reference refuses string',
    (d) => set(field(d, 'DecisionRequest', 'reference'), { type: 'integer' }),
  ],
  [
    'POST /v1/decisions request applicant email refuses null',
    (d) => set(field(d, 'Applicant', 'email'), { anyOf: [{ type: 'string' }] }),
  ],
  [
    'POST /v1/decisions request context refuses other fields',
    (d) => set(field(d, 'DecisionRequest', 'context'), { additionalProperties: false }),
  ],
  ['POST /v1/explanations request to refuses review', (d) => set(schema(d, 'Outcome'), { enum: ['accept', 'reject'] })],
  // Answers.
  ['POST /v1/decisions 200 notices is removed', (d) => void delete schema(d, 'Decision')['properties']?.['notices']],
  [
    'POST /v1/decisions 200 reasons[] points is removed',
    (d) => void delete schema(d, 'Reason')['properties']?.['points'],
  ],
  ['POST /v1/decisions 200 outcome may be absent', (d) => set(schema(d, 'Decision'), { required: ['id'] })],
  [
    'POST /v1/decisions 200 id may be null',
    (d) => set(field(d, 'Decision', 'id'), { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] }),
  ],
  ['POST /v1/decisions 200 engine may be number', (d) => set(field(d, 'Decision', 'engine'), { type: 'number' })],
  ['POST /v1/decisions 200 decidedAt format changes', (d) => void delete field(d, 'Decision', 'decidedAt')['format']],
  [
    'POST /v1/decisions 200 reasons[] because may be anything',
    (d) => void delete field(d, 'Reason', 'because')['enum'],
  ],
  [
    'GET /v1/policies/{name} 200 lists {} may be string',
    (d) => set(field(d, 'Policy', 'lists'), { additionalProperties: { type: 'string' } }),
  ],
  ['POST /v1/decisions 409 type is removed', (d) => void delete schema(d, 'Problem')['properties']?.['type']],
];

describe('a change that breaks callers', () => {
  test.each(BREAKING)('%s', (said, change) => {
    expect(changed(change).breaking).toContain(said);
  });
});

/** Changes that break nobody, with what is said of them. */
const ALLOWED: readonly (readonly [name: string, said: readonly string[], change: (document: Part) => void])[] = [
  [
    'a new operation',
    [],
    (d) => set(d['paths'], { '/v1/people': { get: { operationId: 'listPeople', responses: {} } } }),
  ],
  [
    'a new field of a request',
    [],
    (d) => set(schema(d, 'DecisionRequest')['properties'], { note: { type: 'string' } }),
  ],
  ['a new field of an answer', [], (d) => set(schema(d, 'Decision')['properties'], { note: { type: 'string' } })],
  ['a field that is always there', [], (d) => set(schema(d, 'Warning'), { required: ['code', 'text', 'variable'] })],
  ['a field of a request that may be absent', [], (d) => set(schema(d, 'CheckRequest'), { required: [] })],
  ['a longer text in a request', [], (d) => set(field(d, 'DecisionRequest', 'reference'), { maxLength: 256 })],
  ['other words', [], (d) => set(field(d, 'DecisionRequest', 'reference'), { description: 'Other words.' })],
  ['a narrower answer', [], (d) => set(field(d, 'Score', 'least'), { type: 'integer' })],
  ['one more role', [], (d) => set(decide(d), { 'x-roles': ['edit', 'decide'] })],
  ['a new status', ['POST /v1/decisions 423 is new'], (d) => set(decide(d)['responses'], { 423: { content: {} } })],
  [
    'a new value of an answer',
    [
      'POST /v1/decisions 200 signals calls[] result may be late',
      'POST /v1/decisions/batch 200 results[] decision signals calls[] result may be late',
    ],
    (d) =>
      set(schema(d, 'Signals')['properties']?.['calls']?.['items']?.['properties']?.['result'], {
        enum: ['answered', 'failed', 'unknown', 'late'],
      }),
  ],
];

describe('a change that breaks nobody', () => {
  test.each(ALLOWED)('%s', (_name, said, change) => {
    expect(changed(change)).toEqual({ breaking: [], listed: said });
  });
});

function changed(change: (document: Part) => void) {
  const later = readDocument();
  change(later as unknown as Part);
  expect(later).not.toEqual(readDocument());
  return compareDocuments(readDocument(), later as Document);
}
