/** Mistakes in the words of the language: what is said of each, and the text that was meant. */

import { describe, expect, it } from 'vitest';
import { type Mistake, testMistakes } from '../../support/policy/mistakes.ts';
import { HEAD } from '../../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../../support/policy/problems.ts';

type Code = Mistake['code'];
type Hint = string | RegExp;

/** A mistake that `verdict check --fix` corrects. `‹` is before each place that is reported. */
function fixed(written: string, code: Code, hint: Hint, corrected: string, frame: (text: string) => string): Mistake {
  return { ...told(written, code, hint, corrected, frame), isFixed: true };
}

/** A mistake that somebody has to correct who knows what was meant. */
function told(written: string, code: Code, hint: Hint, corrected: string, frame: (text: string) => string): Mistake {
  return { mistake: written.replaceAll('‹', ''), written: frame(written), code, hint, corrected: frame(corrected) };
}

/** The condition of a rule. */
const when = (condition: string) => ruleWhen(condition);
/** The same of the test of one fact. */
const toldOf = (path: string, written: string, code: Code, hint: Hint, corrected: string) =>
  told(`{ ${path}: ${written} }`, code, hint, `{ ${path}: ${corrected} }`, when);
const fixedOf = (path: string, written: string, code: Code, hint: Hint, corrected: string) =>
  fixed(`{ ${path}: ${written} }`, code, hint, `{ ${path}: ${corrected} }`, when);
/** The keys of a rule beside its id and condition. */
const keys = (more: string) => `${HEAD}rules:\n  - { id: one, when: { phone.valid: false }, ${more} }\n`;
const rules = (rule: string) => `${HEAD}rules:\n  - ${rule}\n`;
/** The keys of a policy beside its name, version and rule. */
const policy = (more: string) => `policy: p\nversion: "1"\n${more}rules:\n  - ${RULE}\n`;
const RULE = '{ id: one, when: { phone.valid: false }, then: review }';
/** The keys of a fact that is declared. */
const fact = (declaration: string) =>
  ruleWhen('{ context.own: { known: true } }', `facts:\n  context.own: { ${declaration} }\n`);
/** The columns of a table and its row. */
const table = (more: string) => `${HEAD}tables:\n  - { id: t, ${more} }\n`;
/** The cells of a table's row. */
const row = (cells: string) => {
  const columns = 'phone.score, phone.type, then, points, notice, message';
  const others = ['valid', 'ported'].map((name) => `  - { id: ${name}, when: ${OTHERS[name]}, points: 5 }\n`);
  const score = `score: { reject: 10 }\nrules:\n${others.join('')}`;
  return table(`columns: [${columns}], rows: [[${cells}]]`).replace('tables:', `${score}tables:`);
};
const OTHERS: Readonly<Record<string, string>> = {
  valid: '{ phone.valid: false }',
  ported: '{ phone.porting.portCount: { above: 3 } }',
};

function operator(word: string, meant: string, path = 'phone.score', test = '50', meantTest = test): Mistake {
  const [written, corrected] = [`{ ${path}: { ‹${word}: ${test} } }`, `{ ${path}: { ${meant}: ${meantTest} } }`];
  return fixed(written, 'unknown-operator', `write \`${meant}\``, corrected, when);
}

describe('an operator of another language is answered with the one that is meant:', () => {
  testMistakes([
    operator('">="', 'atLeast'),
    operator('">"', 'above'),
    operator('"<"', 'below'),
    operator('<=', 'atMost'),
    operator('=>', 'atLeast'),
    operator('=', 'is'),
    operator('==', 'is'),
    operator('"!="', 'isNot'),
    operator('gte', 'atLeast'),
    operator('gt', 'above'),
    operator('lt', 'below'),
    operator('greaterThan', 'above'),
    operator('greater_than_or_equal', 'atLeast'),
    operator('min', 'atLeast'),
    operator('equals', 'is'),
    operator('equals', 'in', 'phone.type', '[voip, pager]'),
    operator('not', 'isNot', 'phone.type', 'voip'),
    operator('not', 'notIn', 'phone.type', '[voip, pager]'),
    operator('exists', 'known', 'phone.type', 'true'),
    operator('regex', 'matches', 'ip.isp', 'ab+c'),
    operator('gt', 'after', 'phone.porting.portedDate', '2026-01-31'),
    operator('inCidr', 'in', 'applicant.ip', '203.0.113.0/24', '[203.0.113.0/24]'),
    fixedOf(
      'phone.porting.portedDate',
      '{ ‹above: 2026-01-31 }',
      'operator-type',
      'write `after`',
      '{ after: 2026-01-31 }',
    ),
    toldOf(
      'phone.type',
      '{ ‹gte: voip }',
      'unknown-operator',
      'the operators of phone.type are is, isNot, in, notIn, known',
      '{ is: voip }',
    ),
    toldOf(
      'phone.type',
      '{ ‹approximately: voip }',
      'unknown-operator',
      'the operators of phone.type are is, isNot, in, notIn, known',
      '{ is: voip }',
    ),
    told(
      '{ phone.score: { ‹not: { above: 50 } } }',
      'unknown-operator',
      'write `not: { phone.score: … }` around the test',
      '{ not: { phone.score: { above: 50 } } }',
      when,
    ),
    toldOf(
      'phone.porting.portedDate',
      '{ ‹gte: 2026-01-31 }',
      'unknown-operator',
      '`after` and `before` are without the day itself: name the day beside it',
      '{ after: 2026-01-30 }',
    ),
    toldOf('ip.isp', '{ ‹like: "%vpn%" }', 'unknown-operator', 'write `contains: vpn`', '{ contains: vpn }'),
    toldOf(
      'phone.porting.portedDate',
      '{ ‹youngerThan: 18 years }',
      'unknown-operator',
      'write `yearsSince: { below: 18 }`',
      '{ yearsSince: { below: 18 } }',
    ),
    toldOf(
      'phone.porting.portedDate',
      '{ ‹newerThan: 30 days }',
      'unknown-operator',
      /^write `withinLast`, in which the last day counts too; /,
      '{ withinLast: 29 days }',
    ),
    toldOf(
      'phone.porting.portedDate',
      '{ yearsSince: ‹18 }',
      'wrong-type',
      'write "{ atLeast: 18 }"',
      '{ yearsSince: { atLeast: 18 } }',
    ),
    ...(
      [
        [
          'below: 18',
          'write `yearsSince: { below: 18 }`; for days, `withinLast: 18 days`, in which the last day counts too',
        ],
        ['above: 18', 'write `yearsSince: { above: 18 }`; for days, `olderThan: 18 days`'],
      ] as const
    ).map(([test, hint]) =>
      told(
        `{ phone.porting.portedDate: { ‹${test} } }`,
        'operator-type',
        `for completed years, ${hint}`,
        `{ phone.porting.portedDate: { yearsSince: { ${test} } } }`,
        when,
      ),
    ),
    toldOf(
      'phone.porting.portedDate',
      '{ ‹">": 30 days }',
      'unknown-operator',
      'write `olderThan: 30 days`',
      '{ olderThan: 30 days }',
    ),
    toldOf(
      'phone.porting.portedDate',
      '{ ‹gte: 30 days }',
      'unknown-operator',
      'write `olderThan: 30 days`, in which the last day does not count',
      '{ olderThan: 29 days }',
    ),
    toldOf(
      'phone.porting.portedDate',
      '{ ‹lessThan: 18 years }',
      'unknown-operator',
      'write `yearsSince: { below: 18 }`',
      '{ yearsSince: { below: 18 } }',
    ),
    told(
      '{ ip.isp: { contains: ‹[vpn, proxy] } }',
      'wrong-type',
      'write a test for each: `any: [{ ip.isp: { contains: vpn } }, { ip.isp: { contains: proxy } }]`',
      '{ any: [{ ip.isp: { contains: vpn } }, { ip.isp: { contains: proxy } }] }',
      when,
    ),
  ]);
});

