/** Tests written with signs, as in other languages: `{ phone.score > 50 }`, `phone.score: { >= 50 }`. */

import type { Replacement } from '../files/source.ts';
import type { SyntaxProblem } from './compose.ts';
import type { Mistake } from './mistake.ts';
import { bare, type Page } from './page.ts';

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ '>': 'above', '>=': 'atLeast', '=>': 'atLeast', '<': 'below', '<=': 'atMost', '=<': 'atMost' },
  ...{ '!=': 'isNot', '<>': 'isNot' },
};

const SIGN = '(=>|>=|=<|<=|<>|!=|>|<)';
const VALUE = String.raw`([^\s,:{}[\]][^,:{}[\]]*?)(?=\s*(?:[,}]|$))`;
/** The path of a fact, which has a dot. */
const PATH = String.raw`([\w-]+(?:\.[\w-]+)+)`;

const FORMS: readonly (readonly [form: RegExp, corrected: (...found: readonly string[]) => string])[] = [
  [new RegExp(String.raw`(?<=[{,]\s*)${SIGN}\s*:?\s*${VALUE}`, 'g'), (sign, value) => `${operator(sign)}: ${value}`],
  [
    new RegExp(String.raw`(?<=(?:^\s*(?:-\s+)*|[{,]\s*))${PATH}\s*:?\s*${SIGN}\s*${VALUE}`, 'g'),
    (path, sign, value) => `${path}: { ${operator(sign)}: ${value} }`,
  ],
];

function operator(sign = ''): string {
  return OPERATORS[sign] ?? sign;
}

/** Guesses the operator of each sign on the line of the problem. */
export function* comparisons({ start: at }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  for (const [form, correct] of FORMS) {
    const mistakes = [...bare(line.text).matchAll(form)].map(
      ({ index, 0: found, 1: first = '', 2: second = '', 3: third = '' }): Mistake => {
        const start = line.start + index;
        const end = start + found.length;
        const sign = Object.hasOwn(OPERATORS, first) ? first : second;
        const edits: readonly Replacement[] = [{ start, end, text: correct(first, second, third) }];
        return { start, end, message: `found the sign ${sign}; operators are words`, edits };
      },
    );
    yield* mistakes;
    // One of several alone leaves the line as unreadable as before.
    const [first, ...others] = mistakes;
    if (first && others.length > 0) yield { ...first, edits: mistakes.flatMap(({ edits }) => edits) };
  }
}
