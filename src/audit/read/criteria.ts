/** The table of search criteria: how each is asked at every door, and what of a record it finds decisions by. */

import { DISPOSITIONS } from '../../policy/language.ts';
import { type Links, RECORDED_OUTCOMES, type Subjects } from '../entry/entry.ts';
import type { Judged } from './judgement.ts';
import type { ClearFields } from './search-entry.ts';

/** How values are given: a day or an instant, any of some texts, `true` for any at all, or what only keys find. */
interface Values {
  readonly time: string;
  readonly texts: readonly string[];
  readonly textsOrAny: true | readonly string[];
  readonly secret: string;
}

/** What a decision has of a kind: texts, or null for what has no text. `judged`: what people say of it by now. */
type TextsOf = (decision: ClearFields, judged: Judged) => readonly (string | null)[];

interface Criterion {
  readonly kind: keyof Values;
  /** The only texts. */
  readonly among?: readonly string[];
  /** The option of the command line, and what its help says. */
  readonly option: readonly [flags: string, words: string];
  /** Its name in the API and what the document says of it, if the API has it; a secret is never in a URL. */
  readonly api?: readonly [name: string, words: string];
  /** Its field on the page of decisions. */
  readonly title?: string;
  /** What its texts are names of: one that nothing on record has is misspelt. */
  readonly names?: 'rules' | 'reasons';
  /** Whether notes tell, which a replay does not read. */
  readonly isNoted?: true;
  /** Whether every decision has it, so that it narrows a search least. */
  readonly isCommon?: true;
  /**
   * By what it finds decisions: those that have one of the texts under one of these names, which the keys of the index
   * are made of. A name more makes each index again; another meaning needs another name.
   */
  readonly terms?: Readonly<Record<string, TextsOf>>;
}

/** The codes of a record of the earlier form, in whatever role. */
const earlier: TextsOf = ({ reasons, codes }) => (reasons ? [] : (codes ?? []));