describe('a test in one line is answered with its map:', () => {
  const market = (type: string, other: string) =>
    ruleWhen(`{ phone.country: { isNot: ${other} } }`, `facts:\n  context.market: { type: ${type} }\n`);
  const inOne = (text: string, meant: string) =>
    fixed(`‹${text}`, 'unknown-condition', `write \`${meant}\``, meant, when);
  testMistakes([
    inOne('phone.score > 50', '{ phone.score: { above: 50 } }'),
    inOne('phone.riskLevel>=high', '{ phone.riskLevel: { atLeast: high } }'),
    inOne('phone.type == voip', '{ phone.type: voip }'),
    inOne('phone.porting.portedDate < 2026-01-31', '{ phone.porting.portedDate: { before: 2026-01-31 } }'),
    inOne('phone.score above 50', '{ phone.score: { above: 50 } }'),
    inOne('phone.score 50 or more', '{ phone.score: { atLeast: 50 } }'),
    inOne('phone.type is voip', '{ phone.type: voip }'),
    inOne('phone.valid', '{ phone.valid: true }'),
    inOne('not phone.valid', '{ phone.valid: false }'),
    told(
      '‹phone.score > 50 and phone.valid',
      'unknown-condition',
      'write each part as an item of `all`',
      '{ all: [{ phone.score: { above: 50 } }, { phone.valid: true }] }',
      when,
    ),
    fixedOf('phone.score', '‹">= 50"', 'wrong-type', 'write `{ atLeast: 50 }`', '{ atLeast: 50 }'),
    ...[
      ['over 50', 'phone.score', 'above: 50'],
      ['at least 50', 'phone.score', 'atLeast: 50'],
      ['50 or more', 'phone.score', 'atLeast: 50'],
      ['50+', 'phone.score', 'atLeast: 50'],
      ['50 or less', 'phone.score', 'atMost: 50'],
      ['not 50', 'phone.score', 'isNot: 50'],
      ['between 10 and 50', 'phone.score', 'between: [10, 50]'],
      ['high+', 'phone.riskLevel', 'atLeast: high'],
      ['at least high', 'phone.riskLevel', 'atLeast: high'],
      ['"!voip"', 'phone.type', 'isNot: voip'],
      ['"!= voip"', 'phone.type', 'isNot: voip'],
      ['before 2026-01-31', 'phone.porting.portedDate', 'before: 2026-01-31'],
    ].map(([text = '', path = '', meant = '']) =>
      fixedOf(path, `‹${text}`, 'wrong-type', `write \`{ ${meant} }\``, `{ ${meant} }`),
    ),
    {
      ...toldOf('phone.score', '‹at least ten', 'wrong-type', '', '{ atLeast: 10 }'),
      hint: undefined,
    },
    fixedOf('phone.score', '{ between: ‹10 and 50 }', 'wrong-type', 'write `[10, 50]`', '{ between: [10, 50] }'),
    fixedOf('phone.score', '‹">= 89,5"', 'wrong-type', 'write `{ atLeast: 89.5 }`', '{ atLeast: 89.5 }'),
    fixedOf('phone.score', '‹"1,5-2,5"', 'wrong-type', 'write `{ between: [1.5, 2.5] }`', '{ between: [1.5, 2.5] }'),
    fixedOf(
      'phone.score',
      '{ above: ‹email.address.score }',
      'wrong-type',
      'write `{ fact: email.address.score }`',
      '{ above: { fact: email.address.score } }',
    ),
    ...['40-60', '40..60', '"40 to 60"'].map((range) =>
      fixed(
        `{ phone.score: ‹${range} }`,
        'wrong-type',
        'write `{ between: [40, 60] }`',
        '{ phone.score: { between: [40, 60] } }',
        when,
      ),
    ),
    fixedOf('phone.score', '{ between: ‹40-60 }', 'wrong-type', 'write `[40, 60]`', '{ between: [40, 60] }'),
    toldOf(
      'phone.score',
      '{ between: ‹{ from: 40, to: 60 } }',
      'wrong-type',
      'write the least and the most value, such as `[40, 60]`',
      '{ between: [40, 60] }',
    ),
    {
      ...toldOf('phone.porting.portedDate', '{ withinLast: ‹[7, 30] }', 'wrong-type', '', '{ withinLast: 30 days }'),
      hint: undefined,
    },
    fixed('{ phone.score: ‹80+ }', 'wrong-type', 'write `{ atLeast: 80 }`', '{ phone.score: { atLeast: 80 } }', when),
    fixed('{ phone.type: ‹known }', 'wrong-type', 'write `{ known: true }`', '{ phone.type: { known: true } }', when),
    ...['missing', 'unknown'].map((word) =>
      fixed(
        `{ not: { phone.riskLevel: ‹${word} } }`,
        'wrong-type',
        'write `{ known: false }`',
        '{ not: { phone.riskLevel: { known: false } } }',
        when,
      ),
    ),
    toldOf(
      'phone.valid',
      'false, phone.type: ‹any',
      'wrong-value',
      'leave phone.type out: a fact that is not tested may have any value',
      'false',
    ),
    toldOf('phone.type', '‹else', 'wrong-value', /^nothing is tested in turn/, '{ notIn: [voip] }'),
    fixedOf(
      'ip.country',
      '{ isNot: ‹phone.country }',
      'wrong-type',
      'write `{ fact: phone.country }`',
      '{ isNot: { fact: phone.country } }',
    ),
    fixedOf(
      'phone.porting.portedDate',
      '{ after: ‹email.address.firstSeen }',
      'wrong-type',
      'write `{ fact: email.address.firstSeen }`',
      '{ after: { fact: email.address.firstSeen } }',
    ),
    ...['context.market', '{ fact: ‹context.market }'].map((other) => ({
      mistake: `a country beside an enum: ${other}`,
      written: market('enum, values: [GB, DE]', other.replace(/^context/, '‹context')),
      code: other.startsWith('{') ? ('fact-types' as const) : ('wrong-type' as const),
      hint: /^declare context\.market with `type: string, format: country`, and write `\{ fact: context\.market \}`$/,
      corrected: market('string, format: country', '{ fact: context.market }'),
    })),
    toldOf(
      'phone.score',
      '{ above: ‹phone.riskLevel }',
      'wrong-type',
      'only facts of one type are compared, with `{ fact: … }`',
      '{ above: { fact: email.address.score } }',
    ),
    fixed('{ phone.score: ‹=> 50 }', 'wrong-type', 'write `{ atLeast: 50 }`', '{ phone.score: { atLeast: 50 } }', when),
  ]);
});

describe('a word that joins conditions is answered without a change of its meaning:', () => {
  const [A, B] = ['{ phone.valid: false }', '{ phone.type: voip }'];
  const joined = (word: string, meant: string) =>
    fixed(`{ ‹${word}: [${A}, ${B}] }`, 'unknown-fact', `did you mean "${meant}"?`, `{ ${meant}: [${A}, ${B}] }`, when);
  const named = (test: string) => ruleWhen(test, `conditions:\n  a: ${A}\n  b: ${B}\n`);
  const inBlock = (text: string) => when(`\n      ${text.replaceAll('\n', '\n      ')}`);
  testMistakes([
    told(
      '{ not: ‹[a, b] }',
      'wrong-type',
      /^write `not: \{ any: \[ … \] \}` if none of them may be true/,
      '{ not: { any: [a, b] } }',
      named,
    ),
    told('{ all: [a, { ‹b: }] }', 'null-value', /^write the name of the condition alone/, '{ all: [a, b] }', named),
    {
      mistake: 'a negation in the way of programs',
      written: when('{ phone.type: ‹!mobile }'),
      code: 'yaml-feature',
      hint: 'write `{ isNot: mobile }`; a text needs quotes',
      corrected: when('{ phone.type: { isNot: mobile } }'),
    },
    told(
      '{ phone.valid: true, ‹phone.valid: false }',
      'duplicate-key',
      /^write several values as `in: \[ … \]`/,
      '{ phone.valid: false }',
      when,
    ),
    told(
      `{ not: ${A}, ‹not: ${B} }`,
      'duplicate-key',
      'write each as an item of `all`: `- not: …`',
      `{ all: [{ not: ${A} }, { not: ${B} }] }`,
      when,
    ),
    joined('and', 'all'),
    joined('or', 'any'),
    joined('AND', 'all'),
    joined('anyOf', 'any'),
    fixed(
      `{ ‹none: [${A}, ${B}] }`,
      'unknown-fact',
      'write `not: { any: [ … ] }`',
      `{ not: { any: [${A}, ${B}] } }`,
      when,
    ),
    fixed(
      `‹none:\n  - phone.valid: false\n  - phone.type: voip`,
      'unknown-fact',
      'write `not: { any: [ … ] }`',
      `not:\n  any:\n  - phone.valid: false\n  - phone.type: voip`,
      inBlock,
    ),
    ...['true', 'always', '{}'].map((word) =>
      told(
        `‹${word}`,
        word === 'true' ? 'wrong-type' : word === '{}' ? 'empty' : 'unknown-condition',
        /^what holds for everybody is the `default` .* `when: \{ applicant\.phoneNo: \{ known: true \} \}`/,
        '{ applicant.phoneNo: { known: true } }',
        when,
      ),
    ),
  ]);
});

