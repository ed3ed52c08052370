/** Truths, outcomes, facts, values, tests and days -> phrases of a page. */

import type { RecordedOutcome } from '../../../audit/entry/entry.ts';
import { TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import { CHECKED, type Words } from '../../outline.ts';
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

export const OUTCOME_SIGNS: Readonly<Record<RecordedOutcome, string>> = {
  ...{ accept: '●', review: '◆', reject: '■' },
  aborted: '○',
};

/** An outcome: its word with a shape of its own. */
export function outcomeMark(outcome: RecordedOutcome): Markup {
  return signed(`outcome ${outcome}`, OUTCOME_SIGNS[outcome], outcome);
}

/** Words after a sign, which only repeats them and is not read aloud. */
function signed(look: string, sign: string, ...words: readonly Child[]): Markup {
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

const CHECK_SIGNS = { sound: '✓', broken: '×', unchecked: '?' } as const;

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
    case 'time':
      return instant(words.of);
    case 'said':
      return span({ lang: words.language }, words.of);
    case 'check':
      return signed(`check ${words.state}`, CHECK_SIGNS[words.state], strong(CHECKED[words.state]), `: ${words.of}`);
    case 'link':
      return a({ href: `#${words.to}` }, wordsOf(words.of));
    case 'shade':
      return span({ class: `shade ${words.level}` }, wordsOf(words.of));
    case 'code':
      return codeValue(words.of);
    case 'outcome':
      return outcomeMark(words.of);
  }
}

/** A day, or a point in time (ISO 8601): `2026-11-13 08:15:00.000 UTC`. */
export function instant(iso: string): Markup {
  const match = /^(\d{4}-\d{2}-\d{2})T([\d:.]+)Z$/.exec(iso);
  return time({ datetime: iso }, match ? `${match[1]} ${match[2]} UTC` : iso);
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

/** A value if it is known; nothing otherwise. */
export function optional<Value>(value: Value | undefined, show: (value: Value) => Child): Child {
  return value === undefined ? undefined : show(value);
}
