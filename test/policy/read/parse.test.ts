/** The files of a policy: what they must have, what they must not have, and how that is reported. */

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiagnosticsError } from '../../../src/diagnostics.ts';
import type { NamedList } from '../../../src/policy/arguments.ts';
import { readPolicy } from '../../../src/policy/load.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../../support/policy/problems.ts';

const RULE = (id: string, more = '') => `  - { id: ${id}, when: { phone.valid: false }, then: review${more} }\n`;
const RULES = `rules:\n${RULE('one')}`;
const FACT = (definition: string) => `${HEAD}facts:\n  context.a: ${definition}\n`;
const ENTRY = (entry: string) => `${HEAD}lists:\n  a: [b, ${entry}]\n`;
const GUARANTEE = (keys: string, when = '{ phone.valid: false }') =>
  `${HEAD}guarantees:\n  - { ${keys}, when: ${when} }\n`;
const ONE = (more: string) => `${HEAD}rules:\n  - { id: one, when: { phone.valid: false }, ${more} }\n`;

/** What is wrong, its code, the text with a mark at the place, and the hint, where one has to be given. */
type Row = [what: string, code: string, text: string, hint?: RegExp];

const ERRORS: readonly Row[] = [
  // YAML
  ['a text that is not YAML', 'yaml-syntax', `${HEAD}description: ‹a: b\n`],
  ['a list that does not end', 'yaml-syntax', ruleWhen('{ all: [ { phone.valid: true } ‹}')],
  [
    'a line that is indented wrongly',
    'yaml-syntax',
    `${HEAD}rules:\n  - id: one\n   ‹then: review\n    when: { phone.valid: true }\n`,
  ],
  [
    'a tab as indentation',
    'yaml-syntax',
    `${HEAD}rules:\n‹\t- { id: one, when: { phone.valid: true }, then: review }\n`,
  ],
  ['a duplicate key', 'duplicate-key', `${HEAD}‹default: review\n`],
  ['a duplicate key in another spelling', 'duplicate-key', `${HEAD}‹"default": review\n`],
  ['an anchor', 'yaml-feature', `${HEAD}description: ‹&text a\n`, /under `conditions`/],
  ['an alias', 'yaml-feature', `${HEAD}description: ‹*text\n`],
  ['a merge key', 'yaml-feature', `${HEAD}rules:\n  - { id: one, ‹<<: { then: review }, when: a }\n`],
  ['a tag', 'yaml-feature', `${HEAD}description: ‹!!str a\n`],
  ['a tag of no meaning', 'yaml-feature', `${HEAD}description: ‹!secret a\n`],
  ['a second document', 'yaml-feature', `${HEAD}‹---\n${HEAD}`],
  ['a directive', 'yaml-feature', `‹%YAML 1.1\n---\n${HEAD}`],
  ['an infinite number', 'wrong-type', ruleWhen('{ phone.score: { above: ‹.inf } }')],
  ['a number that is none', 'wrong-type', ruleWhen('{ phone.score: { above: ‹.nan } }')],
  ['a file that is a list', 'wrong-type', '‹- policy\n'],
  ['an empty file', 'empty', '‹'],
  ['a file of comments', 'empty', '‹# policy: none\n'],

  // keys of a policy
  ['an unknown key', 'unknown-key', `${HEAD}‹rulse: []\n`, /^did you mean "rules"\?$/],
  ['an unknown key that is near to nothing', 'unknown-key', `${HEAD}‹owner: risk\n`],
  ['a misspelt key after a comma', 'unknown-key', ONE('then: review, ‹mesage: Hello'), /^did you mean "message"\?$/],
  ['no policy', 'missing-key', '‹version: "1"\ndefault: accept\n'],
  ['no version', 'missing-key', '‹policy: test\ndefault: accept\n'],
  ['no default', 'missing-key', '‹policy: test\nversion: "1"\n'],
  ['a misspelt key that has to be there', 'unknown-key', 'policy: a\nversion: "1"\n‹defualt: accept\n', /"default"/],
  ['a key without a value that has to be there', 'null-value', 'policy: a\nversion: "1"\n‹default:\n'],
  ['a null', 'null-value', `${HEAD}‹description: ~\n`],
  ['a name that is malformed', 'malformed', 'policy: ‹my policy\nversion: "1"\ndefault: accept\n'],
  [
    'a version that is a number',
    'wrong-type',
    'policy: a\nversion: ‹2026.10\ndefault: accept\n',
    /in quotes: "2026.10"/,
  ],
  ['a blank version', 'empty', 'policy: a\nversion: ‹" "\ndefault: accept\n'],
  ['a default that is no outcome', 'wrong-value', 'policy: a\nversion: "1"\ndefault: ‹acept\n', /"accept"/],
  ['an outcome in other letters', 'wrong-value', 'policy: a\nversion: "1"\ndefault: ‹Accept\n', /"accept"/],
  ['a whenUnknown that is an outcome', 'wrong-value', `${HEAD}whenUnknown: ‹reject\n`],
  ['rules that are no list', 'wrong-type', `${HEAD}rules: ‹none\n`],
  ['conditions that are no map', 'wrong-type', `${HEAD}conditions: ‹[a]\n`],
  ['an empty map of conditions', 'empty', `${HEAD}conditions: ‹{}\n`],
  ['an empty map of lists', 'empty', `${HEAD}lists: ‹{}\n`],
  ['an empty map of facts', 'empty', `${HEAD}facts: ‹{}\n`],
  ['an empty score', 'empty', `${HEAD}score: ‹{}\n`],

  // codes of reasons
  [
    'a reason of the score',
    'wrong-value',
    `${HEAD}rules:\n  - { id: a, when: { phone.valid: false }, then: review, reason: ‹SCORE }\n`,
    /PHONE_SCORE/,
  ],
  [
    'a reason of the default',
    'wrong-value',
    `${HEAD}rules:\n  - { id: a, when: { phone.valid: false }, then: review, reason: ‹DEFAULT }\n`,
  ],
  [
    'an id that makes the reason of a score',
    'wrong-value',
    `${HEAD}rules:\n  - { id: ‹score-undetermined, when: { phone.valid: false }, then: review }\n`,
    /another id, or a `reason`/,
  ],
  [
    'an id that makes the reason of the default',
    'wrong-value',
    `${HEAD}rules:\n  - { id: ‹default, when: { phone.valid: false }, then: review }\n`,
  ],
  [
    'a row with the reason of the score',
    'wrong-value',
    `${HEAD}tables:\n  - { id: t, columns: [phone.valid, then, reason], rows: [[false, review, ‹SCORE]] }\n`,
  ],

  // facts of one's own
  ['a fact of the catalog declared again', 'duplicate-name', `${HEAD}facts:\n  ‹phone.score: { type: number }\n`],
  ['a fact outside context and identity', 'malformed', `${HEAD}facts:\n  ‹phone.mood: { type: number }\n`, /context\./],
  ['a path in capitals', 'malformed', `${HEAD}facts:\n  ‹context.Limit: { type: number }\n`],
  ['a fact without a type', 'missing-key', FACT('{ ‹unit: EUR }')],
  ['a type that there is not', 'wrong-value', FACT('{ type: ‹nubmer }'), /^did you mean "number"\?$/],
  ['an enum without values', 'missing-key', FACT('{ ‹type: enum }')],
  ['an enum of no values', 'empty', FACT('{ type: enum, values: ‹[] }')],
  ['a value of an enum that stands twice', 'duplicate-name', FACT('{ type: enum, values: [a, ‹a] }')],
  ['a value of an enum that is no text', 'wrong-type', FACT('{ type: enum, values: [a, ‹1] }'), /in quotes: "1"/],
  ['values of a number', 'unknown-key', FACT('{ type: number, ‹values: [a] }')],
  ['a `min` of a text', 'unknown-key', FACT('{ type: string, ‹min: 0 }')],
  ['half a `max` of an integer', 'wrong-type', FACT('{ type: integer, max: ‹0.5 }')],
  ['a past number', 'unknown-key', FACT('{ type: number, ‹past: true }')],
  ['a personal that is a text', 'wrong-type', FACT('{ type: date, personal: ‹"yes" }')],
  ['a past that is a text', 'wrong-type', FACT('{ type: date, past: ‹"yes" }')],
  ['an unknown key of a fact', 'unknown-key', FACT('{ type: number, ‹units: EUR }'), /"unit"/],

  // lists
  ['a list with neither file nor entries', 'missing-key', `${HEAD}lists:\n  ‹a: { description: text }\n`],
  ['a list with both', 'missing-key', `${HEAD}lists:\n  ‹a: { entries: [x], file: a.txt }\n`],
  ['a list that is a text', 'wrong-type', `${HEAD}lists:\n  a: ‹a.txt\n`],
  ['an unknown key of a list', 'unknown-key', `${HEAD}lists:\n  a: { ‹fiel: a.txt }\n`, /"file"/],
  ['a phone number without quotes', 'wrong-type', `${HEAD}lists:\n  a: [‹+447400123456]\n`, /"\+447400123456"/],
  ['a null in a list', 'null-value', `${HEAD}lists:\n  a: [‹~]\n`],
  ['an entry that folds to nothing', 'empty', `${HEAD}lists:\n  a: [‹"\\uFEFF \\u0085"]\n`],
  ['a list name that is malformed', 'malformed', `${HEAD}lists:\n  ‹a b: [x]\n`],
  ['a list file that is not there', 'file-unreadable', `${HEAD}lists:\n  a: { file: ‹a.txt }\n`],
  ['a list file that is a folder', 'file-unreadable', `${HEAD}lists:\n  a: { file: ‹. }\n`],

  // rules
  ['a rule that is a text', 'wrong-type', `${HEAD}rules: [‹one]\n`],
  ['a rule that is null', 'null-value', `${HEAD}rules: [‹~]\n`],
  ['an empty rule', 'empty', `${HEAD}rules: [‹{}]\n`],
  ['a rule without an id', 'missing-key', `${HEAD}rules:\n  - { ‹when: { phone.valid: true }, then: review }\n`],
  ['a rule without a condition', 'missing-key', `${HEAD}rules:\n  - { ‹id: one, then: review }\n`],
  ['an id that is malformed', 'malformed', `${HEAD}rules:\n${RULE('‹Port_1')}`],
  ['an id that is a number', 'wrong-type', `${HEAD}rules:\n${RULE('‹12')}`, /"12"/],
  ['a duplicate id', 'duplicate-name', `${HEAD}rules:\n${RULE('one')}${RULE('‹one')}`],
  ['an unknown key of a rule', 'unknown-key', ONE('then: review, ‹mesage: a'), /"message"/],
  ['a misspelt then', 'unknown-key', ONE('‹thne: review'), /"then"/],
  ['a then without a value', 'null-value', ONE('‹then: , final: true')],
  ['a then that is no outcome', 'wrong-value', ONE('then: ‹decline')],
  ['a then that is a boolean', 'wrong-type', ONE('then: ‹true')],
  ['a code that is malformed', 'malformed', ONE('then: review, reason: ‹Ported')],
  ['neither then nor points', 'no-effect', `${HEAD}rules:\n  - { id: ‹one, when: { phone.valid: true } }\n`],
  ['final without then', 'no-effect', ONE('points: 1, ‹final: true')],
  ['a final that is a text', 'wrong-type', ONE('then: review, final: ‹"true"')],
  ['points that are no integer', 'wrong-type', ONE('points: ‹2.5')],
  ['points in quotes', 'wrong-type', ONE('points: ‹"10"'), /remove the quotes/],
  ['points beyond the safe integers', 'wrong-type', ONE('points: ‹9007199254740993')],
  ['more points than sums hold exactly', 'wrong-value', ONE('points: ‹1000000001')],
  ['negative points with review', 'points-sign', ONE('then: review, points: ‹-1')],
  ['negative points with reject', 'points-sign', ONE('then: reject, points: ‹-1')],
  ['an unknown whenUnknown', 'wrong-value', ONE('then: review, whenUnknown: ‹ignored'), /"ignore"/],
  ['tags that are a text', 'wrong-type', ONE('then: review, tags: ‹sim-swap')],
  ['a tag that is a number', 'wrong-type', ONE('then: review, tags: [‹1]')],
  ['an empty description', 'empty', ONE('then: review, description: ‹""')],

  // the score
  ['a review band on the reject band', 'score-bands', `${HEAD}score: ‹{ review: 80, reject: 80 }\n`],
  ['a review band above the reject band', 'score-bands', `${HEAD}score: ‹{ review: 90, reject: 80 }\n`],
  ['a band that is no integer', 'wrong-type', `${HEAD}score: { review: ‹40.5 }\n`],
  ['a band that there is not', 'unknown-key', `${HEAD}score: { ‹accept: 1 }\n`],

  // rule sets
  ['a rule set that is not there', 'file-unreadable', `${HEAD}ruleSets: [‹none.yaml]\n`],
  ['a path that leaves the folder', 'file-outside', `${HEAD}ruleSets: [‹../a.yaml]\n`],
  ['a path that leaves the folder on a way around', 'file-outside', `${HEAD}ruleSets: [‹a/../../b.yaml]\n`],
  ['an absolute path', 'file-outside', `${HEAD}lists:\n  a: { file: ‹/etc/hostname }\n`],
  ['a path that is a number', 'wrong-type', `${HEAD}ruleSets: [‹1]\n`],
  ['rule sets that are a text', 'wrong-type', `${HEAD}ruleSets: ‹a.yaml\n`],
  ['a policy that includes itself', 'file-cycle', `${HEAD}ruleSets: [‹policy.yaml]\n`],

  // what holds for a whole rule
  ['a mode that there is not', 'wrong-value', ONE('then: review, mode: ‹live')],
  ['a mode with a typo in it', 'wrong-value', ONE('then: review, mode: ‹shadw'), /^did you mean "shadow"\?$/],
  ['a mode that is a boolean', 'wrong-type', ONE('then: review, mode: ‹true')],
  ['a day that the calendar lacks', 'malformed', ONE('then: review, from: ‹2026-02-29')],
  ['a day in another notation', 'malformed', ONE('then: review, until: ‹31.12.2026')],
  ['a day without its zeros', 'malformed', ONE('then: review, until: ‹2026-1-5')],
  ['a day with a time', 'malformed', ONE('then: review, until: ‹2026-12-31T00:00:00Z')],
  ['never as a day', 'malformed', ONE('then: review, until: ‹never')],
  ['a year for a day', 'wrong-type', ONE('then: review, from: ‹2026')],
  ['a from after until', 'wrong-value', ONE('then: review, from: 2026-12-31, until: ‹2026-12-30')],
  ['a from after until, in this order', 'wrong-value', ONE('then: review, until: ‹2026-12-30, from: 2026-12-31')],
  ['a from without a value', 'null-value', ONE('then: review, ‹from: , until: 2026-12-30')],
  ['a notice that is a number', 'wrong-type', ONE('then: review, notice: ‹5'), /in quotes: "5"/],
  ['a blank notice', 'empty', ONE('then: review, notice: ‹" "')],
  ['a notice without a language', 'empty', ONE('then: review, notice: ‹{}')],
  ['a notice in a language without a text', 'wrong-type', ONE('then: review, notice: { en: ‹5 }'), /in quotes: "5"/],
  ['a notice in a language without a value', 'null-value', ONE('then: review, notice: { en: ‹~ }')],
  ['a locale of POSIX', 'malformed', ONE('then: review, notice: { ‹de_AT: a }'), /^did you mean "de-AT"\?$/],
  [
    'a locale with a charset',
    'malformed',
    ONE('then: review, notice: { ‹pt_br.UTF-8: a }'),
    /^did you mean "pt-BR"\?$/,
  ],
  ['the name of a language', 'malformed', ONE('then: review, notice: { ‹German: a }'), /^did you mean "de"\?$/],
  ['a word for a language', 'malformed', ONE('then: review, notice: { ‹default: a }'), /^for example en, /],
  ['one language twice', 'duplicate-name', ONE('then: review, notice: { de-AT: a, ‹de-at: b }')],
  ['a notice of the score that is a number', 'wrong-type', `${HEAD}score: { review: 1, notice: ‹5 }\n`],
  ['a notice of the score in no language', 'malformed', `${HEAD}score: { review: 1, notice: { ‹de_AT: a } }\n`],
  ['one notice beside two bands', 'wrong-value', `${HEAD}score: { review: 1, reject: 2, notice: ‹a }\n`],
  ['two notices of one band', 'wrong-value', `${HEAD}score: { review: { atLeast: 1, notice: a }, notice: ‹b }\n`],
  ['a band with a notice alone', 'missing-key', `${HEAD}score: { review: { ‹notice: a } }\n`],
  ['a score with a notice alone', 'missing-key', `${HEAD}score: ‹{ notice: a }\n`],
  ['a notice of the default that is a list', 'wrong-type', `${HEAD}defaultNotice: ‹[a]\n`],
  ['owners that are a list', 'wrong-type', ONE('then: review, owner: ‹[risk]')],

  // entries that end
  ['an entry without a value', 'missing-key', ENTRY('{ ‹until: 2026-12-31 }')],
  ['an entry whose value is null', 'null-value', ENTRY('{ ‹value: ~ }')],
  ['an entry whose value folds to nothing', 'empty', ENTRY('{ value: ‹"\\uFEFF " }')],
  ['a number of an entry without quotes', 'wrong-type', ENTRY('{ value: ‹447400123456 }'), /"447400123456"/],
  ['an entry of nothing', 'empty', ENTRY('‹{}')],
  ['an entry that is a list', 'wrong-type', ENTRY('‹[b]')],
  ['an entry until a day that there is not', 'malformed', ENTRY('{ value: b, until: ‹2026-13-01 }')],
  ['an entry until never', 'malformed', ENTRY('{ value: b, until: ‹never }')],
  ['a note that is a number', 'wrong-type', ENTRY('{ value: b, note: ‹5 }')],
  ['an unknown key of an entry', 'unknown-key', ENTRY('{ value: b, ‹untill: 2026-12-31 }'), /"until"/],
  ['an entry with from', 'unknown-key', ENTRY('{ value: b, ‹from: 2026-12-31 }')],

  // stages
  ['stages that are a text', 'wrong-type', `${HEAD}stages: ‹phoneNo\n`],
  ['stages that are none', 'empty', `${HEAD}stages: ‹[]\n`],
  ['a stage that is a text', 'wrong-type', `${HEAD}stages: ‹[phoneNo]\n`],
  ['an empty stage', 'empty', `${HEAD}stages: [[phoneNo], ‹[]]\n`],
  ['a stage that is null', 'null-value', `${HEAD}stages: [[phoneNo], ‹~]\n`],
  ['a stage without phoneNo', 'wrong-value', `${HEAD}stages:\n  - [phoneNo]\n  - ‹[email, ip]\n`],
  ['an unknown variable', 'wrong-value', `${HEAD}stages: [[phoneNo, ‹mail]]\n`, /^did you mean "email"\?$/],
  ['a phoneNo that is misspelt', 'wrong-value', `${HEAD}stages: [[‹phoneno, email]]\n`, /^did you mean "phoneNo"\?$/],
  ['a variable that is a fact', 'wrong-value', `${HEAD}stages: [[phoneNo, ‹applicant.email]]\n`],
  ['a variable that is null', 'null-value', `${HEAD}stages: [[phoneNo, ‹~]]\n`],
  ['a variable that stands twice', 'duplicate-name', `${HEAD}stages: [[phoneNo, ip, ‹ip]]\n`],

  // timeZone
  [
    'an unknown time zone',
    'wrong-value',
    `${HEAD}timeZone: ‹America/NewYork\n`,
    /^did you mean "America\/New_York"\?$/,
  ],
  ['a time zone in another case', 'wrong-value', `${HEAD}timeZone: ‹america/new_york\n`, /^write America\/New_York$/],
  ['a time zone by its city', 'wrong-value', `${HEAD}timeZone: ‹Los Angeles\n`, /^write America\/Los_Angeles$/],
  ['an offset in place of a time zone', 'wrong-value', `${HEAD}timeZone: ‹"+05:00"\n`],
  ['a time zone that is no text', 'wrong-type', `${HEAD}timeZone: ‹5\n`],

  // guarantees
  ['guarantees that are a map', 'wrong-type', `${HEAD}guarantees: ‹{ never: accept }\n`],
  ['a guarantee without id', 'missing-key', GUARANTEE('‹never: accept')],
  ['a guarantee without when', 'missing-key', `${HEAD}guarantees: [{ ‹id: a, never: accept }]\n`],
  ['a guarantee without a claim', 'missing-key', GUARANTEE('id: ‹a')],
  ['a guarantee of two claims', 'wrong-value', GUARANTEE('id: a, never: accept, ‹always: reject')],
  ['a guarantee of an unknown outcome', 'wrong-value', GUARANTEE('id: a, never: ‹acept'), /^did you mean "accept"\?$/],
  ['a guarantee of at least accept', 'wrong-value', GUARANTEE('id: a, atLeast: ‹accept')],
  ['a misspelt claim', 'unknown-key', GUARANTEE('id: a, ‹nevr: accept'), /^did you mean "never"\?$/],
  ['a claim in another case', 'unknown-key', GUARANTEE('id: a, ‹atleast: review'), /^did you mean "atLeast"\?$/],
  ['an outcome without a claim', 'unknown-key', GUARANTEE('id: a, never: accept, ‹then: review'), /says `never`/],
  ['an id of a guarantee in other letters', 'malformed', GUARANTEE('id: ‹noVoip, never: accept')],
  [
    'two guarantees of one id',
    'duplicate-name',
    `${GUARANTEE('id: a, never: accept')}  - { id: ‹a, never: accept, when: { phone.valid: true } }\n`,
  ],
  ['a guarantee about an unknown fact', 'unknown-fact', GUARANTEE('id: a, never: accept', '{ ‹phone.vald: true }')],
  ['a guarantee about an unknown condition', 'unknown-condition', GUARANTEE('id: a, never: accept', '‹risky')],
];

