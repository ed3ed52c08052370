/** The checks of a policy as a whole: each warning occurs, and a similar policy that is intended passes. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDiagnostic } from '../../../src/diagnostics.ts';
import { HEAD, readPolicyText, temporaryFolder } from '../../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../../support/policy/problems.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { decideLive, filesOf, loadPolicyAsIs, readPlainFacts } from '../../support/runners/case.ts';
import { type PlainPolicy, type PlainRule, rulesOf } from '../../support/runners/plain.ts';
import { sampled } from '../../support/sampled.ts';

/** What is wrong, its code, the text with a mark at each place, and a text that is nearly the same and right. */
type Row = [what: string, code: string, text: string, near: string];

const rules = (...each: readonly string[]) => `${HEAD}rules:\n${each.map((rule) => `  - { ${rule} }\n`).join('')}`;
const table = (columns: string, ...rows: readonly string[]) =>
  `${HEAD}tables:\n  - id: ‹one\n    columns: [${columns}, then]\n    rows:\n` +
  `${rows.map((row) => `      - [${row}]\n`).join('')}`;
const LIMIT = '  context.limit: { type: number }\n';
/** A rule on a share of debts that is computed. */
const ratio = (share: string, before = '', more = '') =>
  ruleWhen(
    '{ context.share: { above: 1 } }',
    `${before}facts:\n  context.debts: { type: number }\n${more}  ${share}\n`,
  );
/** A computed ratio with another key of its declaration. */
const ratioOf = (key: string) =>
  `facts:\n  context.debts: { type: number }\n${LIMIT}` +
  `  context.part: { type: number, ${key}, compute: { ratio: [context.debts, context.limit] } }\n`;
/** Velocities of which no rule reads all: unused ones are reported elsewhere. */
const velocities = (...names: readonly (keyof typeof VELOCITIES)[]) =>
  `velocity:\n${names.map((name) => `  ${name}: ${VELOCITIES[name]}\n`).join('')}`;
const VELOCITIES = {
  sameIp: '{ count: applications, by: ip, within: 1 hour }',
  sameIpDay: '{ count: applications, by: ip, within: 1 day }',
  sameDomain: '{ count: distinct email, by: emailDomain, within: 1 day }',
};
const withoutMarks = (text: string) => text.replaceAll('‹', '');

const HIGH = 'when: { phone.riskLevel: { atLeast: high } }';
const VERY_HIGH = 'when: { phone.riskLevel: veryHigh }';
const VOIP = 'when: { phone.type: voip }';
const FINAL = 'then: accept, final: true';
const ALLOWED = 'when: { applicant.phoneNo: { inList: friends } }';
const FRIENDS = 'lists: { friends: ["447400123456"] }\n';