describe('a fact is answered with those of its own subject:', () => {
  const meant = (path: string, fact: string, test: string) =>
    fixed(`{ ‹${path}: ${test} }`, 'unknown-fact', `did you mean "${fact}"?`, `{ ${fact}: ${test} }`, when);
  const proposed = (path: string, hint: Hint, fact: string, test: string) =>
    told(`{ ‹${path}: ${test} }`, 'unknown-fact', hint, `{ ${fact}: ${test} }`, when);
  const nested = (written: string, path: string, test: string) =>
    fixed(`{ ‹${written} }`, 'unknown-fact', `write the path in one: \`${path}: …\``, `{ ${path}: ${test} }`, when);
  testMistakes([
    meant('phone.risk_level', 'phone.riskLevel', 'veryHigh'),
    meant('portedDate', 'phone.porting.portedDate', '{ withinLast: 30 days }'),
    meant('phone.ported_date', 'phone.porting.portedDate', '{ withinLast: 30 days }'),
    meant('phoneType', 'phone.type', 'voip'),
    proposed('ip.countryCode', 'did you mean "ip.country"?', 'ip.country', 'GB'),
    meant('phone.portedDate', 'phone.porting.portedDate', '{ withinLast: 30 days }'),
    proposed(
      'email.riskLevel',
      'did you mean "email.domain.riskLevel" or "email.address.riskLevel"?',
      'email.domain.riskLevel',
      'veryHigh',
    ),
    ...['phone.voip', 'phone.isVoip'].map((path) =>
      told(
        `{ ‹${path}: true }`,
        'unknown-fact',
        'it is a value: write `phone.type: voip`',
        '{ phone.type: voip }',
        when,
      ),
    ),
    told(
      '{ ‹email.domain.disposable: true }',
      'unknown-fact',
      'it is a value: write `email.domain.type: disposable`',
      '{ email.domain.type: disposable }',
      when,
    ),
    proposed('phone.carrier', 'did you mean "phone.operator.current"?', 'phone.operator.current', 'Acme'),
    proposed(
      'phone.ported',
      'did you mean "phone.porting.portedDate"?',
      'phone.porting.portedDate',
      '{ withinLast: 30 days }',
    ),
    proposed(
      'email.domain.age',
      'did you mean "email.domain.firstSeen"?',
      'email.domain.firstSeen',
      '{ withinLast: 30 days }',
    ),
    proposed(
      'email.age',
      'did you mean "email.domain.firstSeen" or "email.address.firstSeen"?',
      'email.domain.firstSeen',
      '{ withinLast: 30 days }',
    ),
    told(
      '{ ‹phone.score + email.domain.score: { above: 100 } }',
      'unknown-fact',
      'declare a fact under `facts`, with `compute`, and test that',
      '{ phone.score: { above: 50 } }',
      when,
    ),
    proposed('phone.risk', 'did you mean "phone.riskLevel"?', 'phone.riskLevel', 'veryHigh'),
    proposed('emial.domain.riskLevel', 'did you mean "email.domain.riskLevel"?', 'email.domain.riskLevel', 'veryHigh'),
    proposed(
      'email.domain',
      /^did you mean "email\.domain\..*" or "email\.domain\./,
      'email.domain.riskLevel',
      'veryHigh',
    ),
    nested('phone: { type: voip }', 'phone.type', 'voip'),
    nested('email: { domain: { riskLevel: { atLeast: high } } }', 'email.domain.riskLevel', '{ atLeast: high }'),
    {
      ...{
        mistake: 'a fact of their own that is not declared',
        code: 'unknown-fact',
        hint: 'declare it under `facts`',
      },
      written: when('{ ‹context.channel: web }'),
      corrected: ruleWhen(
        '{ context.channel: web }',
        'facts:\n  context.channel: { type: enum, values: [web, app] }\n',
      ),
    },
    {
      ...{ mistake: 'a misspelt fact of their own', code: 'unknown-fact', hint: 'did you mean "context.channel"?' },
      written: ruleWhen('{ ‹context.chanel: web }', 'facts:\n  context.channel: { type: enum, values: [web, app] }\n'),
      corrected: ruleWhen(
        '{ context.channel: web }',
        'facts:\n  context.channel: { type: enum, values: [web, app] }\n',
      ),
    },
  ]);
});

describe('an outcome of another language is answered with the one that is meant:', () => {
  const outcome = (word: string, meant: string) =>
    fixed(`then: ‹${word}`, 'wrong-value', `did you mean "${meant}"?`, `then: ${meant}`, keys);
  testMistakes([
    fixed('then: ‹[review]', 'wrong-type', 'write `review`', 'then: review', keys),
    outcome('decline', 'reject'),
    outcome('block', 'reject'),
    outcome('deny', 'reject'),
    outcome('manual review', 'review'),
    outcome('Review', 'review'),
    ...['approve', 'pass', 'accepted'].map((word) =>
      fixed(`default: ‹${word}\n`, 'wrong-value', 'did you mean "accept"?', 'default: accept\n', policy),
    ),
    told(
      'then: ‹stepUp',
      'wrong-value',
      /^a policy accepts, reviews or rejects: write `review`, /,
      'then: review',
      keys,
    ),
  ]);
});

