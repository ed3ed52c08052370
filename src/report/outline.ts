/** What people read, before it has a form: blocks of headings, lists and tables, whose words have marks. */

import type { RecordedOutcome } from '../audit/entry/entry.ts';
import type { Outcome, Policy } from '../policy/language.ts';
import type { Chart } from './charts.ts';

/** A text from anywhere: each form escapes what it would take for markup. */
export type Words = string | Marked | readonly Words[];

/**
 * `place` is where a thing is written, in brackets or in less weight after it; `soft` has less weight; `wrong` is a
 * problem; `name` is one for machines; a `list` has commas between its items. A `fact` is its path in a text, and its
 * name for people on a page, where its `path` may follow. A `link` leads to a part of a page. `said` is in a language
 * (BCP 47); a `time` is in ISO 8601. `check` says whether a record is as it was written, and how far that was checked.
 */
export type Marked =
  | { readonly mark: 'list'; readonly of: readonly Words[] }
  | { readonly mark: 'soft'; readonly of: Words }
  | { readonly mark: 'strong' | 'wrong' | 'missing' | 'code' | 'name' | 'place' | 'path' | 'time'; readonly of: string }
  | { readonly mark: 'fact'; readonly of: string; readonly name: string | undefined }
  | { readonly mark: 'link'; readonly of: Words; readonly to: string }
  | { readonly mark: 'said'; readonly of: string; readonly language: string }
  | { readonly mark: 'check'; readonly of: string; readonly state: 'sound' | 'broken' | 'unchecked' }
  | { readonly mark: 'shade'; readonly of: Words; readonly level: Shade }
  | { readonly mark: 'outcome'; readonly of: RecordedOutcome };

/** What is shown darker on a page the more it is, from 1 to 4, in the colour of an outcome. */
export type Shade = `${Outcome}-${1 | 2 | 3 | 4}`;

export const strong = (of: string): Marked => ({ mark: 'strong', of });
export const wrong = (of: string): Marked => ({ mark: 'wrong', of });
export const soft = (...of: readonly Words[]): Marked => ({ mark: 'soft', of });
export const code = (of: string): Marked => ({ mark: 'code', of });
export const name = (of: string): Marked => ({ mark: 'name', of });
export const said = (language: string, of: string): Marked => ({ mark: 'said', language, of });
export const time = (of: string): Marked => ({ mark: 'time', of });
export const link = (to: string, ...of: readonly Words[]): Marked => ({ mark: 'link', to, of });
export const joined = (of: readonly Words[], separator: Words): Words =>
  of.map((each, i) => (i === 0 ? each : [separator, each]));
export const listed = (of: readonly Words[]): Marked => ({ mark: 'list', of });
/** `none` without any. */
export const names = (of: readonly string[]): Words => (of.length === 0 ? 'none' : listed(of.map(name)));
export const outcome = (of: RecordedOutcome): Marked => ({ mark: 'outcome', of });

/** The id of a rule; on a page a link to the rule, if the policy has it. */
export function ruleMark(id: string, { rules }: Pick<Policy, 'rules'>): Marked {
  const index = rules.findIndex((rule) => rule.id === id);
  return index < 0 ? name(id) : link(anchorOf(index), name(id));
}

/** The anchor of a rule on a page. Not made of its id, which may be any text if the policy was not checked. */
export function anchorOf(index: number): string {
  return `rule-${index + 1}`;
}

/** A place as a mark; nothing without one. */
export function placeMark(place: { readonly file: string; readonly line: number } | undefined): Words {
  return place ? { mark: 'place', of: `${place.file}:${place.line}` } : [];
}

export type Block = Heading | Paragraph | List | Lines | Aside | Reasons | Pairs | Table | Groups | Folded;

/** A block of what is only printed: a table needs no caption there. */
export type TextBlock = Exclude<Block, Table> | Cells;

export interface Heading {
  readonly is: 'heading';
  readonly of: Words;
}

export interface Paragraph {
  readonly is: 'paragraph';
  readonly of: Words;
}

/** A list. A text shows its first items and counts the others, which `--json` lists; a page shows all. */
export interface List {
  readonly is: 'list';
  readonly items: readonly Words[];
  readonly most?: number;
}

/** Lines under a title, without an empty line between them. */
export interface Lines {
  readonly is: 'lines';
  readonly title: Words;
  readonly of: readonly Words[];
}