const ROWS: readonly Row[] = [
  // texts
  [
    'a zero-width space in a literal',
    'hidden-character',
    ruleWhen('{ ip.isp: Ac‹\u200bme }'),
    ruleWhen('{ ip.isp: Ac me }'),
  ],
  [
    'an escape in a literal, at the whole of it',
    'hidden-character',
    ruleWhen('{ ip.isp: ‹"Ac\\u200Bme" }'),
    ruleWhen('{ ip.isp: "Ac\\tme" }'),
  ],
  [
    'a right-to-left override in an entry',
    'hidden-character',
    ruleWhen('{ ip.isp: { inList: bad } }', 'lists:\n  bad: [{ value: a‹\u202eb, note: "e‹\u001b[1m" }]\n'),
    ruleWhen('{ ip.isp: { inList: bad } }', 'lists:\n  bad: [{ value: אב, note: "❤\ufe0f\u00a0ok" }]\n'),
  ],
  [
    'a comment that turns the order of its line round',
    'hidden-character',
    `# ‹\u2067 } tcejer :neht\n# and ‹\u2028rules: []\n${ruleWhen('{ ip.isp: acme }')}`,
    `# ❤\ufe0f and a\u200db\n${ruleWhen('{ ip.isp: acme }')}`,
  ],
  [
    'a hidden character in a text for people',
    'hidden-character',
    `${HEAD.replace('"1"', '"1‹\u009b"')}description: "a‹\u2028b"\n` +
      `rules:\n  - { id: a, ${HIGH}, then: review, message: "m‹\u00ad", notice: "n‹\ufeff", owner: "o‹\u200d", tags: ["t‹\u2066"] }\n`,
    `${HEAD}description: |\n  one\n  two\n` +
      `rules:\n  - { id: a, ${HIGH}, then: review, message: "m", notice: "n", owner: "o", tags: ["t"] }\n`,
  ],
  [
    'a literal between typographic quotes',
    'typographic-quotes',
    ruleWhen('{ ip.isp: [Acme, ‹“Acme Mobile”] }'),
    ruleWhen('{ ip.isp: [Acme, "“Acme” Mobile"] }'),
  ],
  [
    'an entry and a needle between typographic quotes',
    'typographic-quotes',
    ruleWhen(
      '{ ip.isp: { contains: ‹„voip“ }, phone.operator.current: { inList: bad } }',
      'lists:\n  bad: [‹‘x’, { value: ‹«y» }]\n',
    ),
    ruleWhen(
      '{ ip.isp: { contains: ’s-hertog }, phone.operator.current: { inList: bad } }',
      'lists:\n  bad: [x, { value: y’ }]\n',
    ),
  ],
  [
    'a Cyrillic letter in a word of Latin ones, at the letter',
    'mixed-scripts',
    ruleWhen('{ ip.isp: [Acme, p‹\u0430ypal], phone.operator.current: { isNot: "c‹\u043ed\u0435 Ltd" } }'),
    ruleWhen(
      '{ ip.isp: [Acme, \u0430\u043f\u0442\u0435\u043a\u0430 Ltd], phone.operator.current: { isNot: 2G-\u0441\u0435\u0442\u044c } }',
    ),
  ],
  [
    'letters of two scripts in an entry of each kind',
    'mixed-scripts',
    ruleWhen(
      '{ applicant.emailDomain: { inDomainList: bad }, ip.isp: { inList: isps } }',
      'lists:\n  bad: [m‹\u0430il.example, { value: ‹\u03bfne.example }]\n  isps: [‹"\\u0581oogle"]\n',
    ),
    ruleWhen(
      '{ applicant.emailDomain: { inDomainList: bad }, ip.isp: { inList: isps } }',
      'lists:\n  bad: [\u043f\u043e\u0447\u0442\u0430.example, xn--mil-6cd.example]\n' +
        '  isps: [\u00b5Net, T\u30b7\u30e3\u30c4\u5c4b\u306e, SK\ud154\ub808\ucf64, \u0e18\u0e19\u0e32KBank, Jose\u0301, \u0130\u00f8\u00df]\n',
    ),
  ],
  [
    'letters of two scripts in a part of a value, a pattern and a parameter',
    'mixed-scripts',
    ruleWhen(
      "{ ip.isp: { contains: b‹\u0430nk, matches: '^\\bc‹\u043ede[0-9]' }, phone.operator.current: ‹$name }",
      'parameters: { name: p\u0430ypal }\n',
    ),
    ruleWhen(
      "{ ip.isp: { contains: bank, matches: '\\b\u0431\u0430\u043d\u043a\\x{61}|p[a\u0430]ypal|\\p{Cyrillic}x' } }",
    ),
  ],
  [
    'a phone number that no numbering plan has',
    'no-such-number',
    ruleWhen(
      '{ any: [{ applicant.phoneNo: ["447400123456", ‹"+44 7400 12345"] }, { applicant.phoneNo: { inList: l } }] }',
      'lists:\n  l: [‹"999 1234567"]\n',
    ),
    ruleWhen('{ applicant.phoneNo: { startsWith: "44", notIn: ["+44 7400 123456"] }, ip.isp: "447400" }'),
  ],
  // names
  [
    'a condition that nothing refers to',
    'unused-condition',
    ruleWhen('{ phone.valid: false }', 'conditions:\n  ‹risky: { phone.type: voip }\n'),
    ruleWhen('{ all: [risky, { phone.valid: false }] }', 'conditions:\n  risky: { phone.type: voip }\n'),
  ],
  [
    'a list that no test looks into',
    'unused-list',
    ruleWhen('{ phone.valid: false }', 'lists:\n  ‹bad: [a]\n'),
    ruleWhen('{ ip.isp: { notInList: bad } }', 'lists:\n  bad: [a]\n'),
  ],
  [
    'a stage that asks for nothing new',
    'stage-repeats',
    ruleWhen('{ email.address.status: invalid }', 'stages: [[phoneNo, email], ‹[phoneNo]]\n'),
    ruleWhen('{ email.address.status: invalid }', 'stages: [[phoneNo], [phoneNo, email]]\n'),
  ],

  [
    'a fact that no test, message or computed fact uses',
    'unused-fact',
    ruleWhen('{ phone.valid: false }', 'facts: { ‹context.limit: { type: number } }\n'),
    `${HEAD}facts:
  context.limit: { type: number }
  context.income: { type: number }
  context.ratio: { type: number, compute: { ratio: [context.limit, context.income] } }
  context.note: { type: string }
  context.other: { type: string }
conditions: { known: { context.other: { known: true } } }
rules:
  - { id: a, when: { all: [known, { context.ratio: { above: 2 } }] }, then: review, message: "{context.note}" }
`,
  ],
  [
    'a variable that no stage asks for, once',
    'unasked-variable',
    ruleWhen('{ email.address.score: 1, email.domain.type: other, phone.type: voip }', 'stages: ‹[[phoneNo]]\n'),
    ruleWhen('{ applicant.email: a@mail.example, phone.valid: true }', 'stages: [[phoneNo]]\n'),
  ],
  [
    'a variable that no stage asks for, through a derived fact',
    'unasked-variable',
    ruleWhen('{ ip.matchesPhoneCountry: false }', 'stages: ‹[[phoneNo]]\n'),
    ruleWhen('{ ip.matchesPhoneCountry: false }', 'stages: [[phoneNo], [ip, phoneNo]]\n'),
  ],
  [
    'a variable that stages ask for and nothing needs',
    'unread-variable',
    ruleWhen('{ phone.type: voip, applicant.ip: 8.8.8.8 }', 'stages: [[phoneNo], [phoneNo, ‹ip]]\n'),
    ruleWhen('{ phone.type: voip, identity.verified: false }', 'stages: [[phoneNo], [phoneNo, ip]]\n'),
  ],

  // what has ended, and what is in lists twice
  [
    'a rule whose last day is over',
    'expired-rule',
    rules(`id: a, ${VOIP}, then: review, until: ‹2026-11-19`, `id: b, ${HIGH}, then: review`),
    rules(`id: a, ${VOIP}, then: review, until: 2026-11-20`, `id: b, ${HIGH}, then: review`),
  ],
  [
    'a table whose last day is over, once',
    'expired-rule',
    `${withoutMarks(table('phone.type', 'voip, review', 'pager, review'))}    until: ‹2026-11-19\nrules: [{ id: b, ${HIGH}, then: review }]\n`,
    `${withoutMarks(table('phone.type', 'voip, review', 'pager, review'))}    from: 2026-11-21\nrules: [{ id: b, ${HIGH}, then: review }]\n`,
  ],
  [
    'entries whose last day is over, once',
    'expired-entry',
    ruleWhen(
      '{ ip.isp: { inList: l } }',
      'lists:\n  l: [a, { value: ‹b, until: 2026-11-19 }, { value: c, until: 2025-01-01 }]\n',
    ),
    ruleWhen('{ ip.isp: { inList: l } }', 'lists:\n  l: [a, { value: b, until: 2026-11-20 }]\n'),
  ],
  [
    'an entry that is listed twice, in another spelling',
    'duplicate-entry',
    ruleWhen(
      '{ applicant.phoneNo: { inList: l } }',
      'lists:\n  l: ["447400123456", "447400123457", ‹"+44 7400 123456"]\n',
    ),
    ruleWhen('{ applicant.phoneNo: { inList: l } }', 'lists:\n  l: ["447400123456", "447400123457"]\n'),
  ],
  [
    'a block of addresses that is listed twice',
    'duplicate-entry',
    ruleWhen('{ applicant.ip: { inList: l } }', 'lists:\n  l: [8.8.8.0/24, 8.8.8.0, ‹8.8.8.0/24]\n'),
    ruleWhen('{ applicant.ip: { inList: l } }', 'lists:\n  l: [8.8.8.0/24, 8.8.0.0/16]\n'),
  ],
  [
    'an entry to accept and to reject',
    'conflicting-entry',
    `lists: { good: [a@x.example, ‹b@x.example], bad: [c@x.example, B@x.example] }\n${rules(
      `id: a, when: { applicant.email: { inList: good } }, ${FINAL}`,
      'id: b, when: { any: [{ applicant.email: { inList: bad } }, { phone.valid: false }] }, then: reject, final: true',
    )}`,
    // The final accept is there to lift the reject.
    `lists: { good: [a@x.example, b@x.example], bad: [c@x.example, b@x.example] }\n${rules(
      `id: a, when: { applicant.email: { inList: good } }, ${FINAL}`,
      'id: b, when: { applicant.email: { inList: bad } }, then: reject',
    )}`,
  ],
  [
    'a domain to accept and to reject, neither for good',
    'conflicting-entry',
    `lists: { good: [x.example, ‹y.example], bad: [y.example, z.example] }\n${rules(
      `id: a, when: { applicant.emailDomain: { inList: good } }, then: accept, reason: GOOD`,
      'id: b, when: { applicant.emailDomain: { inDomainList: bad } }, then: reject',
    )}`,
    // Only some of the domain are rejected.
    `lists: { good: [x.example, y.example], bad: [y.example, z.example] }\n${rules(
      `id: a, when: { applicant.emailDomain: { inList: good } }, then: accept, reason: GOOD`,
      'id: b, when: { applicant.emailDomain: { inDomainList: bad }, phone.valid: false }, then: reject',
    )}`,
  ],

  // ratios
  [
    'a ratio to zero',
    'ratio-invalid',
    ratio('‹context.share: { type: number, compute: { ratio: [context.debts, 0] } }'),
    ratio('context.share: { type: number, compute: { ratio: [0, context.debts] } }'),
  ],
  [
    'a ratio to a parameter of zero',
    'ratio-invalid',
    ratio('‹context.share: { type: number, compute: { ratio: [context.debts, $part] } }', 'parameters: { part: 0 }\n'),
    ratio('context.share: { type: number, compute: { ratio: [context.debts, $part] } }', 'parameters: { part: 2 }\n'),
  ],
  [
    'a ratio as an integer',
    'ratio-invalid',
    ratio('‹context.share: { type: integer, compute: { ratio: [context.debts, context.limit] } }', '', LIMIT),
    ratio('context.share: { type: integer, compute: { difference: [context.debts, context.limit] } }', '', LIMIT),
  ],

  // levels
  [
    'a strict rule for one level, which lets a riskier one through',
    'milder-level',
    ruleWhen('{ email.address.riskLevel: ‹high }'),
    ruleWhen('{ email.address.riskLevel: veryHigh }'),
  ],
  [
    'levels in a list without the riskiest',
    'milder-level',
    ruleWhen('{ email.address.riskLevel: { in: ‹[medium, high] } }'),
    ruleWhen('{ email.address.riskLevel: { in: [medium, high, veryHigh] } }'),
  ],
  [
    'a level whose next one has a milder rule alone',
    'milder-level',
    rules(
      'id: a, when: { phone.riskLevel: ‹high }, then: reject',
      'id: b, when: { phone.riskLevel: { atLeast: veryHigh } }, then: review',
    ),
    rules(
      'id: a, when: { phone.riskLevel: high }, then: review',
      'id: b, when: { phone.riskLevel: { atLeast: veryHigh } }, then: reject',
    ),
  ],
  [
    'a level with points, none for the next one',
    'milder-level',
    `score: { review: 5 }\n${rules('id: a, when: { phone.riskLevel: ‹medium }, points: 5')}`,
    // A rule of the good, and the negation of a level.
    `score: { review: 5 }\n${rules(
      'id: a, when: { phone.riskLevel: medium }, points: -5',
      'id: b, when: { not: { phone.riskLevel: low } }, points: 5',
    )}`,
  ],
  [
    'a strict rule for one count, which lets a greater one through',
    'milder-level',
    ruleWhen('{ velocity.sameIp: ‹3 }', velocities('sameIp')),
    rules(
      'id: a, when: { velocity.sameIp: [3, 4] }, then: review',
      'id: b, when: { velocity.sameIp: { atLeast: 5 } }, then: reject',
      'id: c, when: { velocity.sameIp: 0 }, then: review',
    ).replace('rules:', `${velocities('sameIp')}rules:`),
  ],
  [
    'a count of the service, which lets a greater one through',
    'milder-level',
    ruleWhen('{ phone.porting.portCount: ‹3 }'),
    ruleWhen('{ phone.porting.portCount: { atLeast: 3 } }'),
  ],
  [
    'counts in the rows of a table, which let those between them through',
    'milder-level',
    `${HEAD}${velocities('sameIp')}tables:
  - { id: t, columns: [velocity.sameIp, then], rows: [[‹3, review], [{ atLeast: 10 }, reject]] }\n`,
    `${HEAD}${velocities('sameIp')}tables:
  - { id: t, columns: [velocity.sameIp, then], rows: [[{ between: [3, 9] }, review], [{ atLeast: 10 }, reject]] }\n`,
  ],
  [
    'a velocity by a network that strangers share, or that nobody has',
    'counts-strangers',
    ruleWhen(
      '{ velocity.wide: { atLeast: 3 }, velocity.odd: { atLeast: 3 } }',
      `velocity:
  ‹wide: { count: applications, by: ip/8, within: 1 hour }
  ‹odd: { count: applications, by: [ip/33, email], within: 1 hour }
`,
    ),
    ruleWhen(
      '{ velocity.wide: { atLeast: 3 }, velocity.odd: { atLeast: 3 } }',
      `velocity:
  wide: { count: applications, by: ip/16, within: 1 hour }
  odd: { count: applications, by: [ip/48, email], within: 1 hour }
`,
    ),
  ],
  [
    'a strict rule for many of one domain, which all of a free mail service have',
    'counts-strangers',
    ruleWhen('{ velocity.sameDomain: { atLeast: ‹8 } }', velocities('sameDomain')),
    ruleWhen('{ velocity.sameDomain: { atLeast: 8 }, email.domain.type: { isNot: free } }', velocities('sameDomain')),
  ],
  [
    'a count that is above one that has all of it',
    'never-true',
    ruleWhen('{ velocity.sameIp: { above: ‹{ fact: velocity.sameIpDay } } }', velocities('sameIp', 'sameIpDay')),
    ruleWhen('{ velocity.sameIp: { atLeast: { fact: velocity.sameIpDay } } }', velocities('sameIp', 'sameIpDay')),
  ],
  [
    'a count that is at least one that is a part of it',
    'always-true',
    ruleWhen('{ velocity.sameIpDay: { atLeast: ‹{ fact: velocity.sameIp } } }', velocities('sameIp', 'sameIpDay')),
    ruleWhen('{ velocity.sameIpDay: { above: { fact: velocity.sameIp } } }', velocities('sameIp', 'sameIpDay')),
  ],
  [
    'a number with three decimals, the last of which is 0',
    'wrong-scale',
    ruleWhen('{ phone.porting.portCount: { above: ‹5.000 } }'),
    ruleWhen('{ phone.porting.portCount: { above: 5 }, phone.score: { above: 5.125 } }'),
  ],
  [
    'a domain without a dot',
    'near-pattern',
    ruleWhen('{ applicant.emailDomain: [‹gmail, yahoo.com] }'),
    ruleWhen('{ applicant.emailDomain: { inDomainList: bad } }', 'lists:\n  bad: [spam.example]\n'),
  ],
  [
    'an entry of `any` with two tests',
    'single-entry',
    ruleWhen('{ any: [{ email.address.riskLevel: { atLeast: high }, phone.score: { above: ‹80 } }] }'),
    ruleWhen('{ any: [{ email.address.riskLevel: { atLeast: high } }, { phone.score: { above: 80 } }] }'),
  ],

  // texts that match in part
  [
    'a pattern between slashes',
    'near-pattern',
    ruleWhen("{ ip.isp: { matches: ‹'/mail[0-9]+/i' } }"),
    ruleWhen("{ ip.isp: { matches: 'mail/[0-9]+/' } }"),
  ],
  [
    'a domain as an ending',
    'near-pattern',
    ruleWhen('{ applicant.emailDomain: { endsWith: ‹spam.example } }'),
    ruleWhen('{ applicant.emailDomain: { endsWith: .spam.example } }'),
  ],
  [
    'a domain as the ending of an email',
    'near-pattern',
    ruleWhen('{ applicant.email: { endsWith: ‹spam.example } }'),
    ruleWhen("{ applicant.email: { endsWith: '@spam.example' } }"),
  ],
  [
    'a text with a star',
    'near-pattern',
    ruleWhen("{ ip.isp: { in: [‹'acme*', other] } }"),
    ruleWhen("{ ip.isp: { in: ['*', acme*net, '100%'] } }"),
  ],
  [
    'an entry with a sign of SQL',
    'near-pattern',
    ruleWhen('{ ip.isp: { inList: l } }', "lists:\n  l: [‹'%acme']\n"),
    ruleWhen('{ applicant.emailDomain: { inDomainList: l } }', 'lists:\n  l: [acme.example]\n'),
  ],
  [
    'a fixed day of birth',
    'fixed-birthday',
    ruleWhen('{ context.dateOfBirth: { after: ‹2008-11-20 } }', 'facts: { context.dateOfBirth: { type: date } }\n'),
    // The day of another event may be fixed.
    ruleWhen('{ context.signedUp: { after: 2008-11-20 } }', 'facts: { context.signedUp: { type: date } }\n'),
  ],
  [
    'the path of a fact as a text',
    'fact-as-text',
    ruleWhen(
      '{ any: [{ ip.isp: ‹phone.operator.current }, { ip.isp: { isNot: ‹context.isp } }, { context.isp: { notIn: [a.example, ‹phone.operator.current] } }] }',
      'facts: { context.isp: { type: string } }\n',
    ),
    ruleWhen(
      '{ any: [{ ip.isp: { is: { fact: phone.operator.current } } }, { ip.isp: { contains: phone.type } }, { context.kind: ip.isp }] }',
      'facts: { context.kind: { type: enum, values: [ip.isp, other] } }\n',
    ),
  ],
  ...['{{phone.score}}', '{{ $limit }}', `$${'{phone.score}'}`, '<phone.score>', '%phone.score%', '$limit'].map(
    (written): Row => [
      `a message with ${written}`,
      'near-placeholder',
      `parameters: { limit: 80 }\n${rules(`id: a, when: { phone.score: { above: $limit } }, then: review, message: ‹"Is ${written}"`)}`,
      `parameters: { limit: 80 }\n${rules('id: a, when: { phone.score: { above: $limit } }, then: review, message: "<b> {phone.score} of {$limit}, $90, {{x}}, 5% of 7%"')}`,
    ],
  ),

  // numbers
  [
    'a fraction for a score up to 100',
    'wrong-scale',
    ruleWhen(
      '{ phone.score: { above: ‹0.8 }, email.address.score: { between: ‹[0, 0.25] }, email.domain.score: ‹[0.5, 1] }',
    ),
    ruleWhen(
      '{ phone.score: { above: 1 }, email.address.score: { between: [0.5, 7.5] }, ip.location.longitude: { above: -0.5, below: 0.5 } }',
    ),
  ],
  [
    'a fraction where all other limits are whole',
    'wrong-scale',
    ruleWhen('{ any: [{ phone.score: { above: 14 } }, { phone.score: ‹0.5 }] }'),
    ruleWhen('{ any: [{ phone.score: { above: 14.5 } }, { phone.score: 0.5 }] }'),
  ],
  [
    'a fraction by the name of a parameter',
    'wrong-scale',
    ruleWhen('{ phone.score: { atLeast: ‹$risky } }', 'parameters: { risky: 0.8 }\n'),
    ruleWhen(
      '{ context.share: { atLeast: $risky } }',
      'parameters: { risky: 0.8 }\nfacts: { context.share: { type: number } }\n',
    ),
  ],
  [
    'a percentage for a ratio that is called a share',
    'wrong-scale',
    `${ratioOf('description: Share of the income')}${rules('id: a, when: { context.part: { above: ‹60 } }, then: review')}`,
    // A share may be above 1: two limits are 1.5 and 120, and a loan is 36 incomes.
    `${ratioOf('description: Share of the income')}${rules('id: a, when: { context.part: { in: [0.6, 1, 1.5, 120] } }, then: review')}`,
  ],
  [
    'a percentage for a ratio that is compared with a fraction too',
    'wrong-scale',
    `${ratioOf('unit: incomes')}${rules(
      'id: a, when: { context.part: { above: 0.4 } }, then: review',
      'id: b, when: { context.part: { above: ‹60 } }, then: reject',
    )}`,
    `${ratioOf('unit: incomes')}${rules(
      'id: a, when: { context.part: { below: 0.5 } }, then: review',
      'id: b, when: { context.part: { between: [3, 36] } }, then: reject',
    )}`,
  ],

  // the policy as a whole
  [
    'a policy that ends before its rules',
    'no-active-rule',
    HEAD.replace('accept', '‹accept'),
    HEAD.replace('accept', 'review'),
  ],
  [
    'rules that are all in shadow mode',
    'no-active-rule',
    rules(`id: a, ${VOIP}, then: reject, mode: shadow`).replace('accept', '‹accept'),
    rules(`id: a, ${VOIP}, then: reject, mode: shadow`, `id: b, ${HIGH}, then: review`),
  ],
  [
    'rules whose days are all to come',
    'no-active-rule',
    rules(`id: a, ${VOIP}, then: reject, from: 2999-01-01`, `id: b, ${HIGH}, then: review, from: 9999-12-31`).replace(
      'accept',
      '‹accept',
    ),
    rules(`id: a, ${VOIP}, then: reject, from: 2020-12-31, until: 9999-12-31`),
  ],

  // tests, each alone
  [
    'a limit above the range',
    'never-true',
    ruleWhen('{ phone.score: { above: ‹100 } }'),
    ruleWhen('{ phone.score: { atLeast: 100 } }'),
  ],
  [
    'a range outside that of the fact',
    'never-true',
    ruleWhen('{ phone.score: { between: ‹[101, 200] } }'),
    ruleWhen('{ phone.score: { between: [100, 200] } }'),
  ],
  [
    'a value outside the range',
    'never-true',
    ruleWhen('{ email.darkWeb.hitCount: ‹-1 }'),
    ruleWhen('{ email.darkWeb.hitCount: 0 }'),
  ],
  [
    'a level below the lowest',
    'never-true',
    ruleWhen('{ phone.riskLevel: { below: ‹veryLow } }'),
    ruleWhen('{ phone.riskLevel: { below: low } }'),
  ],
  [
    'a level at least the lowest',
    'always-true',
    ruleWhen('{ phone.riskLevel: { atLeast: ‹veryLow } }'),
    ruleWhen('{ phone.riskLevel: { atLeast: low } }'),
  ],
  [
    'every value of an enum',
    'always-true',
    ruleWhen('{ phone.serviceType: ‹[prepaid, postpaid, other] }'),
    ruleWhen('{ phone.serviceType: [prepaid, postpaid] }'),
  ],
  [
    'both values of a boolean',
    'always-true',
    ruleWhen('{ phone.valid: ‹[true, false] }'),
    ruleWhen('{ phone.valid: { known: true } }'),
  ],
  [
    'no value of an enum',
    'never-true',
    ruleWhen('{ phone.serviceType: { notIn: ‹[prepaid, postpaid, other] } }'),
    ruleWhen('{ phone.serviceType: { notIn: [prepaid, postpaid] } }'),
  ],
  [
    'a test in a named condition, once',
    'never-true',
    `${HEAD}conditions:\n  hot: { phone.score: { above: ‹100 } }\nrules:\n` +
      '  - { id: a, when: hot, then: review }\n  - { id: b, when: { not: hot }, then: review }\n',
    ruleWhen('hot', 'conditions:\n  hot: { phone.score: { above: 99 } }\n'),
  ],

  // tests beside others of the same fact
  [
    'limits that contradict each other',
    'never-true',
    ruleWhen('{ phone.score: { above: 10, below: ‹5 } }'),
    ruleWhen('{ phone.score: { above: 5, below: 10 } }'),
  ],
  [
    'integers between which none lies',
    'never-true',
    ruleWhen('{ phone.porting.portCount: { above: 1, below: ‹2 } }'),
    ruleWhen('{ phone.porting.portCount: { above: 1, below: 3 } }'),
  ],
  [
    'two values at once, in an `all` within an `all`',
    'never-true',
    ruleWhen('{ all: [{ phone.type: voip }, { all: [{ phone.valid: true }, { phone.type: ‹pager }] }] }'),
    ruleWhen('{ any: [{ phone.type: voip }, { all: [{ phone.valid: true }, { phone.type: pager }] }] }'),
  ],
  [
    'a lately of what never happened',
    'never-true',
    ruleWhen('{ phone.porting.portedDate: { withinLast: 30 days, never: ‹true } }'),
    ruleWhen('{ any: [{ phone.porting.portedDate: { withinLast: 30 days } }, { phone.porting.portedDate: never }] }'),
  ],
  [
    'a value of what is missing',
    'never-true',
    ruleWhen('{ all: [{ phone.type: voip }, { not: { phone.valid: true } }, { phone.type: { notIn: ‹[voip] } }] }'),
    ruleWhen('{ all: [{ phone.type: voip }, { not: { phone.valid: true } }] }'),
  ],
  [
    'one fact against another both ways',
    'never-true',
    ruleWhen('{ ip.country: { is: { fact: phone.country }, isNot: ‹{ fact: phone.country } } }'),
    ruleWhen('{ ip.country: { is: { fact: phone.country }, isNot: gb } }'),
  ],
  [
    'two beginnings of one text, or two ends, or an end that a domain of a list lacks',
    'never-true',
    ruleWhen(
      '{ any: [{ all: [{ ip.isp: { startsWith: ab } }, { ip.isp: { startsWith: ‹b } }] }, { ip.isp: { is: a, endsWith: ‹b } }, ' +
        '{ applicant.emailDomain: { endsWith: .ru, inDomainList: ‹l } }] }',
      'lists: { l: [a.example, b.example] }\n',
    ),
    ruleWhen(
      '{ any: [{ all: [{ ip.isp: { startsWith: ab } }, { ip.isp: { endsWith: b } }] }, { ip.isp: { contains: x, endsWith: b } }, ' +
        '{ applicant.emailDomain: { endsWith: .ru, inDomainList: l } }] }',
      'lists: { l: [a.example, b.ru] }\n',
    ),
  ],
  [
    'an end that a longer one makes needless',
    'always-true',
    ruleWhen('{ applicant.emailDomain: { endsWith: .mail.ru, contains: ‹ru } }'),
    ruleWhen('{ applicant.emailDomain: { endsWith: .mail.ru, contains: my } }'),
  ],
  [
    'a limit that another makes needless',
    'always-true',
    ruleWhen('{ phone.score: { above: 10, atLeast: ‹5 } }'),
    ruleWhen('{ phone.score: { above: 10, atMost: 50 } }'),
  ],
  [
    'a `never: false` beside an age',
    'always-true',
    ruleWhen('{ phone.porting.portedDate: { withinLast: 30 days, never: ‹false } }'),
    ruleWhen('{ not: { phone.porting.portedDate: { never: true } } }'),
  ],
  [
    'the same test twice',
    'always-true',
    ruleWhen('{ all: [{ ip.isp: { contains: vpn } }, { ip.isp: { contains: ‹VPN } }] }'),
    ruleWhen('{ all: [{ ip.isp: { contains: vpn } }, { ip.isp: { contains: host } }] }'),
  ],
  [
    'a test that is needless beside others, but for `known`',
    'always-true',
    ruleWhen('{ phone.type: { is: voip, in: ‹[voip, pager], known: true } }'),
    ruleWhen('{ phone.type: { is: voip, known: true } }'),
  ],

  // rules
  [
    'a rule whose parts contradict each other',
    'never-fires',
    `${HEAD}conditions:\n  risky: { phone.riskLevel: { atLeast: high } }\nrules:\n` +
      '  - { id: ‹a, when: { all: [risky, { phone.riskLevel: low }] }, then: review }\n' +
      '  - { id: b, when: risky, then: review }\n',
    `${HEAD}conditions:\n  risky: { phone.riskLevel: { atLeast: high } }\nrules:\n` +
      '  - { id: a, when: { any: [risky, { phone.riskLevel: low }] }, then: review }\n',
  ],
  [
    'a rule whose facts are derived from each other and cannot be so',
    'never-fires',
    rules(
      'id: ‹a, when: { applicant.email: { endsWith: "@yahoo.com" }, applicant.emailDomain: gmail.com }, then: review',
      'id: ‹b, when: { ip.matchesPhoneCountry: false, ip.country: GB, phone.country: GB }, then: review',
    ),
    rules(
      'id: a, when: { applicant.email: { endsWith: "com" }, applicant.emailDomain: my-yahoo.com }, then: review',
      'id: b, when: { ip.matchesPhoneCountry: false, ip.country: GB, phone.country: [GB, FR] }, then: review',
    ),
  ],
  [
    'the same condition in another order',
    'same-condition',
    rules(
      'id: a, when: { phone.valid: false, phone.type: voip }, then: review',
      'id: ‹b, when: { all: [{ phone.type: VoIP }, { phone.valid: false }] }, then: review',
    ).replace('VoIP', 'voip'),
    rules(
      'id: a, when: { phone.valid: false, phone.type: voip }, then: reject',
      'id: b, when: { any: [{ phone.type: voip }, { phone.valid: false }] }, then: review',
    ),
  ],
  [
    'the same condition by its name',
    'same-condition',
    `${HEAD}conditions: { v: { phone.type: voip } }\nrules:\n  - { id: a, when: v, then: review }\n` +
      `  - { id: ‹b, ${VOIP}, then: review }\n`,
    rules(`id: a, ${VOIP}, then: review`, `id: b, ${VOIP}, then: reject, mode: shadow`),
  ],
  [
    'the same condition in two rows',
    'same-condition',
    withoutMarks(table('phone.type', 'voip, review', 'pager, review', 'XX, reject')).replace('[XX', '‹[voip'),
    withoutMarks(table('phone.type', 'voip, review', 'pager, review', 'landline, reject')),
  ],
  [
    'the same condition on the same days',
    'same-condition',
    rules(`id: a, ${VOIP}, then: review, until: 2999-06-30`, `id: ‹b, ${VOIP}, then: review, from: 2999-06-30`),
    rules(`id: a, ${VOIP}, then: review, until: 2999-06-30`, `id: b, ${VOIP}, then: review, from: 2999-07-01`),
  ],
  [
    'a rule that a wider one covers',
    'covered',
    rules(`id: wide, ${HIGH}, then: review`, `id: ‹narrow, ${VERY_HIGH}, then: review`),
    rules(`id: wide, ${HIGH}, then: review`, `id: narrow, ${VERY_HIGH}, then: reject`),
  ],
  [
    'a rule that a stricter one covers, wherever it stands',
    'covered',
    rules(`id: ‹narrow, ${VERY_HIGH}, then: review`, `id: wide, ${HIGH}, then: reject`),
    `score: { review: 5 }\n${rules(`id: narrow, ${VERY_HIGH}, then: review, points: 5`, `id: wide, ${HIGH}, then: reject`)}`,
  ],
  [
    'a rule that a stricter one covers, whatever its reason and notice',
    'covered',
    rules(
      `id: ‹narrow, ${VERY_HIGH}, then: review, reason: OWN, notice: "Own."`,
      `id: wide, ${HIGH}, then: reject, reason: OTHER`,
    ),
    rules(
      `id: narrow, ${VERY_HIGH}, then: review, reason: OWN`,
      `id: also-narrow, when: { phone.riskLevel: veryHigh, phone.valid: true }, then: review, notice: "Own."`,
      `id: wide, ${HIGH}, then: review, reason: OTHER`,
    ),
  ],
  [
    'a rule with the reason and the notice of the one that covers it',
    'covered',
    rules(
      `id: ‹narrow, ${VERY_HIGH}, then: review, reason: SAME, notice: { en: "Same." }`,
      `id: wide, ${HIGH}, then: review, reason: SAME, notice: { en: "Same." }`,
    ),
    rules(
      `id: narrow, ${VERY_HIGH}, then: review, reason: SAME, notice: { en: "Own." }`,
      `id: wide, ${HIGH}, then: review, reason: SAME, notice: { en: "Other." }`,
    ),
  ],
  [
    'a rule with one test more',
    'covered',
    rules(
      `id: wide, ${HIGH}, then: review`,
      'id: ‹narrow, when: { phone.riskLevel: veryHigh, phone.valid: true }, then: review',
    ),
    rules(
      'id: wide, when: { phone.riskLevel: { atLeast: high }, ip.isp: a }, then: review',
      `id: narrow, ${VERY_HIGH}, then: review`,
    ),
  ],
  [
    'a rule that one of several alternatives covers',
    'covered',
    rules(
      'id: wide, when: { any: [{ phone.type: voip }, { phone.type: pager }] }, then: review',
      `id: ‹narrow, ${VOIP}, then: review`,
    ),
    rules(
      'id: wide, when: { atLeastOf: { count: 2, of: [{ phone.type: voip }, { phone.type: pager }, { ip.isp: a }] } }, then: review',
      `id: narrow, ${VOIP}, then: review`,
    ),
  ],
  [
    'a row that an earlier one covers',
    'covered',
    withoutMarks(table('phone.type, phone.riskLevel', 'voip, any, review', 'XX, high, review')).replace(
      '[XX',
      '‹[voip',
    ),
    withoutMarks(table('phone.type, phone.riskLevel', 'voip, any, review', 'voip, high, reject')),
  ],
  [
    'the later of two rules that say the same in other words',
    'covered',
    rules(
      'id: a, when: { phone.porting.portCount: { above: 1 } }, then: review',
      'id: ‹b, when: { phone.porting.portCount: { atLeast: 2 } }, then: review',
    ),
    rules(
      'id: a, when: { phone.score: { above: 1 } }, then: review',
      'id: b, when: { phone.score: { atLeast: 2, atMost: 50 } }, then: accept',
    ),
  ].map((text) => text.replace('then: accept', 'then: reject')) as Row,
  [
    'a rule that is covered while it is active',
    'covered',
    rules(
      `id: wide, ${HIGH}, then: review, until: 2999-12-31`,
      `id: ‹narrow, ${VERY_HIGH}, then: review, until: 2999-06-30`,
    ),
    rules(
      `id: wide, ${HIGH}, then: review, until: 2999-06-30`,
      `id: narrow, ${VERY_HIGH}, then: review, until: 2999-12-31`,
    ),
  ],
  [
    'a rule that is covered where it cannot be decided too',
    'covered',
    rules(`id: wide, ${HIGH}, then: review`, `id: ‹narrow, ${VERY_HIGH}, then: review`),
    rules(`id: wide, ${HIGH}, then: review, whenUnknown: ignore`, `id: narrow, ${VERY_HIGH}, then: review`),
  ],
  [
    'a longer end, start or part of a text, a text with it, and domains below one',
    'covered',
    rules(
      'id: wide, when: { any: [{ ip.isp: { contains: net } }, { applicant.emailDomain: { endsWith: .ru } }] }, then: review',
      'id: ‹end, when: { applicant.emailDomain: { endsWith: .mail.ru } }, then: review',
      'id: ‹start, when: { ip.isp: { startsWith: netto } }, then: review',
      'id: ‹part, when: { ip.isp: { contains: ethernet } }, then: review',
      'id: ‹text, when: { ip.isp: ["Net One", "x net"] }, then: review',
      'id: ‹below, when: { applicant.emailDomain: { inDomainList: l } }, then: review',
    )
      .replace('endsWith: .ru', 'endsWith: ru')
      .replace('default', 'lists: { l: [mail.ru] }\ndefault'),
    rules(
      'id: wide, when: { any: [{ ip.isp: { contains: net } }, { applicant.emailDomain: { endsWith: .ru } }] }, then: review',
      'id: end, when: { applicant.emailDomain: { endsWith: mailru } }, then: review',
      'id: start, when: { ip.isp: { startsWith: ne } }, then: review',
      'id: part, when: { ip.isp: { matches: net } }, then: review',
      'id: text, when: { ip.isp: ["Net One", "x ne"] }, then: review',
      'id: below, when: { applicant.emailDomain: { inDomainList: l } }, then: review',
    ).replace('default', 'lists: { l: { entries: [ru], suffix: true } }\ndefault'),
  ],
  [
    'a text that ends below an entry of a list of domains',
    'covered',
    rules(
      'id: wide, when: { applicant.emailDomain: { inDomainList: l } }, then: review',
      'id: ‹end, when: { applicant.emailDomain: { endsWith: .a.mail.ru } }, then: review',
    ).replace('default', 'lists: { l: [mail.ru] }\ndefault'),
    rules(
      'id: wide, when: { applicant.emailDomain: { inDomainList: l } }, then: reject',
      'id: end, when: { applicant.emailDomain: { endsWith: ru } }, then: review',
    ).replace('default', 'lists: { l: [mail.ru] }\ndefault'),
  ],
  [
    'a final accept that a final reject covers',
    'never-decides',
    `${FRIENDS}${rules(
      `id: ‹mobile-friends, when: { applicant.phoneNo: { inList: friends }, phone.type: mobile }, ${FINAL}`,
      `id: no-friends, when: { applicant.phoneNo: { inList: friends } }, then: reject, final: true`,
    )}`,
    `${FRIENDS}${rules(
      `id: all-friends, ${ALLOWED}, ${FINAL}`,
      'id: bad-friends, when: { applicant.phoneNo: { inList: friends }, phone.type: voip }, then: reject, final: true',
    )}`,
  ],
  [
    'a final rule that another covers and decides the same',
    'covered',
    `${FRIENDS}${rules(
      `id: ‹mobile-friends, when: { applicant.phoneNo: { inList: friends }, phone.type: mobile }, ${FINAL}`,
      `id: all-friends, ${ALLOWED}, ${FINAL}`,
    )}`,
    `${FRIENDS}${rules(
      `id: mobile-friends, when: { applicant.phoneNo: { inList: friends }, phone.type: mobile }, ${FINAL}`,
      `id: all-friends, ${ALLOWED}, then: accept, reason: FRIEND`,
    )}`,
  ],
  [
    'a reject of those whom an allow list passes',
    'never-decides',
    `${FRIENDS}${rules(
      'id: ‹bad-friends, when: { applicant.phoneNo: { inList: friends }, phone.type: voip }, then: reject',
      `id: all-friends, ${ALLOWED}, ${FINAL}`,
    )}`,
    `${FRIENDS}${rules(
      'id: bad-friends, when: { applicant.phoneNo: { inList: friends }, phone.type: voip }, then: reject, final: true',
      `id: all-friends, ${ALLOWED}, ${FINAL}`,
    )}`,
  ],

  // points and score
  [
    'an accept under `default: accept`',
    'accept-no-effect',
    rules(`id: a, ${VOIP}, then: review`, `id: b, ${HIGH}, then: ‹accept, message: "Fine."`),
    rules(`id: a, ${VOIP}, then: review`, `id: b, ${HIGH}, then: accept, notice: "Welcome."`),
  ],
  [
    'an accept whose points count for nothing',
    'accept-no-effect',
    `score: { review: 5 }\n${rules(`id: a, ${VOIP}, points: 5`, `id: b, ${HIGH}, then: ‹accept, points: 0`)}`,
    `score: { review: 5 }\n${rules(`id: a, ${VOIP}, points: 5`, `id: b, ${HIGH}, then: accept, points: -5`)}`,
  ],
  [
    'an accept where the default is to accept, but no cell of a table',
    'accept-no-effect',
    rules(`id: a, ${VOIP}, then: review`, `id: b, ${HIGH}, then: ‹accept`),
    withoutMarks(table('phone.riskLevel', '{ atLeast: high }, review', '{ below: high }, accept')),
  ],
  [
    'an accept where the default is to accept, but not where it is to review',
    'accept-no-effect',
    rules(`id: a, ${VOIP}, then: review`, `id: b, ${HIGH}, then: ‹accept`),
    rules(`id: a, ${VOIP}, then: review`, `id: b, ${HIGH}, then: accept`).replace('default: accept', 'default: review'),
  ],
  [
    'points that no score adds up, once',
    'points-without-score',
    rules(`id: a, ${VOIP}, points: ‹5`, `id: b, ${HIGH}, points: 5`),
    rules(`id: a, ${VOIP}, then: review, points: 0`, `id: b, ${HIGH}, points: 5, mode: shadow`),
  ],
  [
    'a score to which only a shadow rule adds points',
    'score-without-points',
    `‹score: { review: 5 }\n${rules(`id: a, ${VOIP}, points: 5, mode: shadow`, `id: b, ${HIGH}, then: review`)}`,
    `score: { review: 5 }\n${rules(`id: a, ${VOIP}, points: 5, mode: shadow`, `id: b, ${HIGH}, points: 5`)}`,
  ],
  [
    'a band above the sum of all points',
    'band-never-reached',
    `score: { review: 10, reject: ‹21 }\n${rules(`id: a, ${VOIP}, points: 10`, `id: b, ${HIGH}, points: 10`)}`,
    `score: { review: 10, reject: 20 }\n${rules(`id: a, ${VOIP}, points: 10`, `id: b, ${HIGH}, points: 10`)}`,
  ],
  [
    'a band above the sum of rules that exclude each other',
    'band-never-reached',
    `score: { review: 10, reject: ‹21 }\n` +
      withoutMarks(table('phone.type, points', 'voip, 10, none', 'pager, 5, none', 'mobile, 5, none')) +
      `rules:\n  - { id: b, ${HIGH}, points: 10 }\n`,
    `score: { review: 10, reject: 21 }\n` +
      withoutMarks(table('phone.type, points', 'voip, 10, none', 'pager, 5, none', '[voip, mobile], 5, none')) +
      `rules:\n  - { id: b, ${HIGH}, points: 10 }\n`,
  ],
  [
    'a band above the sum of rules that are never active on one day',
    'band-never-reached',
    `score: { review: 5, reject: ‹15 }\n${rules(
      `id: a, ${VOIP}, points: 10, until: 2999-06-30`,
      `id: b, ${HIGH}, points: 10, from: 2999-07-01`,
    )}`,
    `score: { review: 5, reject: 15 }\n${rules(
      `id: a, ${VOIP}, points: 10, until: 2999-06-30`,
      `id: b, ${HIGH}, points: 10, from: 2999-06-30`,
    )}`,
  ],
  [
    'a band that every rule with points passes',
    'band-never-reached',
    `score: { review: ‹10, reject: 20 }\n${rules(`id: a, ${VOIP}, points: 20`, `id: b, ${HIGH}, points: 30`)}`,
    `score: { review: 10, reject: 20 }\n${rules(`id: a, ${VOIP}, points: 20`, `id: b, ${HIGH}, points: -5, then: accept`)}`,
  ],
  [
    'a band that every score reaches',
    'band-always-reached',
    `score: { review: ‹-5 }\n${rules(`id: a, ${VOIP}, points: 10`, `id: b, ${HIGH}, points: -5`)}`,
    `score: { review: -5 }\n${rules(`id: a, ${VOIP}, points: 10`, `id: b, ${HIGH}, points: -6`)}`,
  ],
  [
    'a review that its own points turn into a reject',
    'points-overrule-then',
    `score: { review: 5, reject: 20 }\n${rules(`id: a, ${VOIP}, then: review, points: ‹25`, `id: b, ${HIGH}, points: 5`)}`,
    `score: { review: 5, reject: 20 }\n${rules(
      `id: a, ${VOIP}, then: review, points: 25`,
      `id: b, ${HIGH}, points: 5`,
      'id: c, when: { phone.valid: true }, points: -6',
    )}`,
  ],
  [
    'an accept that its own points turn into a review',
    'points-overrule-then',
    `score: { review: 5 }\n${rules(`id: a, ${VOIP}, then: accept, points: ‹5`)}`,
    `${FRIENDS}score: { review: 5 }\n${rules(`id: a, ${ALLOWED}, ${FINAL}, points: 5`)}`,
  ],

  // tables
  [
    'a table that forgets a combination',
    'table-gap',
    table(
      'phone.valid, phone.riskLevel',
      'true, { atLeast: high }, review',
      'false, { atLeast: high }, reject',
      'false, { below: high }, review',
    ),
    withoutMarks(
      table(
        'phone.valid, phone.riskLevel',
        'true, { atLeast: high }, review',
        'false, { atLeast: high }, reject',
        'false, { below: high }, review',
        'true, { below: high }, accept',
      ),
    ),
  ],
  [
    'a table with a hole between limits',
    'table-gap',
    table('phone.score', '{ below: 20 }, accept', '{ between: [30, 60] }, review', '{ above: 60 }, reject'),
    withoutMarks(
      table('phone.score', '{ below: 20 }, accept', '{ between: [20, 60] }, review', '{ above: 60 }, reject'),
    ),
  ],
  [
    'a table that falls back on `any` for one value alone',
    'table-gap',
    table('phone.valid, phone.riskLevel', 'true, any, accept', 'false, high, review'),
    // Two bad signs, each for itself: nothing here looks as if it had to be whole.
    withoutMarks(
      table(
        'phone.type, phone.riskLevel',
        'voip, { atLeast: medium }, reject',
        'voip, any, review',
        'any, veryHigh, reject',
      ),
    ),
  ],
  [
    'rows around a single value, beside a column that is not complete',
    'table-gap',
    table(
      'phone.type, phone.porting.portCount',
      'mobile, { between: [0, 2] }, review',
      'mobile, { between: [3, 5] }, review',
      'mobile, { atLeast: 7 }, reject',
      'voip, { below: 3 }, review',
      'voip, { above: 3 }, reject',
    ),
    // Open ends, gaps of several values, single values, and a row for what is between.
    withoutMarks(
      table(
        'phone.type, phone.porting.portCount',
        'mobile, { between: [1, 2] }, review',
        'mobile, { between: [5, 8] }, reject',
        'voip, 1, review',
        'voip, 3, reject',
        'pager, { below: 3 }, review',
        'pager, { above: 3 }, reject',
        'pager, any, accept',
        'satellite, { below: 3 }, review',
        'tollFree, { above: 3 }, reject',
      ),
    ),
  ],
  [
    'rows by whole numbers of a fact that has others',
    'table-gap',
    table(
      'phone.type, phone.score',
      'mobile, { between: [0, 39] }, review',
      'mobile, { between: [40, 100] }, reject',
      'voip, any, reject',
    ),
    withoutMarks(
      table(
        'phone.type, phone.score',
        'mobile, { between: [0, 39] }, review',
        'mobile, { between: [41, 100] }, reject',
        'voip, any, reject',
      ),
    ),
  ],
  [
    'one value left out where rows for the default are listed too',
    'table-gap',
    table(
      'phone.type, phone.serviceType, phone.riskLevel',
      'mobile, prepaid, any, review',
      'mobile, postpaid, any, accept',
      'voip, any, { below: medium }, accept',
      'voip, any, { atLeast: high }, review',
    ),
    withoutMarks(
      table(
        'phone.type, phone.serviceType, phone.riskLevel',
        'mobile, prepaid, any, review',
        'mobile, postpaid, any, reject',
        'voip, any, { below: medium }, reject',
        'voip, any, { atLeast: high }, review',
      ),
    ),
  ],
  [
    'ranges that leave out the value at which they meet',
    'border-gap',
    rules(
      'id: low, when: { phone.score: { below: 40 } }, then: review',
      'id: high, when: { phone.score: { above: ‹40 } }, then: reject',
      'id: young, when: { phone.valid: true, context.born: { yearsSince: { below: 18 } } }, then: reject',
      'id: old, when: { all: [{ context.born: { yearsSince: ‹{ above: 18 } } }, { phone.valid: true }] }, then: review',
    ).replace('default', 'facts: { context.born: { type: date, past: true } }\ndefault'),
    rules(
      // Closed, by another rule, under other conditions, on other days, and steps of good and bad signs.
      'id: low, when: { phone.score: { below: 40 } }, then: review',
      'id: high, when: { phone.score: { atLeast: 40 } }, then: reject',
      'id: low-2, when: { email.address.score: { below: 40 } }, then: review',
      'id: high-2, when: { email.address.score: { above: 40 } }, then: reject',
      'id: both-2, when: { email.address.score: [40], phone.valid: true }, then: reject',
      'id: low-3, when: { email.domain.score: { below: 40 }, phone.valid: true }, then: review',
      'id: high-3, when: { email.domain.score: { above: 40 } }, then: reject',
      'id: low-4, when: { phone.riskLevel: { below: medium } }, points: -5',
      'id: high-4, when: { phone.riskLevel: { above: medium } }, points: 5',
      'id: low-5, when: { ip.location.latitude: { below: 40 } }, then: review, until: 9998-12-31',
      'id: high-5, when: { ip.location.latitude: { above: 40 } }, then: reject, from: 9999-01-01',
    ).replace('default', 'score: { review: 5 }\ndefault'),
  ],
  [
    'ranges that share the value at which they meet',
    'shared-border',
    rules(
      'id: low, when: { phone.score: { atMost: 40 } }, then: review',
      'id: high, when: { phone.score: { atLeast: ‹40 } }, then: reject',
    ) +
      table('phone.porting.portCount', '{ between: [0, 2] }, review', '{ between: XX[2, 5] }, reject')
        .replace(HEAD, '')
        .replace('‹', '')
        .replace('XX', '‹'),
    rules(
      // Apart, one within the other, overlapping, other conditions.
      'id: low, when: { phone.score: { atMost: 40 } }, then: review',
      'id: high, when: { phone.score: { above: 40 } }, then: reject',
      'id: exact, when: { phone.score: 40 }, then: reject, final: true',
      'id: low-2, when: { email.address.score: { atMost: 40 } }, then: review',
      'id: high-2, when: { email.address.score: { between: [40, 40] } }, then: reject',
      'id: low-3, when: { email.domain.score: { atMost: 40 } }, then: review',
      'id: high-3, when: { email.domain.score: { atLeast: 39 } }, then: reject',
      'id: high-4, when: { email.domain.score: { atLeast: 40 }, phone.valid: true }, then: reject, final: true',
    ),
  ],

  // dangers
  [
    'a notice that names a fact',
    'notice-reveals',
    rules(`id: a, ${VOIP}, then: review, notice: ‹"We looked at phone.type."`),
    rules(`id: a, ${VOIP}, then: review, notice: "We could not accept your phone."`),
  ],
  [
    'a notice with a place, in a row',
    'notice-reveals',
    `${HEAD}tables:\n  - id: one\n    columns: [notice, phone.type, then]\n    rows:\n` +
      '      - [‹"Your line is {line}.", voip, review]\n',
    `${HEAD}tables:\n  - id: one\n    columns: [message, phone.type, then]\n    rows:\n` +
      '      - ["The line is {phone.type}.", voip, review]\n',
  ],
  [
    'a notice in one of its languages, of the score and of the default',
    'notice-reveals',
    `${HEAD}score: { review: 5, notice: { en: a, de: ‹"{place}" } }\ndefaultNotice: { en: ‹phone.type, de: b }\n` +
      `rules:\n  - { id: a, ${VOIP}, points: 5 }\n`,
    `${HEAD}score: { review: 5, notice: { en: a, de: b } }\ndefaultNotice: { en: a, de: b }\n` +
      `rules:\n  - { id: a, ${VOIP}, points: 5 }\n`,
  ],
  [
    'notices that lack a language of another',
    'notice-language',
    `${HEAD}score: { review: 5, notice: ‹{ en: a } }\ndefaultNotice: { de: a, EN: b }\n` +
      `rules:\n  - { id: a, ${VOIP}, points: 5, notice: ‹a }\n`,
    `${HEAD}score: { review: 5, notice: { en: a } }\nrules:\n  - { id: a, ${VOIP}, points: 5, notice: { EN: b } }\n`,
  ],
  [
    'a notice in a language that no other has, in place of theirs',
    'notice-language',
    `${HEAD}defaultNotice: { de: a, en: b }\nscore: { review: 5, notice: { en: a, de: b } }\n` +
      `rules:\n  - { id: a, ${VOIP}, points: 5, notice: ‹{ uk: a, de: b } }\n`,
    `${HEAD}defaultNotice: { de: a, en: b }\nscore: { review: 5, notice: { en: a, de: b } }\n` +
      `rules:\n  - { id: a, ${VOIP}, points: 5, notice: { en: a, de: b } }\n`,
  ],
  [
    'a test that is true of a missing fact',
    'fires-on-missing',
    ruleWhen('{ all: [{ phone.valid: false }, { ip.isp: { known: ‹false } }] }'),
    ruleWhen('{ all: [{ phone.valid: false }, { ip.isp: { known: true } }] }'),
  ],
  [
    'a test that is false of a missing fact, under `not`',
    'fires-on-missing',
    ruleWhen('{ all: [{ phone.valid: false }, { not: { ip.isp: { known: ‹true } } }] }'),
    ruleWhen('{ all: [{ phone.valid: false }, { not: { ip.isp: { known: false } } }] }'),
  ],
  [
    'a final accept of a kind of line',
    'broad-accept',
    rules(`id: a, when: { phone.type: landline, phone.riskLevel: low }, then: accept, final: ‹true`),
    rules(`id: a, when: { phone.type: landline, phone.riskLevel: low }, then: accept, reason: LANDLINE`),
  ],
  [
    'a final accept with a broad alternative',
    'broad-accept',
    `${FRIENDS}${rules('id: a, when: { any: [{ applicant.phoneNo: { inList: friends } }, { phone.type: landline }] }, then: accept, final: ‹true')}`,
    `${FRIENDS}${rules('id: a, when: { all: [{ applicant.phoneNo: { inList: friends } }, { phone.type: landline }] }, then: accept, final: true')}`,
  ],
  [
    'a final accept of a country, a text that many share',
    'broad-accept',
    rules('id: a, when: { phone.country: gb }, then: accept, final: ‹true'),
    rules('id: a, when: { applicant.email: jo@friends.example }, then: accept, final: true'),
  ],
  [
    'a reject that is silent where it cannot be decided',
    'unknown-ignored',
    rules(`id: a, ${VOIP}, then: reject, whenUnknown: ‹ignore`),
    rules(`id: a, ${VOIP}, then: review, whenUnknown: ignore`),
  ],
  [
    'a policy whose rejects are silent, once',
    'unknown-ignored',
    `whenUnknown: ‹ignore\n${rules(`id: a, ${VOIP}, then: reject`, `id: b, ${HIGH}, then: reject`)}`,
    `whenUnknown: ignore\n${rules(`id: a, ${VOIP}, then: reject, whenUnknown: review`)}`,
  ],
  [
    'a table whose rejects are silent',
    'unknown-ignored',
    `${HEAD}tables:\n  - id: one\n    whenUnknown: ‹ignore\n    columns: [phone.type, then]\n` +
      '    rows:\n      - [voip, reject]\n      - [pager, reject]\n',
    `${HEAD}tables:\n  - id: one\n    whenUnknown: ignore\n    columns: [phone.type, then]\n` +
      '    rows:\n      - [voip, review]\n',
  ],
];

