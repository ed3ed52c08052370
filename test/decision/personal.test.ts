/** Values of facts that are declared personal are shown nowhere, as those of the applicant are. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import { redact } from '../../src/decision/redact.ts';
import { readPolicyText } from '../../src/policy/load.ts';
import { messageSchema } from '../../src/policy/read/message.ts';
import { printExplanation } from '../../src/report/explanation.ts';
import { decisionPage } from '../../src/report/html/decision-page.ts';
import { localVerifier, logFolder, personOf } from '../support/audit/decisions.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';
import { factsFrom, pageData } from '../support/report/example-pages.ts';
import { readPage, textOf } from '../support/report/read-page.ts';

const GIVEN = {
  employer: 'Canary Works',
  income: 48_123,
  born: '1987-03-14',
  band: 'canaryBand',
  pep: true,
  limit: 100,
};

/** Each value, the distance of the income from 60,000, and that of the birthday from the limits. */
const CANARIES = /canary|48,?123|1987-03-14|11,?877|\b7 days/i;

const policyWith = (personal: string) =>
  policyOf(`${HEAD}
facts:
  context.employer: { type: string, ${personal} }
  context.income: { type: number, ${personal} }
  context.born: { type: date, ${personal} }
  context.band: { type: enum, values: [low, canaryBand], ${personal} }
  context.pep: { type: boolean, ${personal} }
  context.limit: { type: number }
lists:
  employers: [canary other, canary works]
rules:
  - { id: employer, when: { context.employer: { is: canary works, startsWith: canary } }, then: review }
  - { id: listed, when: { context.employer: { inList: employers } }, then: review }
  - { id: income, when: { context.income: { below: 50000, isNot: 48124 } }, then: review }
  - { id: born, when: { context.born: { before: 1990-01-01 } }, then: review }
  - { id: band, when: { context.band: [canaryBand], context.pep: true }, then: review }
  - { id: beside, when: { context.limit: { below: { fact: context.income } } }, then: review }
  - { id: rich, when: { context.income: { above: 60000 } }, then: reject }
  - { id: young, when: { context.born: { after: 1987-03-20 } }, then: reject }
  - { id: over, when: { context.limit: { above: { fact: context.income } } }, then: reject }
`);

/** All that people see of a decision, and its explanation as data. */
function shownBy(personal: string): string {
  const policy = policyWith(personal);
  const given = Object.entries(GIVEN).map(([name, value]) => [`context.${name}`, value]);
  const page = pageData(policy, factsFrom(policy, Object.fromEntries(given)), '2026-11-20');
  const { explanation } = page;
  if (!explanation) throw new Error('no explanation');
  const { notFired, standsOn, changes } = explanation;
  const text = printExplanation({ ...page, explanation }, { style: (_, words) => words });
  const html = textOf(readPage(decisionPage(page)));
  return [text, html, JSON.stringify([notFired, standsOn, changes])].join('\n');
}

describe('a personal fact', () => {
  it('is shown in no text, page or explanation; neither are its distance and values beside it', () => {
    expect(shownBy('description: d')).toMatch(CANARIES);
    expect(shownBy('personal: true').match(CANARIES)?.[0]).toBe(undefined);
  });

  it.each([
    ['context.income', 'type: number, personal: true'],
    ['context.second', 'type: string, format: phone'],
    ['context.second', 'type: string, format: ip'],
  ])('may stand in no message, in an editor neither: %s, { %s }', (personal, how) => {
    const facts = `facts:\n  ${personal}: { ${how} }\n  context.limit: { type: number }\n`;
    const rule = (path: string) =>
      `rules:\n  - { id: r, when: { phone.valid: true }, then: review, message: "{${path}}" }\n`;
    const found = readPolicyText(`${HEAD}${facts}${rule(personal)}`).diagnostics;
    expect(found.map(({ code, message }) => [code, message])).toEqual([
      ['bad-message', `${personal} is personal data, which a message must not show`],
    ]);
    const policy = policyOf(`${HEAD}${facts}${rule('context.limit')}`);
    const schema = JSON.stringify(messageSchema({ facts: policy.facts, own: policy }));
    expect([schema.includes('limit'), schema.includes(personal)]).toEqual([true, false]);
  });

  it('cannot be tried by the digest of a policy on a page, which is handed on', () => {
    const policy = policyWith('personal: true');
    const page = pageData(policy, factsFrom(policy, { 'context.employer': 'canary works' }), '2026-11-20');
    expect(decisionPage(page).includes(policy.digest.slice('sha256:'.length))).toBe(false);
    expect(decisionPage(page).includes('id="record"')).toBe(false);
  });

  it('gives no example beside its value for a fact that it is compared with', () => {
    const changesWith = (personal: string) => {
      const facts = `facts:\n  context.income: { type: number, ${personal} }\n  context.limit: { type: number }\n`;
      const when = '{ context.limit: { below: { fact: context.income } } }';
      const policy = policyOf(`${HEAD}${facts}rules:\n  - { id: r, when: ${when}, then: reject }\n`);
      const given = factsFrom(policy, { 'context.income': 48_123, 'context.limit': 100 });
      return JSON.stringify(pageData(policy, given, '2026-11-20').explanation?.changes.sets);
    };
    expect(changesWith('unit: EUR')).toMatch(/"fact":"context.limit".*48123/);
    expect(changesWith('personal: true')).toContain('"fact":"context.limit"');
    expect(changesWith('personal: true')).not.toContain('48123');
  });

  it('still has the limits of the policy beside it', () => {
    expect(shownBy('personal: true')).toContain('context.income is below 50000: (not shown)');
  });

  it('is in the record of a decision encrypted, in no event and in no redacted decision', async () => {
    const folder = await logFolder();
    const events: unknown[] = [];
    const audit = await folder.open();
    const policy = policyWith('personal: true');
    const decider = createDecider({ policy, verify: localVerifier, audit, onEvent: (event) => events.push(event) });
    const decision = await decider.decide(personOf(0), { context: GIVEN });
    await audit.close();
    expect(JSON.stringify(decision.reasons)).toMatch(/canary/i);
    expect(JSON.stringify([redact(decision), events])).not.toMatch(/canary|48123|1987/i);
    const files = [folder.dir, folder.keys].flatMap((place) =>
      readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
    );
    expect(files.length).toBeGreaterThan(5);
    for (const { parentPath, name } of files) {
      expect(readFileSync(join(parentPath, name), 'latin1'), name).not.toMatch(
        /canary (works|other)|48123|1987-03-14/i,
      );
    }
  });
});
