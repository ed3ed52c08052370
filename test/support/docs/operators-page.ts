/** The table of operators -> the text of docs/operators.md, with an example of each. */

import { FACT_TYPES, type FactType } from '../../../src/facts/catalog.ts';
import type { FactValue } from '../../../src/facts/fact.ts';
import type { ArgumentKind } from '../../../src/policy/arguments.ts';
import { OPERATOR_NAMES, type OperatorName, operatorRow } from '../../../src/policy/operators.ts';
import { markdownTable } from './facts-page.ts';

/** A test with a value that makes it true and one that makes it false. */
export interface OperatorExample {
  readonly fact: string;
  /** The argument as YAML. */
  readonly argument: string;
  readonly holds: FactValue;
  /** Undefined if a missing fact makes the test false. */
  readonly fails: FactValue | undefined;
}

const example = (fact: string, argument: string, holds: FactValue, fails: FactValue | undefined): OperatorExample => ({
  fact,
  argument,
  holds,
  fails,
});

/** The day of the examples. */
export const EXAMPLE_DAY = '2026-11-20';

/** The lists that the examples name, as YAML. */
export const EXAMPLE_LISTS = 'lists:\n  blockedDomains: [spam.example]\n  ownCountries: [gb, ie]\n';

/** An example of each operator. */
export const OPERATOR_EXAMPLES: { readonly [Name in OperatorName]: OperatorExample } = {
  is: example('email.domain.type', 'disposable', 'disposable', 'free'),
  isNot: example('phone.status', 'active', 'inactive', 'active'),
  in: example('phone.type', '[voip, pager]', 'voip', 'mobile'),
  notIn: example('phone.country', '[gb, ie]', 'FR', 'GB'),
  known: example('phone.porting.portedDate', 'true', '2026-11-13', undefined),
  above: example('phone.score', '50', 50.5, 50),
  atLeast: example('email.address.riskLevel', 'high', 'high', 'medium'),
  below: example('phone.score', '50', 49, 50),
  atMost: example('email.darkWeb.hitCount', '2', 2, 3),
  between: example('phone.score', '[40, 60]', 60, 61),
  startsWith: example('phone.operator.current', 'north', 'Northlink Cellular', 'Solent Wireless'),
  endsWith: example('applicant.emailDomain', '.example', 'juniper-lane.example', 'juniper-lane.test'),
  contains: example('ip.isp', 'hosting', 'Acme Hosting Ltd', 'Acme Broadband'),
  matches: example('applicant.emailDomain', "'^mail[0-9]+[.]'", 'mail27.example', 'mail.example'),
  inList: example('phone.country', 'ownCountries', 'GB', 'FR'),
  notInList: example('phone.country', 'ownCountries', 'FR', 'GB'),
  inDomainList: example('applicant.emailDomain', 'blockedDomains', 'mx.spam.example', 'nospam.example'),
  withinLast: example('phone.porting.portedDate', '7 days', '2026-11-13', '2026-11-12'),
  olderThan: example('email.address.firstSeen', '2 weeks', '2026-11-05', '2026-11-06'),
  before: example('email.domain.firstSeen', '2026-01-01', '2025-12-31', '2026-01-01'),
  after: example('email.darkWeb.lastHit', '2026-01-01', '2026-01-02', 'never'),
  never: example('phone.porting.portedDate', 'true', 'never', '2026-11-13'),
  yearsSince: example('email.domain.firstSeen', '{ atLeast: 18 }', '2008-11-20', '2008-11-21'),
};

/** A description of each kind of argument. */
const ARGUMENTS: Readonly<Record<ArgumentKind, string>> = {
  value: "a value of the fact's type",
  limit: "a value of the fact's type; for an integer any number",
  values: "a list of values of the fact's type",
  range: '[least, most]',
  duration: 'a number of days or weeks: 30 days, 1 day, 2 weeks',
  years: 'tests of a number: { below: 18 }, { between: [18, 25] }',
  day: 'a day, yyyy-MM-dd',
  truth: 'true or false',
  text: 'a text',
  pattern: 'a regular expression (RE2)',
  list: 'the name of a list',
};

const INTRODUCTION = `# Operators

An operator with its argument is a test of one [fact](facts.md): \`phone.score: { above: 50 }\`. If a fact has several
operators, all of them have to hold. Generated from \`src/policy/operators.ts\`.

- \`fact: value\` is short for \`fact: { is: value }\`, and \`fact: [a, b]\` for \`fact: { in: [a, b] }\`.
- If the table says so, the argument may be another fact of the same type:
  \`phone.operator.current: { isNot: { fact: phone.operator.original } }\`.
- A test of a missing fact is unknown: neither true nor false. Only \`known\` is always true or false.
- The age of a date is the number of days up to the day of the decision. For a date that is \`never\`, \`is: never\` and
  \`never: true\` are true, and every test of age or order is false.
- Comparisons of texts ignore case and white space at the ends.
- \`inDomainList\` is true of the domains of the list and of all their subdomains.
`;

/** The whole text of docs/operators.md. */
export function operatorsMarkdown(): string {
  const head = ['operator', 'is true if the fact', 'argument', 'another fact', 'types'];
  const rows = OPERATOR_NAMES.map((name) => {
    const { sentence, argument, againstFact, types } = operatorRow(name);
    return [`\`${name}\``, sentence, ARGUMENTS[argument], againstFact ? 'yes' : '', typesOf(types)];
  });
  const examples = OPERATOR_NAMES.map((name) => {
    const { holds, fails } = OPERATOR_EXAMPLES[name];
    const isAsked = fails === undefined;
    return [
      `\`${conditionOf(name)}\``,
      String(holds),
      isAsked ? 'a missing fact' : String(fails),
      isAsked ? '' : 'a missing fact',
    ];
  });
  return [
    `${INTRODUCTION}\n${markdownTable(head, rows)}`,
    `## An example of each\n\nThe day is ${EXAMPLE_DAY}, and the policy has these lists:\n`,
    `\`\`\`yaml\n${EXAMPLE_LISTS}\`\`\`\n`,
    markdownTable(['condition', 'true for', 'false for', 'unknown for'], examples),
  ].join('\n');
}

/** The condition of an operator's example, in YAML. */
export function conditionOf(name: OperatorName): string {
  const { fact, argument } = OPERATOR_EXAMPLES[name];
  return `${fact}: { ${name}: ${argument} }`;
}

function typesOf(types: readonly FactType[]): string {
  return types.length === FACT_TYPES.length ? 'every' : types.join(', ');
}