describe('a warning says of', () => {
  it.each(ROWS)('%s: %s', (_, code, text) => {
    const { codes, places, marks, loads } = problemsOf(text);
    expect({ codes: [...new Set(codes)], places }).toEqual({ codes: [`warning ${code}`], places: marks });
    expect(marks).not.toEqual([]);
    expect(loads).toBe(true);
  });

  it.each(ROWS)('%s: no %s for a similar policy that is intended', (_, _code, _text, near) => {
    expect(problemsOf(near)).toMatchObject({ codes: [], marks: [], loads: true });
  });

  it('each of them why it matters', () => {
    const { diagnostics } = problemsOf(
      withoutMarks(table('phone.valid, phone.riskLevel', 'true, any, accept', 'false, high, review')) +
        `rules:\n  - { id: wide, ${HIGH}, then: review }\n  - { id: narrow, ${VERY_HIGH}, then: review }\n`,
    );
    expect(
      diagnostics.map((each) => formatDiagnostic(each).replace(/\S*(?=policy\.yaml:)/g, '')).join('\n'),
    ).toMatchInlineSnapshot(`
      "policy.yaml:5:9: warning[table-gap]: the table "one" has no row for 2 combinations of its columns: phone.valid false, phone.riskLevel at most medium; phone.valid false, phone.riskLevel veryHigh; for these it asks for nothing
        5 |   - id: one
          |         ^^^
      policy.yaml:9:9: warning[covered]: the rule "one/2" never matters: "wide" asks for review whenever this one asks for review
        9 |       - [false, high, review]
          |         ^^^^^^^^^^^^^^^^^^^^^
      policy.yaml:11:11: "wide" is here
        11 |   - { id: wide, when: { phone.riskLevel: { atLeast: high } }, then: review }
           |           ^^^^
        hint: remove it, or narrow "wide"
      policy.yaml:12:11: warning[covered]: the rule "narrow" never matters: "wide" asks for review whenever this one asks for review
        12 |   - { id: narrow, when: { phone.riskLevel: veryHigh }, then: review }
           |           ^^^^^^
      policy.yaml:11:11: "wide" is here
        11 |   - { id: wide, when: { phone.riskLevel: { atLeast: high } }, then: review }
           |           ^^^^
        hint: remove it, or narrow "wide""
    `);
  });
});