/** Paragraphs that stand out: of what failed, for the applicant, or against the page itself. */
export interface Aside {
  readonly is: 'aside';
  readonly look: 'callout' | 'notice' | 'warning';
  readonly of: readonly Words[];
  /** Whose words they are. */
  readonly from?: Words;
}

export interface Reasons {
  readonly is: 'reasons';
  readonly of: readonly ReasonItem[];
}

/** What was found, by whom, and what it is made of. */
export interface ReasonItem {
  readonly codes: readonly string[];
  readonly words: Words;
  readonly from: readonly Words[];
  readonly on: readonly Words[];
}

/** Names with their words, side by side. */
export interface Pairs {
  readonly is: 'pairs';
  readonly of: readonly (readonly [name: string, words: Words])[];
}

export interface Cells {
  readonly is: 'table';
  /** A page begins them with a capital. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Words[])[];
}

export interface Table extends Cells {
  /** The last row, which sums up the others. */
  readonly total?: readonly Words[];
  /** The columns from this one on are numbers. Default: none is. */
  readonly numbersFrom?: number;
  /** Whether the first cells name groups of rows: those of further rows of a group are empty. */
  readonly isGrouped?: boolean;
  /** What only a page says. */
  readonly page: {
    readonly id: string;
    readonly caption: string;
    readonly width?: 'wide' | 'tight' | 'line' | 'matrix';
    /** The columns that are names, and keep their spelling. */
    readonly names?: readonly string[];
    /** The title under which the table is hidden until the reader opens it. */
    readonly folded?: string | undefined;
    /** Columns that are drawn, from left to right. */
    readonly charts?: readonly Chart[];
  };
}

/** Groups of applicants: paragraphs of a text, rows in Markdown, cards on a page. */
export interface Groups {
  readonly is: 'groups';
  readonly groups: readonly Group[];
}

export interface Group {
  /** Its name on a page, so that people can speak of it. */
  readonly name: string;
  /** Who they are; every applicant without a condition. */
  readonly conditions: readonly string[];
  /** How many real applicants are in it, where they were counted. */
  readonly counted?: number | undefined;
  /** One of them; absent if none was found, which is not proved. */
  readonly example?: GroupExample | undefined;
}

/** One applicant of a group. */
export interface GroupExample {
  /** The facts that the conditions are about, with their values. */
  readonly facts: readonly (readonly [name: string, value: Words])[];
  /** How many other facts it has. */
  readonly more: number;
  /** A line for `evaluate` with all facts, and a second one for the old policy where it takes another. */
  readonly lines: readonly string[];
}

/** Blocks that are hidden, where a form can, until the reader opens them. */
export interface Folded {
  readonly is: 'folded';
  readonly title: string;
  readonly of: readonly Block[];
}

export const heading = (...of: readonly Words[]): Heading => ({ is: 'heading', of });
export const paragraph = (...of: readonly Words[]): Paragraph => ({ is: 'paragraph', of });
export const list = (items: readonly Words[], most = Number.POSITIVE_INFINITY): List => ({ is: 'list', items, most });
export const pairs = (of: Pairs['of']): Pairs => ({ is: 'pairs', of });
export const aside = (look: Aside['look'], of: readonly Words[], from?: Words): Aside =>
  from === undefined ? { is: 'aside', look, of } : { is: 'aside', look, of, from };
export const lines = (title: Words, of: readonly Words[]): Lines => ({ is: 'lines', title, of });

/** What every form says of groups. */
export const EVERYONE = 'every applicant';
export const WITHOUT_FACTS = 'an applicant without any fact';
export const NO_EXAMPLE = 'no example was found: not proved';
/** What stands between the lines for the new and for the old policy. */
export const FOR_OLD = ', for the old policy ';

/** Whether a record is as it was written, in a word. */
export const CHECKED = { sound: 'sound', broken: 'broken', unchecked: 'not checked' } as const;

/** A page has what rules found in their cards, and their points in a table; a text has not. */
export type Form = 'text' | 'page';

/** The number of rules that did not fire that text shows without `--all`. */
export const MOST_RULES = 20;

/** How a terminal shows marks. */
export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** Styles a text; returns it unchanged if the output has no styles. */
export type Styler = (style: Style, text: string) => string;

export const OUTCOME_STYLES: Readonly<Record<RecordedOutcome, Style>> = {
  ...{ accept: 'green', review: 'yellow', reject: 'red' },
  aborted: 'dim',
};
