/** The forms of names, ids, codes and days in policies, each with what reads it. */

import { isDay } from '../../facts/day.ts';
import type { JsonSchema } from '../../facts/json-schema.ts';
import { type DiagnosticDetails, reportAt } from '../../platform/files/source.ts';
import { type Format, readFormat } from '../../platform/formats/format.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { readText } from '../../platform/yaml-fields.ts';
import { capitalised } from '../../text.ts';
import { dayMeant } from './mistakes/values.ts';

/** The form of a text. */
export interface Form {
  readonly pattern: RegExp;
  /** The form for people, as in `id must be …`. */
  readonly words: string;
  readonly schema: JsonSchema;
  /** A text in another form -> one of this form, if it is the same words. */
  readonly correct?: (text: string) => string;
}

function form(pattern: RegExp, words: string, patternErrorMessage: string): Form {
  return { pattern, words, schema: { type: 'string', pattern: pattern.source, patternErrorMessage } };
}

const NAME_WORDS = 'letters and digits that begin with a letter, joined by - or _';

/** The names of policies, conditions and lists. */
export const NAME: Form = {
  ...form(/^[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*$/, NAME_WORDS, `A name is expected: ${NAME_WORDS}.`),
  correct: (text) => text.trim().replace(/[\s.]+/g, '-'),
};

const ID_WORDS = 'kebab-case (like port-and-email)';

/** The ids of rules and tables. */
export const ID: Form = {
  ...form(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, ID_WORDS, `An id in ${ID_WORDS} is expected.`),
  correct: (text) => wordsOf(text).join('-').toLowerCase(),
};

/** The codes of reasons. */
export const CODE: Form = {
  ...form(
    /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/,
    'UPPER_SNAKE (like PORTED_AND_RISKY_EMAIL)',
    'A code in UPPER_SNAKE is expected, like PORTED_AND_RISKY_EMAIL.',
  ),
  correct: (text) => wordsOf(text).join('_').toUpperCase(),
};

/** The words of a text in any case: `portAndEmail`, `Port_and email`. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s/_-]+/)
    .filter((word) => word !== '');
}

/** The paths of the facts that a policy declares. */
export const OWN_PATH = form(
  /^(context|identity)(\.[a-z][A-Za-z0-9]*)+$/,
  'a path like context.creditLimit or identity.nameScore',
  'A path like context.creditLimit or identity.nameScore is expected.',
);

/** The names of velocities, which are the last part of a fact's path. */
export const VELOCITY_NAME: Form = {
  ...form(
    /^[a-z][A-Za-z0-9]*$/,
    'letters and digits that begin with a small letter (like sameIp1h)',
    'A name of letters and digits that begins with a small letter is expected, like sameIp1h.',
  ),
  correct: (text) => {
    const [first = '', ...others] = text.replace(/^velocity\./, '').split(/[-_.\s]/);
    return first.charAt(0).toLowerCase() + first.slice(1) + others.map(capitalised).join('');
  },
};

/** The paths of the facts that a policy has besides those of the catalog. */
export const NAMED_PATH = form(
  /^(?:(?:context|identity)(?:\.[a-z][A-Za-z0-9]*)+|velocity\.[a-z][A-Za-z0-9]*)$/,
  OWN_PATH.words,
  'A path like context.creditLimit, identity.nameScore or velocity.sameIp1h is expected.',
);

const LANGUAGE_WORDS = 'a language tag of BCP 47, like de or de-AT';

/**
 * The tags of languages: `langtag` of RFC 5646. A primary language has two or three letters; longer ones are not
 * registered.
 */
export const LANGUAGE = form(
  new RegExp(
    [
      '^[A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?',
      '(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[0-9A-WYZa-wyz](-[A-Za-z0-9]{2,8})+)*(-[Xx](-[A-Za-z0-9]{1,8})+)?$',
    ].join(''),
  ),
  LANGUAGE_WORDS,
  `For each language a text: ${LANGUAGE_WORDS}.`,
);

/** A count of days or weeks. */
export const DURATION = form(
  /^(0|[1-9]\d{0,6}) (days?|weeks?)$/,
  'a count of days or weeks, like "30 days"',
  'A count of days or weeks is expected, like "30 days"; months and years have no fixed length.',
);

/** Reads a text of a form. */
export function readForm(node: Yaml, what: string, form: Form): string | undefined {
  const text = readText(node, what);
  if (text === undefined || form.pattern.test(text)) return text;
  return reportAt(node, 'malformed', `found "${text}"; ${what} must be ${form.words}`, ofForm(text, form));
}

/** What to say of a text in another form: the same words in this one. */
export function ofForm(text: string, { pattern, correct }: Form): Pick<DiagnosticDetails, 'hint' | 'fix'> {
  const meant = correct?.(text);
  return meant !== undefined && pattern.test(meant) ? { hint: `write ${meant}`, fix: { value: meant } } : {};
}

/** Reads a calendar day. */
export function readDay(node: Yaml, what: string): string | undefined {
  const text = readText(node, what, { allowed: isDay });
  if (text === undefined || isDay(text)) return text;
  const message = `found "${text}"; ${what} must be a calendar day written yyyy-MM-dd`;
  return reportAt(node, 'malformed', message, dayMeant(text));
}

/** Reads a text that is to have a format. A number that would not have it in quotes either is read as it is written. */
export function readTextOfFormat(node: Yaml, what: string, format: Format | undefined): string | undefined {
  const isNumber = node.kind === 'scalar' && typeof node.value === 'number' && format !== undefined;
  return isNumber && !('value' in readFormat(format, node.written)) ? node.written : readText(node, what);
}