describe('warnings', () => {
  it('name the line of a list file and the code point', () => {
    const text = ruleWhen('{ ip.isp: { inList: bad } }', 'lists:\n  bad: { file: bad.txt }\n');
    const files = { 'bad.txt': '# co\u200bmment\nacme\r\n  be‹\u200bta\u202e # c\n‹“gamma”\r\n# ‹\u202e x\n' };
    const { codes, places, marks, diagnostics } = problemsOf(text, files);
    expect(codes).toEqual(
      ['hidden-character', 'typographic-quotes', 'hidden-character'].map((code) => `warning ${code}`),
    );
    expect(places).toEqual(marks);
    expect(diagnostics[0]?.message).toBe('found U+200B, an invisible character, and 1 more such character');
  });

  it('says which rules let applicants through, one or several', () => {
    const messageOf = (...of: string[]) =>
      problemsOf(`whenUnknown: ignore\n${rules(...of)}`).diagnostics.map(({ message }) => message);
    const [one, other] = [`id: a, ${VOIP}, then: reject`, `id: b, ${HIGH}, then: reject`];
    const through = 'applicants through whose facts are missing';
    expect(messageOf(one)).toEqual([`the rule "a" rejects, and lets ${through}`]);
    expect(messageOf(one, other)).toEqual([`the rules "a" and 1 more reject, and let ${through}`]);
  });

  it('of a rule that never fires say what it still asks for', () => {
    const when = 'when: { all: [{ phone.riskLevel: { atLeast: high } }, { phone.riskLevel: low }] }';
    const hintOf = (rest: string) => {
      const { codes, diagnostics } = problemsOf(
        `${HEAD}conditions:\n  low: { phone.riskLevel: low }\nrules:\n  - { id: a, ${when.replace('{ phone.riskLevel: low }', 'low')}, ${rest} }\n`,
      );
      expect(codes).toEqual(['warning never-fires']);
      return diagnostics[0]?.hint ?? '';
    };
    expect(hintOf('then: review')).toContain('while facts are missing it can still ask for a review');
    expect(hintOf('then: review, whenUnknown: ignore')).not.toContain('while facts are missing');
  });

  it('are not looked for where there are errors', () => {
    expect(problemsOf(`${ruleWhen('{ phone.score: { above: 100 } }')}unknown: 1\n`).codes).toEqual(['unknown-key']);
  });

  it('end somewhere', () => {
    const many = Array.from(
      { length: 600 },
      (_, i) => `id: rule-${i}, when: { phone.score: { above: 100 } }, then: review`,
    );
    const { codes, loads } = problemsOf(rules(...many));
    expect(codes).toHaveLength(501);
    expect(codes).toContain('warning too-many');
    expect(loads).toBe(true);
  });

  it('are found where conditions multiply: 2^40 combinations would never end', () => {
    const parts = Array.from({ length: 40 }, (_, i) => `{ any: [{ ip.isp: a${i} }, { phone.score: ${i} }] }`).join(
      ', ',
    );
    const sum = `{ atLeastOf: { count: 20, of: [${parts}] } }`;
    const { codes } = problemsOf(
      rules(`id: a, when: { all: [${parts}] }, then: review`, `id: b, when: ${sum}, then: review`),
    );
    expect(codes).toEqual([]);
  });
});

