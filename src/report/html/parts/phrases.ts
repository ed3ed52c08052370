/** Truths, outcomes, facts, values, tests and days -> phrases of a page. */

import type { RecordedOutcome } from '../../../audit/entry/entry.ts';
import type { FactState } from '../../../decision/explain/explanation.ts';
import { TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import { type Notice, noticeTexts, type Policy } from '../../../policy/language.ts';
import type { Words } from '../../outline.ts';
import { type StateSetting, stateWords } from '../../words/fact-states.ts';
import { a, type Child, code, type Markup, span, strong, time, wbr } from '../markup.ts';

const TRUTH_SIGNS = { true: '✓', false: '×', unknown: '?' } as const;

/** The name of a truth, in words and in the stylesheet. */
export function truthName(truth: Truth): keyof typeof TRUTH_SIGNS {
  return truth === TRUE ? 'true' : truth === UNKNOWN ? 'unknown' : 'false';
}

/** A truth: `✓ true`, or its sign with another word. */
export function truthMark(truth: Truth, word?: string): Markup {
  const name = truthName(truth);
  return signed(`truth ${name}`, TRUTH_SIGNS[name], word ?? name);
}

const OUTCOME_SIGNS: Readonly<Record<RecordedOutcome, string>> = {
  ...{ accept: '●', review: '◆', reject: '■' },
  aborted: '○',
};

/** An outcome: its word with a shape of its own. */
export function outcomeMark(outcome: RecordedOutcome): Markup {
  return signed(`outcome ${outcome}`, OUTCOME_SIGNS[outcome], outcome);
}

/** Words after a sign, which only repeats them and is not read aloud. */
export function signed(look: string, sign: string, ...words: readonly Child[]): Markup {
  return span({ class: look }, span({ class: 'sign', 'aria-hidden': 'true' }, sign), ' ', words);
}

/** A property of a rule or a record, such as `final`. */
export function flag(word: string): Markup {
  return span({ class: 'flag' }, word);
}

/** Words of less weight. */
export function soft(...words: readonly Child[]): Markup {
  return span({ class: 'soft' }, words);
}

/** A name for machines. It breaks, after dots, dashes, slashes and underscores, only if a line is too short for it. */
export function codeName(text: string, kind: 'name' | 'fact' | 'path' = 'name'): Markup {
  return code({ class: kind }, joined(text.split(/(?<=[._/-])/), wbr()));
}

/** A value as a policy or an answer writes it. */
export function codeValue(text: string): Markup {
  return code({ class: 'value' }, text);
}

/** The state of a fact, as a part of an element. */
export function statePhrase(path: string, state: FactState, setting: StateSetting): Child {
  return wordsOf(stateWords(path, state, setting));
}

/** Words as a part of an element. */
export function wordsOf(words: Words): Child {
  if (typeof words === 'string') return words;
  if (!('mark' in words)) return words.map(wordsOf);
  switch (words.mark) {
    case 'strong':
    case 'wrong':
      return strong(words.of);
    case 'missing':
      return span({ class: 'missing' }, words.of);
    case 'soft':
      return soft(wordsOf(words.of));
    case 'place':
      return [' ', soft(words.of)];
    case 'name':
      return codeName(words.of);
    case 'fact':
      return words.name === undefined ? codeName(words.of, 'fact') : span({ class: 'label' }, words.name);
    case 'path':
      return [' ', codeName(words.of, 'path')];
    case 'list':
      return joined(words.of.map(wordsOf));
    case 'link':
      return a({ href: `#${words.to}` }, wordsOf(words.of));
    case 'code':
      return codeValue(words.of);
    case 'outcome':
      return outcomeMark(words.of);
  }
}

/** A point in time (ISO 8601): `2026-11-13 08:15:00.000 UTC`. */
export function instant(iso: string): Markup {
  const match = /^(\d{4}-\d{2}-\d{2})T([\d:.]+)Z$/.exec(iso);
  return time({ datetime: iso }, match ? `${match[1]} ${match[2]} UTC` : iso);
}

export function dayOf(day: string): Markup {
  return time({ datetime: day }, day);
}

/** Children with a separator between them. No line begins with a comma. */
export function joined(children: readonly Child[], separator: Child = COMMA): Child {
  if (separator !== COMMA) return children.map((child, i) => (i === 0 ? child : [separator, child]));
  const last = children.length - 1;
  return children.map((child, i) => (i === last ? child : [span({ class: 'item' }, child, ','), ' ']));
}

const COMMA = ', ';

/** Names for machines with commas. */
export function codeNames(names: readonly string[]): Child {
  return joined(names.map((name) => codeName(name)));
}

/** The text of a notice; of one in several languages, each text after its language. */
export function noticePhrase(notice: Notice): Child {
  const texts = noticeTexts(notice).map(({ language, text }) =>
    language === undefined ? text : [soft(`${language}: `), span({ lang: language }, text)],
  );
  return joined(texts, '; ');
}

/** A value if it is known; nothing otherwise. */
export function optional<Value>(value: Value | undefined, show: (value: Value) => Child): Child {
  return value === undefined ? undefined : show(value);
}

/** The anchor of a rule on a page. Not made of its id, which may be any text if the policy was not checked. */
export function anchorOf(index: number): string {
  return `rule-${index + 1}`;
}

/** The id of a rule, with a link to its card if the policy has the rule. */
export function ruleLink(id: string, { rules }: Policy): Markup {
  const index = rules.findIndex((rule) => rule.id === id);
  return index < 0 ? codeName(id) : a({ href: `#${anchorOf(index)}` }, codeName(id));
}