describe('a value in another form is answered with the right form:', () => {
  const truth = (word: string, meant: boolean) =>
    fixed(`{ phone.valid: ‹${word} }`, 'wrong-type', `write ${meant}`, `{ phone.valid: ${meant} }`, when);
  const day = (text: string, meant: string) =>
    fixed(
      `{ phone.porting.portedDate: { after: ‹${text} } }`,
      'malformed',
      `write ${meant.replaceAll('"', '')}`,
      `{ phone.porting.portedDate: { after: ${meant} } }`,
      when,
    );
  const duration = (text: string, meant: string, code: Code = 'malformed') =>
    fixed(
      `{ phone.porting.portedDate: { withinLast: ‹${text} } }`,
      code,
      `write "${meant}"`,
      `{ phone.porting.portedDate: { withinLast: ${meant} } }`,
      when,
    );
  testMistakes([
    ...['yes', 'on', '1', '"true"', 'Y', 'Valid'].map((word) => truth(word, true)),
    ...['no', 'off', '0', '"false"', 'invalid', 'not valid'].map((word) => truth(word, false)),
    fixed('{ phone.score: ‹"50" }', 'wrong-type', 'remove the quotes', '{ phone.score: 50 }', when),
    toldOf(
      'phone.score',
      '{ above: ‹50% }',
      'wrong-type',
      'write 50 for a number of percent, 0.5 for a share of 1',
      '{ above: 50 }',
    ),
    ...['40 EUR', 'EUR 40', '€40'].map((written) =>
      toldOf('phone.score', `{ above: ‹${written} }`, 'wrong-type', 'write the number alone: 40', '{ above: 40 }'),
    ),
    toldOf('phone.score', '{ above: ‹5m }', 'wrong-type', 'write 5000000, or 5', '{ above: 5 }'),
    fixedOf('phone.score', '{ above: ‹"2,5" }', 'wrong-type', 'write 2.5', '{ above: 2.5 }'),
    toldOf('phone.score', '{ above: ‹"5.000" }', 'wrong-type', 'write 5, or 5000', '{ above: 5 }'),
    ...Object.entries({
      ...{ '"2.400,00"': '2400', '"2,400.00"': '2400', "2'400": '2400', '2 400': '2400' },
      ...{ '5k': '5000', '1.5k': '1500', '2.5 million': '2500000', '3 Mio.': '3000000', '1.000.000': '1000000' },
      ...{ '2M': '2000000', '"1,5M"': '1500000' },
    }).map(([written, number]) =>
      fixedOf(
        'phone.porting.portCount',
        `{ above: ‹${written} }`,
        'wrong-type',
        `write ${number}`,
        `{ above: ${number} }`,
      ),
    ),
    fixed('‹+ 5', 'wrong-type', 'write 5', '5', (points) =>
      keys(`then: review, points: ${points}`).replace('rules:', 'score: { review: 5 }\nrules:'),
    ),
    toldOf(
      'phone.porting.portedDate',
      '{ yearsSince: { below: ‹18 years } }',
      'wrong-type',
      'write the number alone: 18',
      '{ yearsSince: { below: 18 } }',
    ),
    toldOf(
      'phone.score',
      '{ above: ‹3 * email.address.score }',
      'wrong-type',
      /^nothing is calculated here/,
      '{ above: 30 }',
    ),
    told('then: review, points: ‹-$points', 'wrong-type', /^nothing is calculated here/, 'then: review', keys),
    toldOf(
      'phone.porting.portCount',
      '{ between: ‹[0, 1, 3] }',
      'wrong-value',
      'write the least and the most value alone; for single values, `in`',
      '{ between: [0, 3] }',
    ),
    toldOf('phone.porting.portCount', '{ between: ‹[3, 0] }', 'wrong-value', 'write `[0, 3]`', '{ between: [0, 3] }'),
    told(
      'then: review, until: ‹2099-11-31',
      'malformed',
      'the month has 30 days',
      'then: review, until: 2099-11-30',
      keys,
    ),
    toldOf('phone.porting.portCount', '{ ‹withinLast: 3 days }', 'operator-type', 'write `atMost: 3`', '{ atMost: 3 }'),
    told(
      '{ phone.score: { above: ‹"1,000" } }',
      'wrong-type',
      'write 1000, or 1',
      '{ phone.porting.portCount: { above: 1000 } }',
      (text) => when(text),
    ),
    fixed('{ phone.type: ‹VOIP }', 'wrong-value', 'did you mean "voip"?', '{ phone.type: voip }', when),
    fixedOf('phone.riskLevel', '‹very high', 'wrong-value', 'did you mean "veryHigh"?', 'veryHigh'),
    {
      ...told('{ phone.riskLevel: { atLeast: ‹4 } }', 'wrong-type', '', '{ phone.riskLevel: { atLeast: high } }', when),
      message: 'found the number 4; phone.riskLevel must be one of veryLow, low, medium, high, veryHigh',
      hint: undefined,
    },
    {
      mistake: 'a value of a parameter, which the test only names',
      written: ruleWhen('{ phone.riskLevel: ‹$risky }', 'parameters:\n  risky: VeryHigh\n'),
      code: 'wrong-value',
      hint: 'did you mean "veryHigh"?',
      corrected: ruleWhen('{ phone.riskLevel: $risky }', 'parameters:\n  risky: veryHigh\n'),
    },
    day('13/02/2026', '2026-02-13'),
    day('02/13/2026', '2026-02-13'),
    day('01.02.2026', '2026-02-01'),
    day('1 Feb 2026', '2026-02-01'),
    day('"February 1, 2026"', '"2026-02-01"'),
    day('2026-2-1', '2026-02-01'),
    day('2026/02/01', '2026-02-01'),
    toldOf(
      'phone.porting.portedDate',
      '{ after: ‹01/02/2026 }',
      'malformed',
      'write 2026-02-01 if the day is first, 2026-01-02 if the month is',
      '{ after: 2026-02-01 }',
    ),
    toldOf(
      'phone.porting.portedDate',
      '‹today',
      'malformed',
      'a day that moves is a duration: write `withinLast: 0 days`',
      '{ withinLast: 0 days }',
    ),
    ...[
      ['30', 'wrong-type'],
      ['30 days', 'malformed'],
    ].map(([days, code]) =>
      told(
        `{ phone.porting.portedDate: { before: ‹${days} } }`,
        code as Code,
        'a day that moves is a duration: write `olderThan: 30 days` or `withinLast: 30 days`',
        '{ phone.porting.portedDate: { olderThan: 30 days } }',
        when,
      ),
    ),
    ...[
      ['last 90 days', 'withinLast'],
      ['"< 90 days"', 'withinLast'],
      ['"> 90 days"', 'olderThan'],
      ['over 90 days', 'olderThan'],
    ].map(([text, meant]) =>
      toldOf(
        'phone.porting.portedDate',
        `‹${text}`,
        'malformed',
        `a day that moves is a duration: write \`${meant}: 90 days\``,
        `{ ${meant}: 90 days }`,
      ),
    ),
    toldOf('phone.porting.portedDate', '‹none', 'malformed', /^write `never` for what never happened; /, 'never'),
    duration('last 90 days', '90 days'),
    duration('-90 days', '90 days'),
    duration('30d', '30 days'),
    duration('2w', '2 weeks'),
    duration('30', '30 days', 'wrong-type'),
    toldOf(
      'phone.porting.portedDate',
      '{ withinLast: ‹1 month }',
      'malformed',
      'months have no fixed length: write days or weeks',
      '{ withinLast: 30 days }',
    ),
  ]);
});

describe('a number or a sign that no value has is answered with the form of values:', () => {
  const block = (written: string, meant: string) =>
    fixedOf(
      'applicant.ip',
      `{ in: [‹${written}] }`,
      'wrong-format',
      `did you mean "${meant}"?`,
      `{ in: ["${meant}"] }`,
    );
  testMistakes([
    ...['‹+49', '{ in: [‹49] }'].map((written) => ({
      ...toldOf('phone.country', written, 'wrong-format', '', 'DE'),
      message: /: it is not a country code of two letters, such as GB$/,
      hint: undefined,
    })),
    fixedOf('applicant.phoneNo', '‹447400123456', 'wrong-type', /^put it in quotes: /, '"447400123456"'),
    block('81.2.69.*', '81.2.69.0/24'),
    block('81.2.*.*', '81.2.0.0/16'),
    block('81.2.', '81.2.0.0/16'),
    block('81.2.69.0/255.255.255.0', '81.2.69.0/24'),
    toldOf(
      'applicant.ip',
      '‹81.2.69.*',
      'wrong-format',
      'for a block, write `in: [81.2.69.0/24]`',
      '{ in: [81.2.69.0/24] }',
    ),
    toldOf(
      'applicant.emailDomain',
      '‹"*.spam.example"',
      'wrong-format',
      'for what is below it, write `endsWith: .spam.example`',
      '{ endsWith: .spam.example }',
    ),
    ...['+10', '{ points: 10 }'].map((written) =>
      told(
        `then: ‹${written}`,
        'wrong-type',
        'write `points: 10` in place of it, or beside an outcome',
        'points: 10',
        (rest) => keys(rest).replace('rules:', 'score: { reject: 10 }\nrules:'),
      ),
    ),
  ]);
});

