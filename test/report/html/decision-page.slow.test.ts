/** A decision with its explanation -> its HTML page. */

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asRead } from '../../../src/facts/fact-reader.ts';
import { printDecision } from '../../../src/report/decision.ts';
import { decisionPage } from '../../../src/report/html/decision-page.ts';
import { STYLESHEET } from '../../../src/report/html/stylesheet.ts';
import {
  DAY,
  everythingExample,
  factsFrom,
  manyRulesExample,
  onboardingExample,
  PORTED_LATELY,
  pageData,
  policyFrom,
} from '../../support/report/example-pages.ts';
import { all, elementsOf, type ReadElement, readPage, textOf } from '../../support/report/read-page.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPlainPolicy, readPlainFacts } from '../../support/runners/case.ts';
import { sampled } from '../../support/sampled.ts';

/** A policy that rejects by its score, by rules with and without a notice. */
const NOTICES = `
policy: told
version: "1"
default: accept
score: { reject: 20, notice: { en: Please visit a branch., de: Bitte kommen Sie vorbei. } }
facts:
  context.channel: { type: enum, values: [web, branch], description: Where the applicant signs up. }
rules:
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 7 days } }, points: 20, notice: Check your number. }
  - { id: remote, when: { context.channel: web }, points: 5, notice: Come to us. }
`;

/** A policy that reads facts about an email and a phone number. */
const UNSENT = policyFrom(`
policy: unsent
version: "1"
default: accept
rules:
  - { id: domain, when: { email.domain.score: { above: 50 } }, then: review }
  - { id: phone, when: { phone.score: { above: 50 } }, then: review }
`);

/** Finds the card of a rule. */
function card(page: ReadElement, id: string): ReadElement {
  const found = all(page, 'details', 'rule').find((each) => all(each, 'strong').some((name) => textOf(name) === id));
  if (!found) throw new Error(`no card of ${id}`);
  return found;
}

/** The groups of cards: each heading with its rules. */
function groups(page: ReadElement): Record<string, string[]> {
  const sections = all(page, 'section').filter(({ attributes }) =>
    ['rules', 'others'].includes(attributes['id'] ?? ''),
  );
  const found: Record<string, string[]> = {};
  let heading = '';
  for (const element of sections.flatMap(elementsOf)) {
    if (element.tag === 'h3') {
      heading = textOf(element);
      found[heading] = [];
    }
    if (element.tag === 'details' && element.attributes['class']?.startsWith('rule')) {
      found[heading]?.push(textOf(all(element, 'strong')[0] ?? element));
    }
  }
  return found;
}

const part = (page: ReadElement, id: string) => {
  const found = elementsOf(page).find(({ attributes, tag }) => tag === 'section' && attributes['id'] === id);
  return found ? textOf(found) : undefined;
};

/** Checks the structure that every page must have. */
function holdStructure(page: ReadElement): void {
  const elements = elementsOf(page);
  const ids = elements.flatMap(({ attributes }) => attributes['id'] ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { tag, attributes } of elements) {
    if (tag === 'a') expect(ids).toContain(attributes['href']?.slice(1));
    const by = attributes['aria-labelledby'];
    if (by !== undefined) expect(ids).toContain(by);
  }
  const levels = elements.filter(({ tag }) => /^h[1-3]$/.test(tag)).map(({ tag }) => Number(tag[1]));
  expect(levels.filter((level) => level === 1)).toEqual([1]);
  for (const [i, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[i - 1] ?? 0) + 1);
  for (const table of all(page, 'table')) {
    expect(all(table, 'caption').map(textOf).join('')).not.toBe('');
    for (const { attributes } of all(table, 'th')) expect(['col', 'row', 'rowgroup']).toContain(attributes['scope']);
  }
  // Drawings have titles of their own.
  expect(all(page, 'head').flatMap((each) => all(each, 'title'))).toHaveLength(1);
  for (const tag of ['main', 'header', 'footer']) expect(all(page, tag)).toHaveLength(1);
  expect(all(page, 'html')[0]?.attributes['lang']).toBe('en');
  expect(all(page, 'details', 'rule').every((rule) => rule.children.length > 0)).toBe(true);
}