describe('a policy is refused, once and where it is wrong, for', () => {
  it.each<Row>(ERRORS)('%s', (_what, code, text, hint) => {
    const { codes, places, marks, hints, loads } = problemsOf(text);
    expect({ codes, places }).toEqual({ codes: [code], places: marks });
    if (hint) expect(hints[0]).toMatch(hint);
    expect(loads).toBe(false);
  });
});

describe('a policy loads', () => {
  it('of its three required keys, and decides by its default alone', () => {
    expect(policyOf(HEAD)).toMatchObject({
      name: 'test',
      version: '1',
      default: 'accept',
      description: undefined,
      rules: [],
      ...{
        score: { review: undefined, reject: undefined },
        scoreNotices: { review: undefined, reject: undefined },
        defaultNotice: undefined,
      },
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
  });

  it('with no rules in its list of rules, and no files in its list of rule sets', () => {
    expect(policyOf(`${HEAD}rules: []\nruleSets: []\n`).rules).toEqual([]);
  });

  it('with one band of the score alone, and with bands below nothing', () => {
    expect(policyOf(`${HEAD}score: { reject: 80 }\n`).score).toEqual({ review: undefined, reject: 80 });
    expect(policyOf(`${HEAD}score: { review: 0 }\n`).score).toEqual({ review: 0, reject: undefined });
    expect(policyOf(`${HEAD}score: { review: -5, reject: -4 }\n`).score).toEqual({ review: -5, reject: -4 });
  });

  it('with negative points on rules that accept or ask for nothing', () => {
    const asks = (more: string) => policyOf(ONE(more)).rules.map((rule) => [rule.points, rule.then]);
    expect(asks('points: -5')).toEqual([[-5, undefined]]);
    expect(asks('points: -5, then: accept')).toEqual([[-5, 'accept']]);
  });

  it('with what a rule does not say taken from its id, its policy and nowhere', () => {
    const [plain, told] = policyOf(
      `${HEAD}whenUnknown: ignore\nrules:\n` +
        `${RULE('port-and-email-2')}${RULE('two', ', whenUnknown: review, reason: A_1')}`,
    ).rules;
    expect(plain).toMatchObject({
      reason: 'PORT_AND_EMAIL_2',
      whenUnknown: 'ignore',
      final: false,
      points: undefined,
      message: undefined,
      tags: [],
    });
    expect(told).toMatchObject({ reason: 'A_1', whenUnknown: 'review' });
  });

  it('with the stages of its calls, each as written', () => {
    expect(policyOf(HEAD).stages).toBeUndefined();
    expect(policyOf(`${HEAD}stages:\n  - [phoneNo]\n  - [ip, phoneNo]\n  - [phoneNo, email, ip]\n`).stages).toEqual([
      ['phoneNo'],
      ['ip', 'phoneNo'],
      ['phoneNo', 'email', 'ip'],
    ]);
  });

  it('with no tables in its list of tables', () => {
    expect(policyOf(`${HEAD}tables: []\n`).rules).toEqual([]);
  });

  it('with shadow rules, rules for some days, and notices for the applicant', () => {
    const more = 'then: review, mode: shadow, from: 2026-01-01, until: 2026-01-01, notice: Call us, owner: risk';
    expect(policyOf(ONE(more)).rules).toMatchObject([
      { shadow: true, from: '2026-01-01', until: '2026-01-01', notice: 'Call us', owner: 'risk' },
    ]);
    expect(policyOf(ONE('then: review')).rules).toMatchObject([
      { shadow: false, from: undefined, until: undefined, notice: undefined, owner: undefined },
    ]);
  });

  it('with facts of its own beside the catalog', () => {
    const { facts } = policyOf(
      `${HEAD}facts:\n` +
        '  context.channel: { type: enum, values: [web, app], description: Where they sign up }\n' +
        '  context.credit.limit: { type: number, unit: EUR }\n' +
        '  context.birthday: { type: date, past: true }\n' +
        '  identity.nameScore: { type: number }\n',
    );
    expect(facts.get('context.channel')).toEqual({
      type: 'enum',
      values: ['web', 'app'],
      description: 'Where they sign up',
      origin: 'caller',
    });
    expect(facts.get('context.credit.limit')).toMatchObject({ type: 'number', unit: 'EUR', origin: 'caller' });
    expect(facts.get('context.birthday')).toMatchObject({ type: 'date', past: true });
    expect(facts.get('identity.nameScore')).toMatchObject({ origin: 'service', composite: true });
    expect(facts.get('phone.score')).toMatchObject({ type: 'number', range: [0, 100] });
  });

  it('and throws one error with every problem where it does not', () => {
    const folder = temporaryFolder({ 'policy.yaml': 'policy: a\nversion: 1\ndefault: no\n' });
    const load = () => loadPolicy(join(folder, 'policy.yaml'));
    expect(load).toThrow(DiagnosticsError);
    expect(load).toThrow(/^2 errors:\n[^\n]*policy\.yaml:2:10: error\[wrong-type\]/);
    expect(load).toThrow(expect.objectContaining({ code: 'POLICY_INVALID', diagnostics: expect.any(Array) }));
  });

  it('never from a file that is not there', () => {
    const { policy, diagnostics } = readPolicy(join(temporaryFolder(), 'none.yaml'));
    expect(policy).toBeUndefined();
    expect(diagnostics).toEqual([
      {
        code: 'file-unreadable',
        severity: 'error',
        message: expect.stringMatching(/^no such file in the folder \//),
        file: expect.stringMatching(/none\.yaml$/),
      },
    ]);
  });
});

describe('all mistakes come at once', () => {
  it('ten of them, each once, in the order of the text', () => {
    const { codes, places, marks, hints } = problemsOf(
      [
        'policy: ‹my policy',
        'version: "1"',
        'default: accept',
        '‹desciption: text',
        'lists:',
        '  numbers: [‹447400123456]',
        'conditions:',
        '  risky: { ‹phone.riskLvel: high }',
        'rules:',
        '  - id: one',
        '    when: { phone.riskLevel: { atLeast: ‹hgih } }',
        '    then: review',
        '  - id: ‹one',
        '    when: { all: [risky, ‹rsky] }',
        '    then: review',
        '  - id: two',
        '    when: { email.address.firstSeen: { withinLast: ‹2 months } }',
        '    ‹then:',
        '  - id: three',
        '    when: { phone.score: { above: 10 } }',
        '    then: review',
        '    message: "{{phone.scor}} ‹{phone.scor}"',
        '',
      ].join('\n'),
    );
    expect(places).toEqual(marks);
    expect(codes).toEqual([
      'malformed',
      'unknown-key',
      'wrong-type',
      'unknown-fact',
      'wrong-value',
      'duplicate-name',
      'unknown-condition',
      'malformed',
      'null-value',
      'unknown-fact',
    ]);
    expect(hints).toEqual([
      'write my-policy',
      'did you mean "description"?',
      'put it in quotes: "447400123456"',
      'did you mean "phone.riskLevel"?',
      'did you mean "high"?',
      undefined,
      'did you mean "risky"?',
      'months have no fixed length: write days or weeks',
      undefined,
      'did you mean "phone.score"?',
    ]);
  });

  it('those behind mistakes of YAML too, as far as it is clear what was meant', () => {
    const { codes, places, marks } = problemsOf(
      `${HEAD}description: ‹a: b\nrules:\n  - { id: a, when: { ‹phone.typ: voip }, then: review }\n` +
        '  - { id: b, when: { phone.type: voip }, then: ‹revieww }\n  ‹– id: c\n' +
        '    when: { phone.valid: false }\n    ‹then:review\n',
    );
    expect({ codes, places }).toEqual({
      codes: ['yaml-syntax', 'unknown-fact', 'wrong-value', 'yaml-syntax', 'yaml-syntax'],
      places: marks,
    });
  });

  it('but not what a mistake of YAML makes of the lines below it', () => {
    const torn = problemsOf(
      `${HEAD}rules:\n  - id: one\n    when: { phone.  - { id: a }\nscore: { review: 1 } }\n    then: a\n`,
    );
    expect(torn.codes).toEqual(['yaml-syntax']);
    expect(torn.diagnostics[0]?.message).toMatch(/; the rest of the file was not checked$/);
  });

  it('but not what a guess makes of its line', () => {
    const { codes, places, marks } = problemsOf(
      `${HEAD}rules:\n  - { id: a, when: { phone.type: voip }, thn: review, message: ‹Risk: high }\n` +
        '  - { id: b, when: { phone.type: voip }, then: ‹revieww }\n',
    );
    expect({ codes, places }).toEqual({ codes: ['yaml-syntax', 'wrong-value'], places: marks });
  });

  it('those beside a duplicate key too', () => {
    const { codes, places, marks } = problemsOf(`${HEAD}‹default: review\n‹colour: red\n`);
    expect({ codes, places }).toEqual({ codes: ['duplicate-key', 'unknown-key'], places: marks });
  });

  it('those of every file, each under its own name, the policy first', () => {
    const { codes, places, marks } = problemsOf(`${HEAD}ruleSets: [sets/a.yaml, b.yaml]\n‹colour: red\n`, {
      'sets/a.yaml': `rules:\n${RULE('‹One')}\nruleSets: [c.yaml]\n`,
      'sets/c.yaml': 'rules:\n  - { id: two, when: { ‹phone.scor: 1 }, then: review }\n',
      'b.yaml': 'rules: [\n‹ ',
    });
    expect(codes).toEqual(['unknown-key', 'malformed', 'unknown-fact', 'yaml-syntax']);
    expect(places.slice(0, 3)).toEqual(marks.slice(0, 3));
    expect(places[3]).toMatch(/^b\.yaml:/);
  });

  it.each<[string, string, Record<string, string>?]>([
    [
      'a fact',
      `${HEAD}facts:\n  context.a: { type: ‹text }\nrules:\n  - { id: a, when: { context.a: b }, then: review }\n`,
    ],
    [
      'facts, misspelt',
      `${HEAD}‹fatcs:\n  context.a: { type: number }\nrules:\n  - { id: a, when: { context.a: 1 }, points: 1 }\n`,
    ],
    [
      'a fact that a message names',
      `${HEAD}facts:\n  context.a: { type: ‹text }\nrules:\n` +
        '  - { id: a, when: { phone.valid: true }, points: 1, message: "{context.a}" }\n',
    ],
    [
      'a condition',
      `${HEAD}conditions:\n  ‹1st: { phone.valid: true }\nrules:\n  - { id: a, when: 1st, then: review }\n`,
    ],
    [
      'a condition with an error in it',
      `${HEAD}conditions:\n  a: { phone.valid: ‹1 }\nrules:\n  - { id: a, when: a, then: review }\n`,
    ],
    ['conditions', `${HEAD}conditions: ‹[]\nrules:\n  - { id: a, when: b, then: review }\n`],
    ['a list', `${HEAD}lists:\n  ‹1st: [a]\nrules:\n  - { id: a, when: { ip.isp: { inList: 1st } }, then: review }\n`],
    [
      'lists, without a value',
      `${HEAD}‹lists:\nrules:\n  - { id: a, when: { ip.isp: { inList: b } }, then: review }\n`,
    ],
    [
      'a rule set',
      `${HEAD}ruleSets: [a.yaml]\nrules:\n  - { id: a, when: { all: [b, { ip.isp: { inList: c } }] }, then: review }\n`,
      { 'a.yaml': 'conditions: ‹}\n' },
    ],
  ])('but the uses of %s that could not be read are no further mistakes', (_what, text, files = {}) => {
    const { places, marks } = problemsOf(text, files);
    expect(places).toEqual(marks);
  });

  it('but an undeclared fact is unknown even if a file could not be read', () => {
    const { codes } = problemsOf(`${HEAD}facts: []\nrules:\n  - { id: a, when: { phone.mood: 1 }, then: review }\n`);
    expect(codes).toEqual(['wrong-type', 'unknown-fact']);
  });
});

describe('rule sets', () => {
  it('add their rules after those of the file that names them, in its order', () => {
    const { rules } = policyOf(`${HEAD}ruleSets: [a/one.yaml, two.yaml]\n${RULES}`, {
      'a/one.yaml': `ruleSets: [deep/three.yaml, ../four.yaml]\nrules:\n${RULE('a')}`,
      'a/deep/three.yaml': `rules:\n${RULE('b')}`,
      'four.yaml': `rules:\n${RULE('c')}`,
      'two.yaml': `rules:\n${RULE('d')}${RULE('e')}`,
    });
    expect(rules.map(({ id }) => id)).toEqual(['one', 'a', 'b', 'c', 'd', 'e']);
  });

  it('named twice are read once, by any path', () => {
    const { rules } = policyOf(`${HEAD}ruleSets: [a.yaml, ./sets/../a.yaml, sets/b.yaml]\n`, {
      'a.yaml': `rules:\n${RULE('a')}`,
      'sets/b.yaml': `ruleSets: [../a.yaml]\nrules:\n${RULE('b')}`,
    });
    expect(rules.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('see the conditions, lists and facts of all files, whichever names them first', () => {
    const policy = policyOf(
      `${HEAD}facts:\n  context.a: { type: string }\nconditions:\n  here: there\nruleSets: [a.yaml, b.yaml]\n`,
      {
        'a.yaml': 'rules:\n  - { id: a, when: { all: [here, { context.a: { inList: names } }] }, then: review }\n',
        'b.yaml': 'conditions:\n  there: { phone.valid: false }\nlists:\n  names: [b]\n',
      },
    );
    expect(policy.rules).toHaveLength(1);
  });

  it.each([
    ['policy: test', 'policy'],
    ['default: accept', 'default'],
    ['facts: { context.a: { type: number } }', 'facts'],
    ['score: { review: 1 }', 'score'],
    ['whenUnknown: ignore', 'whenUnknown'],
    ['stages: [[phoneNo]]', 'stages'],
    ['guarantees: [{ id: a, never: accept, when: { phone.valid: false } }]', 'guarantees'],
  ])('have no key like %s', (line) => {
    const { codes, places, marks } = problemsOf(`${HEAD}ruleSets: [a.yaml]\n`, { 'a.yaml': `rules: []\n‹${line}\n` });
    expect({ codes, places }).toEqual({ codes: ['unknown-key'], places: marks });
  });

  it('take no id, condition or list that another file has', () => {
    const { codes, places, marks } = problemsOf(
      `${HEAD}conditions:\n  c: { phone.valid: true }\nlists:\n  l: [x]\n${RULES}ruleSets: [a.yaml]\n`,
      { 'a.yaml': `conditions:\n  ‹c: { phone.valid: true }\nlists:\n  ‹l: [x]\nrules:\n${RULE('‹one')}` },
    );
    expect({ codes, places }).toEqual({ codes: Array(3).fill('duplicate-name'), places: marks });
  });

  it('that include each other are an error at the path that closes the circle', () => {
    const { codes, places, marks } = problemsOf(`${HEAD}ruleSets: [a.yaml]\n`, {
      'a.yaml': 'ruleSets: [b.yaml]\n',
      'b.yaml': 'ruleSets: [‹a.yaml]\n',
    });
    expect({ codes, places }).toEqual({ codes: ['file-cycle'], places: marks });
  });
});

describe('paths', () => {
  it('are relative, even to a file in the folder', () => {
    const folder = temporaryFolder({ 'names.txt': 'a\n' });
    writeFileSync(join(folder, 'policy.yaml'), `${HEAD}lists:\n  a: { file: ${join(folder, 'names.txt')} }\n`);
    const { diagnostics } = readPolicy(join(folder, 'policy.yaml'));
    expect(diagnostics.map(({ code }) => code)).toEqual(['file-outside']);
  });

  it('of a rule set may go up, as long as they stay in the folder of the policy', () => {
    const set = {
      'a/b/set.yaml': 'lists:\n  names: { file: ../../names.txt }\n  others: { file: ‹../../../names.txt }\n',
    };
    const { codes, places, marks } = problemsOf(`${HEAD}ruleSets: [a/b/set.yaml]\n`, { ...set, 'names.txt': 'a\n' });
    expect({ codes, places }).toEqual({ codes: ['file-outside'], places: marks });
  });
});

describe('links', () => {
  const linked = (link: string, to: string, policy: string) => {
    const folder = temporaryFolder({
      'outside.txt': 'x\n',
      'inside/policy.yaml': policy,
      'inside/real.yaml': `rules:\n${RULE('a')}`,
    });
    symlinkSync(to, join(folder, 'inside', link));
    return readPolicy(join(folder, 'inside', 'policy.yaml'));
  };

  it('out of the folder are refused', () => {
    const { diagnostics } = linked('list.txt', '../outside.txt', `${HEAD}lists:\n  a: { file: list.txt }\n`);
    expect(diagnostics.map(({ code }) => code)).toEqual(['file-outside']);
  });

  it('to a folder outside are refused', () => {
    const { diagnostics } = linked('up', '..', `${HEAD}lists:\n  a: { file: up/outside.txt }\n`);
    expect(diagnostics.map(({ code }) => code)).toEqual(['file-outside']);
  });

  it('to a folder outside are refused for a file that is not there too, whose folder would be listed', () => {
    const { diagnostics } = linked('up', '..', `${HEAD}lists:\n  a: { file: up/outsid.txt }\n`);
    expect(diagnostics.map(({ code }) => code)).toEqual(['file-outside']);
  });

  it('within the folder are followed, and the file read once', () => {
    const { policy } = linked('link.yaml', 'real.yaml', `${HEAD}ruleSets: [link.yaml, real.yaml]\n`);
    expect(policy?.rules.map(({ id }) => id)).toEqual(['a']);
  });

  it('to the folder itself hide no cycle', () => {
    const folder = temporaryFolder({
      'policy.yaml': `${HEAD}ruleSets: [here/a.yaml]\n`,
      'a.yaml': 'ruleSets: [here/a.yaml]\n',
    });
    symlinkSync('.', join(folder, 'here'));
    const { diagnostics } = readPolicy(join(folder, 'policy.yaml'));
    expect(diagnostics.map(({ code }) => code)).toEqual(['file-cycle']);
  });

  it('may lead to the policy: its folder is where it was named', () => {
    const folder = temporaryFolder({
      'data/policy.yaml': `${HEAD}ruleSets: [a.yaml]\n`,
      'data/a.yaml': `rules:\n${RULE('a')}`,
    });
    mkdirSync(join(folder, 'mount'));
    for (const name of ['policy.yaml', 'a.yaml']) writeFileSync(join(folder, 'mount', name), '');
    symlinkSync(join(realpathSync(folder), 'data'), join(folder, 'current'));
    expect(readPolicy(join(folder, 'current', 'policy.yaml')).policy?.rules.map(({ id }) => id)).toEqual(['a']);
  });
});

/** Whether the marks are where a list is said to be empty, beside whatever else may be said of it. */
function emptyLists(text: string, files: Readonly<Record<string, string>> = {}) {
  const { codes, places, marks, loads } = problemsOf(text, files);
  const empty = places.filter((_, i) => codes[i] === 'warning empty-list');
  return { loads, areMarked: JSON.stringify(empty) === JSON.stringify(marks) };
}

describe('list files', () => {
  const listOf = (text: string) => {
    const policy = policyOf(ruleWhen('{ ip.isp: { inList: names } }', 'lists:\n  names: { file: names.txt }\n'), {
      'names.txt': text,
    });
    const when = policy.rules[0]?.when;
    return when?.kind === 'test' ? [...(when.argument as NamedList).entries.keys()] : [];
  };

  it('have an entry a line, folded; comments, blank lines and line ends of any kind count for nothing', () => {
    expect(listOf('# from a feed\n\nAcme Telecom\r\n  BETA  # since May\n\t\n#gamma\ndelta')).toEqual([
      'acme telecom',
      'beta',
      'delta',
    ]);
    expect(listOf('\uFEFFacme\n')).toEqual(['acme']);
  });

  it('have entries of any text: quotes and brackets are not YAML there', () => {
    expect(listOf('"a"\n[b]\n- c\n447400123456\n')).toEqual(['"a"', '[b]', '- c', '447400123456']);
  });

  it.each([
    ['a file with nothing in it', ''],
    ['a file of comments', '# nothing yet\n\n'],
  ])('without entries are a warning, and the policy loads: %s', (_what, text) => {
    const policy = `${HEAD}lists:\n  ‹names: { file: names.txt }\n`;
    expect(emptyLists(policy, { 'names.txt': text })).toEqual({ loads: true, areMarked: true });
  });

  it('are found beside the file that names them', () => {
    const { policy } = {
      policy: policyOf(`${HEAD}ruleSets: [sets/a.yaml]\n`, {
        'sets/a.yaml':
          'lists:\n  names: { file: lists/names.txt }\nrules:\n' +
          '  - { id: a, when: { ip.isp: { inList: names } }, then: review }\n',
        'sets/lists/names.txt': 'acme\n',
      }),
    };
    expect(policy.rules).toHaveLength(1);
  });

  it('that are not UTF-8 are refused where they are named', () => {
    const folder = temporaryFolder({ 'policy.yaml': `${HEAD}lists:\n  names: { file: names.txt }\n` });
    writeFileSync(join(folder, 'names.txt'), Buffer.from([0x61, 0xff, 0x0a]));
    const [problem, ...others] = readPolicy(join(folder, 'policy.yaml')).diagnostics;
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code: 'file-unreadable', position: { line: 5, column: 18 } });
    expect(problem?.message).toContain('UTF-8');
  });

  it('in the policy file without entries are a warning too', () => {
    const policy = `${HEAD}lists:\n  ‹a: []\n  ‹b: { entries: [] }\n`;
    expect(emptyLists(policy)).toEqual({ loads: true, areMarked: true });
  });
});