describe('a parameter without its sign or with other braces is answered with how it is written:', () => {
  const parameter = (name: string) => `parameters:\n  ${name}: ${name === 'lately' ? '30 days' : '80'}\n`;
  const declared = (test: string) => ruleWhen(test, parameter(test.includes('lately') ? 'lately' : 'risky'));
  const [BARE, BRACED] = ['without its dollar sign', 'a parameter is written without braces, except in a message'];
  const written = (text: string, meant: string, message: string) => ({
    ...fixed(text, 'wrong-type', /^write `\$/, meant, declared),
    message: new RegExp(`${message}$`),
  });
  testMistakes([
    written('{ phone.score: { atLeast: ‹risky } }', '{ phone.score: { atLeast: $risky } }', BARE),
    written('{ phone.score: ‹{$risky} }', '{ phone.score: $risky }', BRACED),
    written('{ phone.score: { atLeast: ‹{ $risky } } }', '{ phone.score: { atLeast: $risky } }', BRACED),
    written(
      '{ phone.porting.portedDate: { withinLast: ‹lately } }',
      '{ phone.porting.portedDate: { withinLast: $lately } }',
      BARE,
    ),
  ]);
});

describe('a mistake is answered with what was meant, and never with its opposite:', () => {
  const DOMAINS = 'lists:\n  partners: [lumen.example]\n';
  const listed = (test: string) => ruleWhen(test, DOMAINS);
  const WINDOW = 'parameters:\n  lately: 30 days\n';
  const within = (test: string) => ruleWhen(`{ phone.porting.portedDate: { withinLast: ${test} } }`, WINDOW);
  const message = (text: string) => keys(`then: review, message: "${text}"`);
  const shown = (text: string) =>
    message(text)
      .replace('rules:', 'parameters: { least: 1 }\nrules:')
      .replace('.valid: false', '.score: { below: $least }');
  testMistakes([
    told(
      '{ applicant.email: { ‹inDomainList: partners } }',
      'operator-type',
      'test the domain of the address: `applicant.emailDomain`',
      '{ applicant.emailDomain: { inDomainList: partners } }',
      listed,
    ),
    told('then: ‹none, points: 5', 'wrong-value', /^leave `then` out/, 'points: 5', (more) =>
      keys(more).replace('rules:', 'score: { review: 5 }\nrules:'),
    ),
    told('then: ‹$outcome', 'wrong-value', /^no parameter can stand here/, 'then: review', keys),
    told(
      'then: review, whenUnknown: ‹accept',
      'wrong-value',
      /^with `ignore`/,
      'then: review, whenUnknown: ignore',
      keys,
    ),
    told('then: review, whenUnknown: ‹reject', 'wrong-value', /^to reject what is missing/, 'then: review', keys),
    told(
      'then: review, notice: ‹[en: Hello., de: Hallo.]',
      'wrong-type',
      /^write one map, with a key for each language/,
      'then: review, notice: { en: Hello., de: Hallo. }',
      keys,
    ),
    told(
      '{ applicant.emailDomain: { ‹notInDomainList: partners } }',
      'unknown-operator',
      'write `not: { applicant.emailDomain: { inDomainList: partners } }`',
      '{ not: { applicant.emailDomain: { inDomainList: partners } } }',
      listed,
    ),
    told(
      '{ ip.isp: { ‹doesNotContain: acme } }',
      'unknown-operator',
      'write `not: { ip.isp: { contains: acme } }`',
      '{ not: { ip.isp: { contains: acme } } }',
      when,
    ),
    told('Score ‹{least}', 'bad-message', 'write {$least}', 'Score {$least}', shown),
    told(`‹"\${lately}"`, 'malformed', 'write $lately; only a message has braces around it', '$lately', within),
    told('‹$lately days', 'malformed', 'write $lately: its value has the unit', '$lately', within),
    told(
      "{ ip.isp: { matches: ‹'*.ru' } }",
      'bad-pattern',
      'write `endsWith: .ru` in place of `matches`',
      '{ ip.isp: { endsWith: .ru } }',
      when,
    ),
    fixedOf('phone.type', '‹not mobile', 'wrong-type', 'write `{ isNot: mobile }`', '{ isNot: mobile }'),
    told('Score ‹{ phone.score }', 'bad-message', 'write {phone.score}', 'Score {phone.score}', message),
    told(
      'Ported ‹{daysSince(phone.porting.portedDate)} days ago',
      'bad-message',
      'write {daysSince phone.porting.portedDate}',
      'Ported {daysSince phone.porting.portedDate} days ago',
      message,
    ),
  ]);

  it('of arithmetic with a parameter', () => {
    const { hints } = problemsOf(ruleWhen('{ phone.score: { above: $risky + 5 } }', 'parameters:\n  risky: 80\n'));
    expect(hints[0]).toBe('a policy does not calculate: declare a parameter with the result');
  });
});

describe('lists, their names and single values in the place of one another:', () => {
  const declared = (entries: string) =>
    ruleWhen('{ applicant.email: { inList: staff } }', `lists:\n  staff: ${entries}\n`);
  const lists = 'lists:\n  blocked: [203.0.113.7]\n';
  const listed = (test: string) => ruleWhen(test, lists);
  testMistakes([
    fixed(
      '{ applicant.ip: { in: ‹blocked } }',
      'wrong-type',
      'write `inList: blocked`',
      '{ applicant.ip: { inList: blocked } }',
      listed,
    ),
    toldOf(
      'ip.isp',
      '{ in: ‹acme }',
      'wrong-type',
      'write `in: [acme]`; if it is a list, `inList: acme`',
      '{ in: [acme] }',
    ),
    ...(['is', 'isNot'] as const).flatMap((operator) => {
      const other = operator === 'is' ? 'in' : 'notIn';
      return ['[voip, pager]', 'voip or pager'].map((values) =>
        fixed(
          `{ phone.type: { ${operator}: ‹${values} } }`,
          values.startsWith('[') ? 'wrong-type' : 'wrong-value',
          new RegExp(`write \`${other}: \\[voip, pager\\]\`$`),
          `{ phone.type: { ${other}: [voip, pager] } }`,
          when,
        ),
      );
    }),
    ...['voip|pager', '"voip, pager"'].map((values) =>
      fixed(
        `{ phone.type: ‹${values} }`,
        'wrong-value',
        'write `[voip, pager]`',
        '{ phone.type: [voip, pager] }',
        when,
      ),
    ),
    ...['GB;DE', 'GB/DE', '"GB, DE"'].map((values) =>
      fixed(`{ phone.country: ‹${values} }`, 'wrong-type', 'write `[GB, DE]`', '{ phone.country: [GB, DE] }', when),
    ),
    fixedOf(
      'applicant.phoneNo',
      '{ in: ‹"+44 7400 123456, +44 7400 123457" }',
      'wrong-type',
      'write `in: ["+44 7400 123456", "+44 7400 123457"]`',
      '{ in: ["+44 7400 123456", "+44 7400 123457"] }',
    ),
    toldOf('ip.isp', '{ in: ‹"Acme, Inc" }', 'wrong-type', /^write `in: \["Acme, Inc"\]`; /, '{ in: ["Acme, Inc"] }'),
    ...['web|app', '"web, app"', 'web; app'].map((values) =>
      fixed(
        `type: enum, values: ‹${values}`,
        'wrong-type',
        'write `[web, app]`',
        'type: enum, values: [web, app]',
        fact,
      ),
    ),
    fixedOf('phone.type', '[‹voip; pager]', 'wrong-value', 'write `voip, pager`', '[voip, pager]'),
    fixedOf('phone.riskLevel', '[‹high/veryHigh]', 'wrong-value', 'write `high, veryHigh`', '[high, veryHigh]'),
    told(
      '- ‹voip or pager',
      'wrong-value',
      'it has several values: write each as an item of its own',
      '- voip\n        - pager',
      (items) => ruleWhen(`\n      phone.type:\n        ${items}`),
    ),
    fixed('{ phone.type: { in: ‹voip } }', 'wrong-type', 'write `in: [voip]`', '{ phone.type: { in: [voip] } }', when),
    fixedOf(
      'applicant.ip',
      '{ inList: ‹[203.0.113.8, 203.0.113.9] }',
      'wrong-type',
      'for values in place write `in: [ … ]`',
      '{ in: [203.0.113.8, 203.0.113.9] }',
    ),
    told(
      '{ applicant.ip: { inList: ‹[blocked, others] } }',
      'wrong-type',
      'write a test for each list: `any: [{ applicant.ip: { inList: blocked } }, { applicant.ip: { inList: others } }]`',
      '{ any: [{ applicant.ip: { inList: blocked } }, { applicant.ip: { inList: others } }] }',
      (test) => ruleWhen(test, 'lists:\n  blocked: [203.0.113.7]\n  others: [203.0.113.8]\n'),
    ),
    told('‹staff@a.example', 'wrong-type', 'write `[staff@a.example]`', '[staff@a.example]', declared),
    told(
      '‹a@a.example, b@a.example',
      'wrong-type',
      /^write `\[a@a\.example, b@/,
      '[a@a.example, b@a.example]',
      declared,
    ),
    told('‹{ kim: a@a.example }', 'wrong-type', /^write the entries alone, as a list/, '[a@a.example]', declared),
    told(
      '[‹a@a.example: from sales]',
      'wrong-type',
      'write `{ value: …, note: … }` for an entry with a note',
      '[{ value: a@a.example, note: from sales }]',
      declared,
    ),
    told(
      '[‹$others, b@a.example]',
      'wrong-format',
      /^a list cannot contain another, nor a parameter/,
      '[b@a.example]',
      declared,
    ),
    {
      mistake: 'a file in place of a list',
      written: declared('‹staff.txt'),
      code: 'wrong-type',
      hint: 'write `{ file: staff.txt }`',
      corrected: declared('{ file: staff.txt }'),
      files: { 'staff.txt': 'a@a.example\n' },
      isFixed: true,
    },
    told(
      '{ applicant.email: { inList: ‹lists.staff } }',
      'unknown-list',
      'write its name alone: staff',
      '{ applicant.email: { inList: staff } }',
      (test) => ruleWhen(test, 'lists:\n  staff: [a@a.example]\n'),
    ),
    ...[
      ['conditions', '{ isVoip: { phone.type: voip } }', 'leave the hyphens out: `isVoip: …`'],
      ['conditions', '{ id: isVoip, when: { phone.type: voip } }', 'write each under its name: `isVoip: …`'],
    ].map(([key, item, hint = '']) => ({
      mistake: `a list of ${key}: ${item}`,
      written: ruleWhen('isVoip', `${key}:\n  ‹- ${item}\n`),
      code: 'wrong-type' as const,
      hint,
      corrected: ruleWhen('isVoip', 'conditions:\n  isVoip: { phone.type: voip }\n'),
    })),
    {
      mistake: 'a map of rules by their names',
      written: `${HEAD}rules:\n  ‹one: { when: { phone.valid: false }, then: review }\n`,
      code: 'wrong-type',
      hint: 'write a list, in which each entry begins with its name: `- id: one`',
      corrected: rules(RULE),
    },
    told(
      '{ atLeastOf: ‹[2, { phone.valid: false }, { phone.type: voip }] }',
      'wrong-type',
      'write `atLeastOf: { count: 2, of: [ … ] }`',
      '{ atLeastOf: { count: 2, of: [{ phone.valid: false }, { phone.type: voip }] } }',
      when,
    ),
    {
      mistake: 'a name of a list in two words',
      written: ruleWhen('{ applicant.email: { inList: our staff } }', 'lists:\n  ‹our staff: [a@a.example]\n'),
      code: 'malformed',
      hint: 'write our-staff',
      corrected: ruleWhen('{ applicant.email: { inList: our-staff } }', 'lists:\n  our-staff: [a@a.example]\n'),
    },
    fixed('‹Our Bank', 'malformed', 'write Our-Bank', 'Our-Bank', (name) =>
      policy('default: accept\n').replace(': p', `: ${name}`),
    ),
    {
      mistake: 'the file of a list in place of its name',
      written: ruleWhen('{ applicant.ip: { inList: ‹lists/vpn.txt } }'),
      code: 'unknown-list',
      hint: 'declare it under `lists`, as `vpn: { file: lists/vpn.txt }`, and write its name, `vpn`',
      corrected: ruleWhen('{ applicant.ip: { inList: vpn } }', 'lists:\n  vpn: { file: lists/vpn.txt }\n'),
      files: { 'lists/vpn.txt': '203.0.113.7\n' },
    },
  ]);
});

describe('a cell that is to say nothing is answered with the word for it:', () => {
  const inQuotesOf = (cell: string, word: string) => (cell.startsWith('"') ? `"${word}"` : word);
  const anyCell = (cell: string) =>
    fixed(
      `‹${cell}, voip, review, 5, none, none`,
      'wrong-value',
      'write `any` to test nothing',
      `${inQuotesOf(cell, 'any')}, voip, review, 5, none, none`,
      row,
    );
  const noneCell = (cells: string, key: string, code: Code = 'wrong-value') =>
    fixed(
      cells,
      code,
      `write \`none\` for a row without \`${key}\``,
      cells.replace(/‹([^,]*)/, (_, cell: string) => inQuotesOf(cell, 'none')),
      row,
    );
  testMistakes([
    ...['-', '*'].map((cell) =>
      fixed(
        `[‹${cell}, voip, review]`,
        'yaml-syntax',
        'write `- [any, voip, review]`',
        '[any, voip, review]',
        (text) =>
          `${HEAD}tables:\n  - id: t\n    columns: [phone.score, phone.type, then]\n    rows:\n      - ${text}\n`,
      ),
    ),
    {
      mistake: 'nothing between two commas',
      written: table('columns: [phone.type, phone.score, then], rows: [[voip,‹ , review]]'),
      code: 'yaml-syntax',
      hint: /^write `.* rows: \[\[voip, any, review\]\] \}`$/,
      corrected: table('columns: [phone.type, phone.score, then], rows: [[voip, any, review]]'),
    },
    {
      mistake: 'several signs in one map',
      written: when('{ phone.score: { ‹>: 50, !=: 70 } }'),
      code: 'yaml-syntax',
      message: 'found the sign >; operators are words',
      hint: 'write `when: { phone.score: { above: 50, isNot: 70 } }`',
      corrected: when('{ phone.score: { above: 50, isNot: 70 } }'),
      isFixed: true,
    },
    ...['"-"', '"*"', 'Any', 'N/A'].map(anyCell),
    ...Object.entries({ '~': 'null-value', '""': 'empty' } as const).map(([cell, code]) =>
      told(
        `‹${cell}, voip, review, 5, none, none`,
        code,
        'write `any` to test nothing, `{ known: false }` to test whether the fact is missing',
        'any, voip, review, 5, none, none',
        row,
      ),
    ),
    {
      mistake: 'a cell that is left out',
      written: table('columns: [phone.type, then, reason], rows: [‹[voip, review]]'),
      code: 'row-length',
      hint: 'write `any` for a fact that a row does not test, `none` for a key that it lacks',
      corrected: table('columns: [phone.type, then, reason], rows: [[voip, review, none]]'),
    },
    ...['voip review A', 'voip; review; A', 'voip | review | A'].map((cells) => ({
      mistake: cells,
      written: table(`columns: [phone.type, then, reason], rows: [‹[${cells}]]`),
      code: 'row-length' as const,
      hint: 'write `[voip, review, A]`',
      corrected: table('columns: [phone.type, then, reason], rows: [[voip, review, A]]'),
      isFixed: true,
    })),
    noneCell('any, voip, review, 5, ‹any, none', 'notice'),
    noneCell('any, voip, review, 5, none, ‹"-"', 'message'),
    noneCell('any, voip, review, ‹"-", none, none', 'points'),
    noneCell('any, voip, review, 5, ‹~, none', 'notice', 'null-value'),
  ]);
});