/** In the order of the help and of the document of the API. */
export const CRITERIA = {
  /** A UTC day, yyyy-MM-dd, or an instant with its offset, 2026-11-20T12:00:00Z. Both ends are inclusive. */
  from: {
    kind: 'time',
    option: ['from <time>', 'decided on this UTC day or later, or from this instant (2026-11-20T12:00:00Z)'],
    api: ['from', 'A day, or an instant; inclusive.'],
    title: 'From',
  },
  to: {
    kind: 'time',
    option: ['to <time>', 'decided on this UTC day or earlier, or up to this instant'],
    api: ['to', 'A day, or an instant; inclusive.'],
    title: 'To',
  },
  outcomes: {
    kind: 'texts',
    among: RECORDED_OUTCOMES,
    option: ['outcome <outcome>', 'the outcome'],
    api: ['outcome', 'The outcome on record.'],
    title: 'Outcome',
    isCommon: true,
    terms: { outcome: ({ outcome }) => [outcome] },
  },
  /** Codes of reasons that decided: of a rule that fired, `SCORE` or `DEFAULT`. */
  reasons: {
    kind: 'texts',
    option: ['reason <code>', 'decided by this reason code, SCORE and DEFAULT included'],
    api: ['code', 'The code of a reason that decided.'],
    title: 'Reason',
    names: 'reasons',
    terms: { decisive: ({ reasons }) => reasons?.decisive ?? [], earlier },
  },
  /** Codes of rules that fired, and of the score, which did not lead to the outcome. */
  firedReasons: {
    kind: 'texts',
    option: ['fired-reason <code>', 'a rule with this reason code fired, but did not decide'],
    names: 'reasons',
    terms: { fired: ({ reasons }) => reasons?.fired ?? [], earlier },
  },
  /** Codes of undetermined rules that ask for review, or `SCORE_UNDETERMINED`. */
  undeterminedReasons: {
    kind: 'texts',
    option: ['undetermined-reason <code>', 'a rule with this reason code was undetermined, and asked for review'],
    names: 'reasons',
    terms: { undetermined: ({ reasons }) => reasons?.undetermined ?? [], earlier },
  },
  /** The ids of rules that fired. */
  rules: {
    kind: 'texts',
    option: ['rule <id>', 'the id of a rule that fired'],
    api: ['rule', 'The id of a rule that fired.'],
    title: 'Rule that fired',
    names: 'rules',
    terms: { rule: ({ rules }) => rules },
  },
  /** The ids of rules that could not be determined; `true` for any rule. */
  undetermined: {
    kind: 'textsOrAny',
    option: ['undetermined [rule]', 'this rule, or without an id any rule, could not be determined'],
    api: ['undetermined', 'The id of a rule that was open; `*` for any.'],
    title: 'Rule undetermined',
    names: 'rules',
    terms: {
      openRule: ({ undetermined }) => undetermined,
      open: ({ undetermined }) => (undetermined.length > 0 ? [null] : []),
    },
  },
  /** Policy names, `name@version`, or digests: a policy's own, or that of its archived form. */
  policies: {
    kind: 'texts',
    option: ['policy <name>', 'the name of a policy, name@version, or its digest'],
    api: ['policy', 'Its name, `name@version`, or digest.'],
    title: 'Policy',
    isCommon: true,
    terms: {
      policy: ({ policy }) => [policy.name, policy.digest],
      policyVersion: ({ policy: { name, version } }) => [`${name}@${version}`],
    },
  },
  /** What people say of the decision by now: how it was reviewed, or its label. */
  dispositions: {
    kind: 'texts',
    among: DISPOSITIONS,
    option: ['disposition <what>', 'the review or the label that counts'],
    api: ['disposition', 'The review or the label that counts.'],
    title: 'Noted',
    isNoted: true,
    terms: { disposition: (_, { review, label }) => [review, label].filter((each) => each !== undefined) },
  },
  /** The caller's reference of the decision (`clientReference`), exactly as it was given. */
  reference: {
    kind: 'secret',
    option: ['reference <text>', 'your own reference of the decision'],
    api: ['reference', 'The reference of a decision.'],
    terms: { reference: ({ reference }) => (typeof reference === 'string' ? [reference] : []) },
  },
  /** A phone number, email or IP address as a person types it. */
  subject: {
    kind: 'secret',
    option: ['subject <text>', 'a phone number, email or IP address'],
    api: ['subject', 'A phone number, email or IP address. It is recorded.'],
    terms: {
      subject: ({ subjects }) => hashTexts(subjects),
      /** What else a velocity counts by: found from a decision that has it. */
      link: ({ links }) => hashTexts(links),
    },
  },
} as const satisfies Readonly<Record<string, Criterion>>;

export function subjectText(variable: string, hash: string): string {
  return `${variable}\0${hash}`;
}

function hashTexts(hashes: Subjects | Links | null | undefined): readonly string[] {
  return Object.entries(hashes ?? {}).flatMap(([name, hash]) =>
    typeof hash === 'string' ? [subjectText(name, hash)] : [],
  );
}

type Rows = typeof CRITERIA;

type ValueOf<Row extends Criterion> = Row extends { readonly among: readonly (infer Word)[] }
  ? readonly Word[]
  : Values[Row['kind']];

/** What to search for. A decision has to match every criterion; in a list, one of the values. */
export type SearchQuery = { readonly [Name in keyof Rows]?: ValueOf<Rows[Name]> };

type AskedName = Extract<Rows[keyof Rows], { readonly api: readonly unknown[] }>['api'][0];

/** The same where a criterion has one text, by the names of the API; `*` for any. */
export type AskedTexts = { readonly [Name in AskedName]?: string | undefined };

/** The rows of the table, with what a program calls them. */
export const CRITERION_ROWS = Object.entries<Criterion>(CRITERIA).map(([name, row]) => {
  return { name: name as keyof Rows, ...row };
});

export type CriterionRow = (typeof CRITERION_ROWS)[number];

/** Those that the API has. */
export const ASKED_ROWS = CRITERION_ROWS.flatMap(({ api, ...row }) => (api ? [{ ...row, api }] : []));

/** What decisions are found by, by the names of the terms. */
export const TERMS: Readonly<Record<string, TextsOf>> = Object.assign({}, ...CRITERION_ROWS.map(({ terms }) => terms));