describe('the page of a decision', () => {
  const example = everythingExample();
  const page = readPage(decisionPage(example));

  it('has the parts in the order of the questions: first what was decided, last the rules that did not fire', () => {
    expect(all(page, 'h2').map(textOf)).toEqual([
      'What was not known',
      'Score',
      'What would lead to accept',
      'What the applicant may be told',
      'Fired and undetermined rules',
      'Facts that settle the outcome',
      'Facts',
      'Signals asked for',
      'Record',
      'Rules that did not fire',
    ]);
    expect(all(page, 'header').flatMap((head) => all(head, 'p', 'words').map(textOf))).toEqual([
      'Number ported 7 days ago; email risk is high.',
      'Part of the email source did not answer. A rule could not be determined, since facts are missing. ' +
        'It asks for ◆ review until it is.',
      'The score is 55 to 80 points, in the band of ◆ review; review begins at 40, reject begins at 100.',
    ]);
    expect(all(page, 'ul', 'parts').map(textOf)).toEqual([
      '+40 points Number ported 7 days ago; email risk is high. rule port-and-email+15 points Phone plan is prepaid ' +
        'rule prepaid',
    ]);
  });

  it('shows the text of a message with the values of a rule that fired, and the template of others', () => {
    expect(textOf(card(page, 'port-and-email'))).not.toContain('{');
    expect(textOf(card(page, 'port-and-email'))).toContain('MessageNumber ported 7 days ago; email risk is high.');
    const other = { ...PORTED_LATELY, 'phone.porting.portedDate': '2020-01-01' };
    const missed = readPage(decisionPage(pageData(example.policy, factsFrom(example.policy, other), DAY)));
    expect(textOf(card(missed, 'port-and-email'))).toContain('Number ported {daysSince phone.porting.portedDate} days');
  });

  it('says at the top that a source failed only if that left a decisive rule undetermined', () => {
    const policy = policyFrom(`
policy: own
version: "1"
default: accept
facts: { context.limit: { type: number } }
rules:
  - { id: limit, when: { context.limit: { above: 10 } }, then: review }
  - { id: young, when: { email.domain.score: { above: 50 } }, then: review, whenUnknown: ignore }
`);
    const facts = factsFrom(policy, { 'email.domain.score': { missing: 'sourceFailed' } });
    const one = readPage(decisionPage(pageData(policy, facts, DAY)));
    expect(all(one, 'p', 'words').map(textOf)).toEqual([
      'A rule could not be determined, since facts are missing (not given). It asks for ◆ review until it is.',
    ]);
    expect(part(one, 'unknown')).toContain('email source did not answer.');
  });

  it('says what would lead to accept as alternatives, and joins the facts of each by "and"', () => {
    const rows = all(all(page, 'table').find((each) => textOf(each).includes('For example')) ?? page, 'tr').map((row) =>
      row.children.slice(0, 2).map((cell) => (typeof cell === 'string' ? cell : textOf(cell))),
    );
    expect(
      rows.slice(1, 5).map(([first, second]) => ((first?.length ?? 0) > 5 ? first : `${first}: ${second}`)),
    ).toEqual([
      '1: the answer of the email source',
      'with Number of dark-web hits email.darkWeb.hitCount',
      'and Number last ported phone.porting.portedDate',
      'or 2: the answer of the email source',
    ]);
  });

  it('shows the outcome, the day, the policy and whether the record verifies at the top', () => {
    const head = textOf(all(page, 'header')[0] ?? page);
    for (const text of ['review', DAY, 'everything', 'broken: line 17 of segment 1']) expect(head).toContain(text);
  });

  it('groups rules: fired, undetermined, shadow, not fired (nearest first), not active', () => {
    expect(groups(page)).toEqual({
      'Fired (2)': ['port-and-email', 'prepaid'],
      'Could not be determined (2)': ['dark-web', 'quiet'],
      'Shadow rules: tried, without effect (2)': ['new-isp-rule', 'new-web-rule'],
      'Nearest first (7)': example.explanation?.notFired.map(({ rule }) => rule) ?? [],
      'Not active on that day (1)': ['christmas'],
    });
  });

  it('opens the rules that fired, if they are few, and folds the others', () => {
    expect(card(page, 'port-and-email').attributes['open']).toBe('');
    expect(card(page, 'blocked-domain').attributes['open']).toBeUndefined();
  });

  it('shows the truth of every part of a condition as a word, with values and limits', () => {
    const lines = all(card(page, 'nested'), 'div', 'node').map(textOf);
    expect(lines).toEqual([
      '× false any of 2 false',
      '× false all of 1 false, 1 unknown',
      '× false not ',
      '✓ true any of 1 true, 1 false',
      '✓ true recentlyPorted, a named condition ',
      expect.stringMatching(
        /^✓ true Number last ported lies within the last 30 days phone.porting.portedDate 2026-11-13, 7 days before; missed /,
      ),
      '× false Phone score is between 20 and 30, both included phone.score 46',
      '? unknown at least 2 of 1 true, 2 false, 1 unknown',
      '× false Phone line type is one of voip, pager phone.type mobile',
      '✓ true Current operator is not Original operator phone.operator.current phone.operator.original ' +
        'Northlink Cellular; Original operator: Solent Wireless',
      '? unknown not ',
      '? unknown not ',
      '? unknown Number of dark-web hits is at least 3 email.darkWeb.hitCount missing: its source did not answer',
      '× false The credit limit that was asked for is above The limit of the household context.limit context.other ' +
        '2500; The limit of the household: 2500; at the limit, which is out',
      '× false all of 1 true, 2 false',
      '✓ true riskyEmail, a named condition ',
      '✓ true any of 1 true, 1 unknown',
      '✓ true Email address risk is at least high email.address.riskLevel high',
      '? unknown Number of dark-web hits is above 5 email.darkWeb.hitCount missing: its source did not answer',
      '× false Country of the IP address matches ^(gb|ie)$ ip.country US',
      '× false Phone score is above 46 phone.score 46; at the limit, which is out',
    ]);
  });

  it('shows for a folded rule the test that failed, the value, and the distance to the limit', () => {
    const gist = textOf(all(card(page, 'old-mailbox'), 'span', 'gist')[0] ?? page);
    expect(gist).toBe(
      'Email address first seen is older than 365 days: 2026-11-02, 18 days before, missed by 348 days',
    );
    expect(textOf(all(card(page, 'impossible'), 'span', 'gist')[0] ?? page)).toContain('it can never fire');
  });

  it.each([
    ['{ any: [A, B] }', 'or'],
    ['{ all: [A, B] }', 'and'],
    ['{ not: { any: [A, B] } }', 'and'],
    ['{ not: { all: [A, B] } }', 'or'],
    ['{ any: [A, { all: [B, C] }] }', undefined],
    ['{ atLeastOf: { count: 2, of: [A, B, C] } }', undefined],
  ])('joins the open tests of a folded rule as its condition does: %s', (when, word) => {
    const condition = when.replace(/[ABC]/g, (name) => `{ context.${name.toLowerCase()}: { above: 1 } }`);
    const policy = policyFrom(`
policy: own
version: "1"
default: accept
facts: { context.a: { type: number }, context.b: { type: number }, context.c: { type: number } }
rules: [{ id: open, when: ${condition}, then: review }]
`);
    const open = readPage(decisionPage(pageData(policy, factsFrom(policy, {}), DAY)));
    const gist = textOf(all(card(open, 'open'), 'span', 'gist')[0] ?? page);
    expect(gist.match(/; (and|or) /)?.[1]).toBe(word);
    expect(gist).toContain('; ');
  });

  it('asks for nothing that verdict counts or computes, but for what these are made of', () => {
    const policy = policyFrom(`
policy: own
version: "1"
default: accept
facts:
  context.device: { type: string }
  context.debts: { type: number }
  context.income: { type: number }
  context.ratio: { type: number, compute: { ratio: [context.debts, context.income] } }
velocity:
  frauds: { count: applications, by: phoneNo, where: { disposition: fraud }, within: 365 days }
  devices: { count: applications, by: context.device, within: 7 days }
rules:
  - { id: seen, when: { any: [velocity.frauds: { atLeast: 1 }, velocity.devices: { atLeast: 1 }] }, then: review }
  - { id: debts, when: { context.ratio: { above: 1 } }, then: review }
`);
    const told = part(readPage(decisionPage(pageData(policy, factsFrom(policy, { 'context.debts': 5 }), DAY))), 'told');
    expect(told).toMatch(/can still give: *context.device *context.income *What not to say/);
  });

  it('shows missing facts with the cause, the unreadable value, and the rules that needed them', () => {
    const unknown = part(page, 'unknown');
    expect(unknown).toContain('Number of dark-web hits email.darkWeb.hitCountits source did not answerdark-web');
    expect(unknown).toContain('cannot be read: some time in springquiet');
    const failures = example.explanation;
    const text = printDecision({ ...example, failures }, (_, words) => words);
    expect(text).toMatch(/email\.darkWeb\.lastHit +its value cannot be read +quiet\n/);
    expect(text).not.toContain('spring');
  });

  it('shows the score with its bands and the sources of its points', () => {
    const score = part(page, 'score');
    expect(score).toContain('55 to 80 points, in the band of ◆ review; review begins at 40, reject begins at 100.');
    expect(score).toContain('port-and-email+40 points–');
    expect(score).toContain('dark-web–+25 points');
    expect(score).toContain('Total55 points55 to 80 points');
    expect(score).not.toContain('quiet');
  });

  it('shows what the applicant may be told, what to ask for, and what not to say', () => {
    const policy = policyFrom(NOTICES);
    const told = readPage(decisionPage(pageData(policy, factsFrom(policy, PORTED_LATELY), DAY)));
    expect(all(told, 'div', 'notice').map(textOf)).toEqual([
      'de: Bitte kommen Sie vorbei.en: Please visit a branch.SCORE',
      'Check your number.rule ported',
    ]);
    expect(all(told, 'span').flatMap(({ attributes }) => attributes['lang'] ?? [])).toEqual(['de', 'en']);
    expect(part(told, 'told')).toMatch(
      /What to ask for.*Where the applicant signs up context.channel.*What not to say/,
    );
    expect(part(told, 'told')).toContain('1 notice of rules that did not decide, not for this applicant');
    const open = {
      'email.domain.score': { missing: 'notRequested' },
      'phone.score': { missing: 'sourceFailed' },
    } as const;
    const unsent = readPage(decisionPage(pageData(UNSENT, factsFrom(UNSENT, open), DAY)));
    expect(part(unsent, 'told')).toMatch(/can still give:Email address applicant.emailWhat not to say/);
    const calm = factsFrom(policy, { ...PORTED_LATELY, 'phone.porting.portedDate': 'never', 'context.channel': 'web' });
    expect(part(readPage(decisionPage(pageData(policy, calm, DAY))), 'told')).toBeUndefined();
    expect(part(page, 'told')).toContain('The policy has no text about this decision for the applicant');
  });

  it('shows the calls, the calls that were saved, and the warnings', () => {
    const signals = part(page, 'signals');
    for (const text of [
      'TIMED_OUT',
      'may have been carried out, and billed',
      '2 times',
      'stage 3, phoneNo, email, ip',
      'no answer in time',
    ]) {
      expect(signals).toContain(text);
    }
  });

  it('shows digests, engine, chain, notes and events', () => {
    const data = onboardingExample();
    const onboarding = readPage(decisionPage(data));
    for (const text of [data.policy.digest, data.decision.mapping, '0.1.0', data.record?.chain, '1842']) {
      expect(part(onboarding, 'record')).toContain(text);
    }
    expect(part(onboarding, 'notes')).toContain('approveM. Okafor');
    const event = 'case.opened challengeL. BrandtThe address is new.queue: ported numbers';
    expect(part(onboarding, 'notes')).toContain(event);
    const noted = { at: '2026-11-20T15:22:08.000Z', disposition: 'decline' } as const;
    const erased = decisionPage({ ...data, notes: [{ ...noted, counts: true }] });
    expect(part(readPage(erased), 'notes')).toContain('declinecannot be readcannot be read');
    const corrected = decisionPage({ ...data, notes: [{ ...noted, counts: false }] });
    expect(part(readPage(corrected), 'notes')).toContain('decline, until it was corrected');
  });

  it('shows no value of a personal fact that cannot be read', () => {
    const policy = policyFrom(`
policy: own
version: "1"
default: accept
facts: { context.birth: { type: date, personal: true }, context.start: { type: date } }
rules:
  - { id: young, when: { context.birth: { withinLast: 30 days }, context.start: { withinLast: 30 days } }, then: review }
`);
    const html = decisionPage(
      pageData(policy, factsFrom(policy, { 'context.birth': '3 May 1999', 'context.start': '4 May 2019' }), DAY),
    );
    expect(html).toContain('4 May 2019');
    expect(html).not.toContain('1999');
  });

  it('works without an explanation, a record or signals', () => {
    const { explanation: _, record: __, ...rest } = onboardingExample();
    const { signals: ___, ...decision } = rest.decision;
    const bare = readPage(decisionPage({ ...rest, decision }));
    holdStructure(bare);
    expect(Object.keys(groups(bare))).toContain("In the policy's order (22)");
    for (const id of ['settled', 'changes', 'signals']) expect(part(bare, id)).toBeUndefined();
    expect(part(bare, 'unknown')).toContain('email.darkWeb.hitCount');
  });

  it('warns if the rules do not give the decision that is shown', () => {
    const { decision } = example;
    const other = {
      ...decision,
      reasons: decision.reasons.filter((reason) => !('rule' in reason && reason.rule === 'prepaid')),
    };
    expect(all(readPage(decisionPage({ ...example, decision: other })), 'div', 'warning')).toHaveLength(1);
    expect(all(page, 'div', 'warning')).toHaveLength(0);
  });

  it('folds distant rules if there are many, and lists each rule once', () => {
    const many = readPage(decisionPage(manyRulesExample(300)));
    const ids = Object.values(groups(many)).flat();
    expect(ids.toSorted()).toEqual(Array.from({ length: 300 }, (_, i) => `rule-${i + 1}`).toSorted());
    holdStructure(many);
  });

  it('allows only its own stylesheet, by hash', () => {
    const hash = createHash('sha256').update(STYLESHEET).digest('base64');
    const meta = all(page, 'meta').find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
    expect(meta?.attributes['content']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
    expect(all(page, 'style').map(textOf)).toEqual([STYLESHEET]);
    expect(STYLESHEET).not.toMatch(/@import|url\(|@font-face/);
  });

  it('is well-formed for all policies and facts, with each rule once in the group of its result', () => {
    fc.assert(
      fc.property(aCase(), ({ policy: plain, applicants, day }) => {
        const folder = mkdtempSync(join(tmpdir(), 'verdict-page-'));
        try {
          const policy = loadPlainPolicy(plain, folder);
          const facts = asRead(readPlainFacts(applicants[0] ?? {}, policy, day), policy.facts, day);
          const data = pageData(policy, facts, day);
          const read = readPage(decisionPage(data));
          holdStructure(read);
          const cards = all(read, 'details', 'rule');
          expect(cards.map(({ attributes }) => attributes['id']).toSorted()).toEqual(
            policy.rules.map((_, i) => `rule-${i + 1}`).toSorted(),
          );
          expect(all(read, 'div', 'warning')).toEqual([]);
          const inGroup = (title: string) =>
            Object.entries(groups(read)).flatMap(([heading, ids]) => (heading.startsWith(title) ? ids : []));
          const { reasons, undetermined, shadow } = data.decision;
          const fired = reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : []));
          expect(inGroup('Fired').toSorted()).toEqual(fired.toSorted());
          expect(inGroup('Could not').toSorted()).toEqual(undetermined.map(({ rule }) => rule).toSorted());
          expect(inGroup('Shadow').toSorted()).toEqual(shadow.map(({ rule }) => rule).toSorted());
          expect(inGroup('Nearest first')).toEqual(data.explanation?.notFired.map(({ rule }) => rule));
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }),
      { numRuns: sampled(5, 60) },
    );
  });
});