describe('a key of another language is answered with the one that is meant:', () => {
  const keyOf = (frame: (text: string) => string, word: string, meant: string, value: string, rest = '') =>
    fixed(`‹${word}: ${value}${rest}`, 'unknown-key', `did you mean "${meant}"?`, `${meant}: ${value}${rest}`, frame);
  const inRule = (text: string) => `${HEAD}rules:\n  - { id: one, ${text} }\n`;
  const column = (text: string) => table(`columns: [phone.type, ${text}], rows: [[voip, review]]`);
  const scored = (bands: string) => keys('points: 5').replace('rules:', `score: { ${bands} }\nrules:`);
  const staged = (stage: string) =>
    `${HEAD}stages: [${stage}]\nrules:\n  - ${RULE.replace('}', ', email.address.score: { above: 5 } }')}\n`;
  const computed = (compute: string) =>
    ruleWhen(
      '{ context.own: { above: 1 }, context.a: { above: 1 }, context.on: { known: true } }',
      `facts:\n  context.a: { type: number }\n  context.on: { type: date }\n  context.own: { type: number, compute: ${compute} }\n`,
    );
  const named = (path: string) =>
    ruleWhen(`{ ${path.replace('‹', '')}: { above: 1 } }`, `facts:\n  ${path}: { type: number }\n`);
  const pointed = (text: string) =>
    `${keys(text).replace('rules:', 'score: { review: 5 }\nrules:')}  - { id: other, when: { phone.type: voip }, points: 9 }\n`;
  const guaranteed = (claim: string) =>
    `${keys('then: review')}guarantees:\n  - { id: sure, ${claim}, when: { phone.valid: false } }\n`;
  const alone = (word: string, hint: Hint) => told(`then: review, ‹${word}`, 'unknown-key', hint, 'then: review', keys);
  testMistakes([
    keyOf(inRule, 'if', 'when', '{ phone.valid: false }', ', then: review'),
    keyOf(keys, 'action', 'then', 'review'),
    keyOf(keys, 'outcome', 'then', 'review'),
    keyOf((text) => keys(text).replace('rules:', 'score: { review: 5 }\nrules:'), 'weight', 'points', '5'),
    keyOf((text) => keys(`then: review, ${text}`), 'reason_code', 'reason', 'INVALID'),
    keyOf((text) => keys(`then: review, ${text}`), 'expires', 'until', '2099-12-31'),
    keyOf((text) => policy(`default: accept\n${text}\n`), 'desc', 'description', 'Ours.'),
    told(
      '‹name: Not valid, then: review',
      'unknown-key',
      'a rule has an `id` in kebab-case, and a `description` for people',
      'id: not-valid, then: review',
      (text) => `${HEAD}rules:\n  - { when: { phone.valid: false }, ${text} }\n`,
    ),
    told(
      'then: review, mode: ‹off',
      'wrong-value',
      /^leave `mode` out for a rule that has effect; to switch it off, write `mode: shadow` or remove it$/,
      'then: review',
      keys,
    ),
    told(
      'then: review, until: ‹never',
      'malformed',
      'leave the key out: without it there is no such day',
      'then: review',
      keys,
    ),
    fixed('then: review, reason: ‹not-valid', 'malformed', 'write NOT_VALID', 'then: review, reason: NOT_VALID', keys),
    fixed('id: ‹Not_valid', 'malformed', 'write not-valid', 'id: not-valid', (text) =>
      rules(`{ ${text}, when: { phone.valid: false }, then: review }`),
    ),
    alone('enabled: false', /^a rule is active unless its days say otherwise: give it `mode: shadow` /),
    alone('priority: 5', /^order makes no difference: the strictest outcome wins, /),
    alone('else: accept', /^a rule says nothing when its condition is false: /),
    alone(
      'sql: x',
      'its keys are id, when, description, then, reason, message, notice, points, final, whenUnknown, mode, from, until, tags, owner',
    ),
    told(
      'columns: [phone.type, then], rows: [[voip, review]], ‹hitPolicy: FIRST',
      'unknown-key',
      /^every row that matches fires; /,
      'columns: [phone.type, then], rows: [[voip, review]]',
      table,
    ),
    fixed('‹action', 'unknown-fact', 'did you mean "then"?', 'then', column),
    fixed('type: number, ‹minimum: 0', 'unknown-key', 'did you mean "min"?', 'type: number, min: 0', fact),
    told(
      'type: number, ‹range: 0',
      'unknown-key',
      'write `min:` and `max:`, both allowed',
      'type: number, max: 0',
      fact,
    ),
    told(
      'type: integer, ‹min: 5, max: 1',
      'wrong-value',
      'did you mean `min: 1, max: 5`?',
      'type: integer, min: 5, max: 5',
      fact,
    ),
    ...Object.entries({ text: 'string', bool: 'boolean', int: 'integer' }).map(([word, meant]) =>
      fixed(`type: ‹${word}`, 'wrong-value', `did you mean "${meant}"?`, `type: ${meant}`, fact),
    ),
    alone('except: { phone.type: voip }', /^write `not: \{ … \}` beside the other tests/),
    alone('unless: { phone.type: voip }', /^write `not: \{ … \}` beside/),
    alone('sample: 10%', /^a rule holds for every applicant/),
    fixed('type: number, ‹pii: true', 'unknown-key', 'did you mean "personal"?', 'type: number, personal: true', fact),
    told('type: number, ‹default: 0', 'unknown-key', /^a fact that is not given is missing/, 'type: number', fact),
    told('review: 5, ‹accept: 0', 'unknown-key', /^leave it out: below its bands/, 'review: 5', scored),
    told('review: ‹5-9', 'wrong-type', 'write the score from which it begins: 5', 'review: 5', scored),
    told('review: ‹[5, 9]', 'wrong-type', 'write the score from which it begins: 5', 'review: 5', scored),
    {
      mistake: 'a score without its band',
      written: scored('').replace('{  }', '‹5'),
      code: 'wrong-type',
      hint: 'say from where which outcome is asked for: `{ review: 5 }`',
      corrected: scored('review: 5'),
    },
    fixed('[‹phone, email]', 'wrong-value', 'did you mean "phoneNo"?', '[phoneNo, email]', staged),
    told('‹[email]', 'wrong-value', 'write `[phoneNo, email]`', '[phoneNo, email]', staged),
    told('[phoneNo, email, ‹context]', 'wrong-value', /^leave it out: facts of `context`/, '[phoneNo, email]', staged),
    {
      mistake: 'stages with names',
      written: policy('default: accept\nstages:\n  ‹first: [phoneNo]\n  second: [phoneNo]\n'),
      code: 'wrong-type',
      hint: 'write the values alone, each with a hyphen: `- [phoneNo]`',
      corrected: policy('default: accept\nstages:\n  - [phoneNo]\n'),
    },
    {
      mistake: 'rule sets with names',
      written: `${HEAD}ruleSets:\n  ‹a: a.yaml\n`,
      code: 'wrong-type',
      hint: 'write the values alone, each with a hyphen: `- a.yaml`',
      corrected: `${HEAD}ruleSets:\n  - a.yaml\n`,
      files: { 'a.yaml': `rules:\n  - ${RULE}\n` },
    },
    {
      mistake: 'a rule set that is a list of rules',
      written: `${HEAD}ruleSets: [a.yaml]\n`,
      code: 'wrong-type',
      hint: 'write `rules:` above the list',
      corrected: `${HEAD}rules:\n  - ${RULE}\n`,
      files: { 'a.yaml': `‹- ${RULE}\n` },
    },
    fixed('{ ‹divide: [context.a, 5] }', 'unknown-key', 'did you mean "ratio"?', '{ ratio: [context.a, 5] }', computed),
    told('‹context.a / 5', 'wrong-type', 'write `{ ratio: [context.a, 5] }`', '{ ratio: [context.a, 5] }', computed),
    told(
      '{ ‹yearsBetween: [context.on, context.on] }',
      'unknown-key',
      'an age is not computed, but tested: `yearsSince: { below: 18 }`',
      '{ ratio: [context.a, 5] }',
      computed,
    ),
    told(
      '{ daysBetween: [context.on, ‹today] }',
      'unknown-fact',
      /^how long ago a date is, a rule tests/,
      '{ daysBetween: [context.on, phone.porting.portedDate] }',
      computed,
    ),
    told(
      '{ difference: [context.a, ‹context.on] }',
      'fact-types',
      'for two dates write `daysBetween: [earlier, later]`',
      '{ difference: [context.a, 5] }',
      computed,
    ),
    told(
      '{ ratio: [context.a, ‹{ product: [context.a, 5] }] }',
      'wrong-type',
      /^computations do not nest/,
      '{ ratio: [context.a, 5] }',
      computed,
    ),
    told('‹device.age', 'malformed', 'write context.device.age, there and in the rules', 'context.device.age', named),
    {
      mistake: 'facts of their own in a map of `context`',
      written: `${HEAD}facts:\n  ‹context: { own: { type: number } }\nrules:\n  - ${RULE}\n`,
      code: 'malformed',
      hint: 'write the path in one: `context.own: …`',
      corrected: ruleWhen('{ context.own: 5 }', 'facts:\n  context.own: { type: number }\n'),
    },
    ...[
      ['number', '{ type: number }', '{ type: number }'],
      ['bool', '{ type: boolean }', '{ type: boolean }'],
      ['[web, app]', '{ type: enum, values: [ … ] }', '{ type: enum, values: [web, app] }'],
    ].map(([written, meant, corrected]) => ({
      mistake: `the type of a fact alone: ${written}`,
      written: ruleWhen('{ context.own: { known: true } }', `facts:\n  context.own: ‹${written}\n`),
      code: 'wrong-type' as const,
      hint: `write \`${meant}\``,
      corrected: ruleWhen('{ context.own: { known: true } }', `facts:\n  context.own: ${corrected}\n`),
    })),
    told('‹context.device-age', 'malformed', /^write context\.deviceAge, /, 'context.deviceAge', named),
    {
      mistake: 'a fact of the catalog that is declared',
      written: ruleWhen('{ phone.score: { above: 5 } }', 'facts:\n  ‹phone.score: { type: number }\n'),
      code: 'duplicate-name',
      hint: 'remove it here',
      corrected: ruleWhen('{ phone.score: { above: 5 } }'),
    },
    told(
      'columns: [‹ported, then], rows: [[true, review]]',
      'unknown-fact',
      'ported is a named condition: write a column for each fact that it tests',
      'columns: [phone.valid, then], rows: [[false, review]]',
      (more) =>
        `${table(more)}  - { id: u, columns: [phone.type, then], rows: [[voip, review]] }\n`.replace(
          'tables:',
          'conditions: { ported: { phone.type: pager } }\nrules:\n  - { id: r, when: ported, then: review }\ntables:',
        ),
    ),
    told(
      'default: ‹accept unless a rule rejects',
      'wrong-value',
      'write `accept` alone: the conditions of rules say when',
      'default: accept',
      (text) => policy(`${text}\n`),
    ),
    told('type: string, format: ‹iban', 'wrong-value', /^leave it out: a text without a format/, 'type: string', fact),
    told('type: number, ‹past: true', 'unknown-key', 'remove it', 'type: number', fact),
    told('type: enum, values: [a, ‹a]', 'duplicate-name', 'remove it', 'type: enum, values: [a]', fact),
    told('points: ‹2.5', 'wrong-type', 'write 2 or 3', 'points: 2', pointed),
    told('then: review, points: ‹-5', 'points-sign', /^leave `then` out of a rule/, 'points: -5', pointed),
    told(
      'columns: [phone.type, ‹phone.type, then], rows: [[voip, voip, review]]',
      'duplicate-name',
      /^one cell may have several tests/,
      'columns: [phone.type, then], rows: [[voip, review]]',
      table,
    ),
    told('atLeast: ‹accept', 'wrong-value', /^every applicant gets at least accept/, 'atLeast: review', guaranteed),
    told('never: accept, ‹always: reject', 'wrong-value', 'write a guarantee for each', 'never: accept', guaranteed),
    told(
      'Share ‹{context.own}',
      'bad-message',
      'it is computed from personal facts: write the message without its value',
      'A high share',
      (text) =>
        computed('{ ratio: [context.a, 5] }')
          .replace('context.a: { type: number }', 'context.a: { type: number, personal: true }')
          .replace('then: review\n', `then: review\n    message: "${text}"\n`),
    ),
    told('type: ‹datetime', 'wrong-value', 'did you mean "date"? It is a day without a time', 'type: date', fact),
  ]);
});

