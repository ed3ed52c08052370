/** Hostile texts have no effect on pages. */

import { describe, expect, it } from 'vitest';
import { noticeTexts } from '../../../src/policy/language.ts';
import { decisionPage } from '../../../src/report/html/decision-page.ts';
import { recordPage } from '../../../src/report/html/record-page.ts';
import { ERASED, everythingExample, onboardingExample } from '../../support/report/example-pages.ts';
import { HOSTILE_SHOWN, spoil, spoilPage } from '../../support/report/hostile.ts';
import { all, elementsOf, readPage, textOf } from '../../support/report/read-page.ts';

/** The tags and attributes of a page without hostile texts. */
const TAGS = new Set(elementsOf(readPage(decisionPage(everythingExample()))).map(({ tag }) => tag));
const ATTRIBUTES = [
  'id',
  'class',
  'lang',
  'href',
  'open',
  'datetime',
  'scope',
  'rowspan',
  'tabindex',
  'role',
  'aria-label',
  'aria-labelledby',
  'aria-hidden',
  'data-label',
  'charset',
  'name',
  'http-equiv',
  'content',
  'x',
  'y',
  'x1',
  'x2',
  'y1',
  'y2',
  'width',
  'height',
];

/** Reads a page and checks that it has only tags and attributes that the writer may write. */
function readSafe(html: string) {
  const page = readPage(html);
  for (const { tag, attributes } of elementsOf(page)) {
    expect([...TAGS, 'ul', 'p']).toContain(tag);
    for (const [name, value] of Object.entries(attributes)) {
      expect(ATTRIBUTES).toContain(name);
      if (name === 'data-label') expect(value).toMatch(/^[A-Z][A-Za-z ]+$/);
      if (name === 'href') expect(value).toMatch(/^#[a-z0-9-]+$/);
    }
  }
  for (const unseen of ['\u202e', '\u2066', '\0', '\u2028']) expect(html.includes(unseen)).toBe(false);
  return page;
}

/** The complete text as a reader sees it. */
const shown = (text: string) => text + HOSTILE_SHOWN;

describe('a page with hostile texts', () => {
  const examples = [onboardingExample(), everythingExample()];
  const texts = examples.map((example) => textOf(readSafe(decisionPage(spoilPage(example)))));
  const onAny = (text: string) => texts.some((page) => page.includes(shown(text)));

  it('shows rules, codes, messages, notices, descriptions, owners and tags as texts', () => {
    for (const { policy } of examples) {
      for (const { id, reason, description, notice, owner, tags } of policy.rules) {
        for (const text of [
          id,
          reason,
          ...tags,
          description ?? id,
          owner ?? id,
          ...noticeTexts(notice ?? id).map(({ text }) => text),
        ])
          expect(onAny(text), text).toBe(true);
      }
    }
    expect(onAny('Number ported 7 days ago; email risk is high.')).toBe(true);
  });

  it('shows facts, values, limits, named conditions, lists and unreadable values as texts', () => {
    const facts = ['phone.porting.portedDate', 'email.darkWeb.hitCount', 'phone.operator.original', 'context.limit'];
    const values = ['2026-11-13', 'high', 'Solent Wireless', '30 days', 'hosting', '^(gb|ie)$', 'some time in spring'];
    for (const text of [...facts, ...values, 'recentlyPorted', 'blockedDomains']) expect(onAny(text), text).toBe(true);
  });

  it('shows the record, its digests, notes, events, references and warnings as texts', () => {
    const [{ decision, record, notes = [], events = [] } = everythingExample()] = examples;
    const { id = '', clientReference = '', mapping = '', engine = '', policy } = decision;
    const note = notes[0];
    const of = [id, clientReference, mapping, engine, policy?.name, policy?.version, policy?.digest, record?.chain];
    for (const text of [
      ...of,
      record?.verification.words,
      note?.by,
      note?.why,
      ...[events[0]?.by, events[0]?.why, events[0]?.details?.['queue']],
      'the second call had no answer in time',
    ]) {
      expect(onAny(text ?? 'nothing'), text).toBe(true);
    }
  });

  it('has all its rules, whatever their ids are', () => {
    for (const example of examples) {
      const page = readPage(decisionPage(spoilPage(example)));
      expect(all(page, 'details', 'rule')).toHaveLength(example.policy.rules.length);
      expect(all(page, 'div', 'warning')).toEqual([]);
    }
  });
});

it('the page of an erased decision shows hostile texts as texts', () => {
  const text = textOf(readSafe(recordPage(spoil(ERASED) as typeof ERASED)));
  const { record, unreadable } = ERASED;
  const { notes } = record;
  const { id, reasons, rules, undetermined, missing, policy, mapping, engine, chain } = record.record;
  const note = [notes[1]?.by ?? '', notes[1]?.why ?? ''];
  const said = [
    id,
    ...Object.values(reasons ?? {}).flat(),
    ...rules,
    ...undetermined,
    ...Object.values(missing).flat(),
    policy.name,
    policy.version,
    policy.digest,
    unreadable?.words ?? '',
  ];
  for (const word of [...said, mapping, engine, chain, ...note]) {
    expect(text).toContain(shown(word));
  }
});