describe('what the warnings claim', () => {
  /** Rules of a policy that were reported, by code. */
  const reported = (plain: PlainPolicy) => {
    const files = filesOf(plain);
    const { policy, diagnostics } = readPolicyText(files['policy.yaml'] ?? '', files);
    if (!policy) throw new Error('a random policy has no errors');
    const of = (code: string) =>
      diagnostics.flatMap((each) => (each.code === code ? (/^the rule "([^"]+)"/.exec(each.message)?.[1] ?? []) : []));
    return { policy, of };
  };

  /** Random policies with rules beside their own that are narrower, wider, or the same in other words. */
  const aRelatedCase = aCase({ applicants: 6 }).chain((given) =>
    fc
      .record({ picks: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(4), fc.nat(2)), { minLength: 3, maxLength: 5 }) })
      .map(({ picks }) => {
        const all = rulesOf(given.policy).filter(({ when }) => Object.keys(when).length > 0);
        const more = picks.flatMap(([i, j, form, outcome], n): PlainRule[] => {
          const [one, other] = [all[i % all.length], all[j % all.length]];
          if (!one || !other) return [];
          const forms = [
            { all: [one.when, other.when] },
            { any: [one.when, other.when] },
            one.when,
            { not: { not: one.when } },
          ];
          const when = forms[form % forms.length] ?? one.when;
          const then = (['accept', 'review', 'reject'] as const)[outcome] ?? 'review';
          return [{ id: `more-${n}`, when, then, ...(form === 4 ? { final: true } : {}) }];
        });
        return { ...given, policy: { ...given.policy, rules: [...(given.policy.rules ?? []), ...more] } };
      }),
  );

  // Thousands of decisions: on a busy machine they take longer than the default.
  it('is true: covered rules change no outcome, others never fire or decide', async () => {
    const folder = temporaryFolder();
    const tried = { covered: 0, never: 0, after: 0 };
    await fc.assert(
      fc.asyncProperty(aRelatedCase, async ({ policy: plain, applicants, day }) => {
        const { policy, of } = reported(plain);
        const [covered, never, after] = [of('covered'), of('never-fires'), of('never-decides')];
        const kept = (plain.rules ?? []).filter(({ id }) => id !== covered[0]);
        const without =
          kept.length === plain.rules?.length ? undefined : loadPolicyAsIs({ ...plain, rules: kept }, folder);
        for (const applicant of applicants) {
          const facts = readPlainFacts(applicant, policy, day);
          const verdict = await decideLive(policy, facts, day);
          if (without) {
            expect((await decideLive(without, facts, day)).outcome).toBe(verdict.outcome);
            tried.covered++;
          }
          const fired = verdict.reasons.filter(({ because }) => because === 'fired');
          for (const id of never) expect(fired).not.toContainEqual(expect.objectContaining({ rule: id }));
          const finals = new Set(policy.rules.filter(({ final }) => final).map(({ id }) => id));
          const decisive = fired.filter((reason) => 'rule' in reason && reason.decisive && finals.has(reason.rule));
          for (const id of after)
            expect(decisive.length === 1 ? decisive : []).not.toContainEqual(expect.objectContaining({ rule: id }));
          tried.never += never.length;
          tried.after += after.length;
        }
      }),
      { numRuns: sampled(40, 300) },
    );
    expect(Math.min(...Object.values(tried))).toBeGreaterThan(20);
  });
});