describe('a number that has to be whole is told as a whole one:', () => {
  const scored = (points: string) => keys(points).replace('rules:', 'score: { review: 3 }\nrules:');
  testMistakes([
    told('points: ‹25%', 'wrong-type', 'write 25', 'points: 25', scored),
    told("points: ‹'5,5'", 'wrong-type', 'write 5 or 6', 'points: 5', scored),
    told('points: ‹2.5', 'wrong-type', 'write 2 or 3', 'points: 3', scored),
    fixed(
      '{ id: ‹line/5, when: { phone.valid: false }, then: review }',
      'malformed',
      'write line-5',
      '{ id: line-5, when: { phone.valid: false }, then: review }',
      rules,
    ),
  ]);
});

describe('a name that leads nowhere, or in a circle, is shown with its way or its neighbours:', () => {
  const conditions = (z: string) =>
    ruleWhen('x', `conditions:\n  x: { not: y }\n  y: { any: [z, { phone.valid: false }] }\n  z: ${z}\n`);
  const ruleSets = (...names: readonly string[]) => `ruleSets: [${names.join(', ')}]\n`;
  const set = (name: string) => `rules:\n  - ${RULE.replace('one', name)}\n`;
  const absent = (name: string, message: string | RegExp, hint: Hint | undefined): Mistake => ({
    ...{ mistake: name, code: 'file-unreadable', message, hint },
    written: `${HEAD}${ruleSets(`‹${name}`)}`,
    corrected: `${HEAD}${ruleSets('sets/phone-rules.yaml')}`,
    files: { 'sets/phone-rules.yaml': set('one') },
  });
  testMistakes([
    {
      mistake: 'conditions in a circle',
      written: conditions('{ all: [‹x, { phone.type: voip }] }'),
      code: 'cycle',
      message: 'the condition "x" refers to itself: x -> y -> z -> x',
      hint: undefined,
      corrected: conditions('{ phone.type: voip }'),
    },
    {
      mistake: 'a rule set that includes the policy that includes it',
      written: `${HEAD}${ruleSets('a.yaml')}`,
      code: 'file-cycle',
      message: /^this file includes itself: [^ ]*a\.yaml -> [^ ]*sets\/b\.yaml -> [^ ]*a\.yaml$/,
      hint: undefined,
      corrected: `${HEAD}${ruleSets('c.yaml')}`,
      files: { 'a.yaml': ruleSets('sets/b.yaml'), 'sets/b.yaml': ruleSets('‹../a.yaml'), 'c.yaml': set('one') },
    },
    absent('sets/phone-rule.yaml', /^no such file in the folder \/.*\/sets$/, 'did you mean "phone-rules.yaml"?'),
    absent('sets/*.yaml', /^no such file in the folder/, 'name each file: a pattern is not followed'),
    absent('sets\\\\phone-rules.yaml', /^no such file/, 'separate the names of folders by /'),
    absent('sets', 'a folder; expected a file', 'name each of its files'),
    absent('sets/email.yaml', /^no such file in the folder \/.*\/sets$/, undefined),
    absent('set/phone-rules.yaml', /^no such file: there is no folder \/.*\/set$/, undefined),
  ]);
});
