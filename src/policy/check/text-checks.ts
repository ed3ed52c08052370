/** What people read of a policy -> warnings: notices, placeholders, characters that are not seen. */

import type { FactTable } from '../../facts/catalog.ts';
import type { Span } from '../../platform/files/source.ts';
import { oddLetterIn } from '../../platform/formats/scripts.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { count, HIDDEN } from '../../text.ts';
import { type Band, type Notice, type NoticeText, noticeTexts } from '../language.ts';
import { type Check, scalarsIn } from './context.ts';
import { comparedTexts } from './test-checks.ts';

export function checkHiddenCharacters({ roots, lists, warn }: Check): void {
  const report = (text: string, span: Span) => {
    const [first, ...others] = text.match(HIDDEN) ?? [];
    if (first === undefined) return;
    const more = others.length === 0 ? '' : `, and ${count(others.length, 'more such character')}`;
    warn(
      spanOf(first, span),
      'hidden-character',
      `found ${describe(first)}${more}`,
      'remove it, or write a visible one',
    );
  };
  for (const node of roots.flatMap(scalarsIn)) if (typeof node.value === 'string') report(node.value, node);
  const trees = new Set(roots.map(({ source }) => source));
  // Entries in place are part of the file's tree.
  const inFiles = lists.flatMap(({ entries }) => entries).filter(({ span }) => !trees.has(span.source));
  for (const { written, span } of inFiles) report(written.value, span);
  for (const source of trees.union(new Set(inFiles.map(({ span }) => span.source)))) {
    for (const span of source.misleadingComments) report(source.text.slice(span.start, span.end), span);
  }
}

/** The character itself; the whole text if it is written as an escape. */
function spanOf(character: string, { source, start, end }: Span): Span {
  const at = source.text.slice(start, end).indexOf(character);
  return at < 0 ? { source, start, end } : { source, start: start + at, end: start + at + character.length };
}

function describe(character: string): string {
  const code = codeOf(character);
  if (/\p{Bidi_Control}/u.test(character)) return `${code}, which changes the order of the characters beside it`;
  if (/[\p{Zl}\p{Zp}]/u.test(character)) return `${code}, a line break that most programs do not show`;
  return `${code}, ${/\p{Cc}/u.test(character) ? 'a control character' : 'an invisible character'}`;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Between marks of the categories initial and final quote, or the low ones of Central Europe. */
const QUOTED = /^[\p{Pi}\p{Pf}\u201a\u201e].*[\p{Pi}\p{Pf}]$/su;

export function checkTypographicQuotes(check: Check): void {
  for (const { text, span } of comparedTexts(check)) {
    if (!QUOTED.test(text)) continue;
    const message = 'the quotes are part of the text, so a value without them differs from it';
    check.warn(span, 'typographic-quotes', message, `write them as " or '`);
  }
}

/** What is not read as letters in a pattern: escapes and classes. */
const ESCAPES_AND_CLASSES = /\\(?:[pPx]\{[^}]*\}|x[\da-f]{2}|.)|\[\^?\]?(?:\\.|[^\]\\])*\]/gisu;

export function checkScripts(check: Check): void {
  for (const { text, span, isPattern } of comparedTexts(check)) {
    const odd = oddLetterIn(isPattern ? text.replace(ESCAPES_AND_CLASSES, ' ') : text);
    if (odd === undefined) continue;
    const { letter, script, others } = odd;
    const message = `found ${codeOf(letter)}, which is ${script}, in a word of ${others} letters`;
    const hint = `write the ${others} letter that looks like it, unless values have this one`;
    check.warn(spanOf(letter, span), 'mixed-scripts', message, hint);
  }
}

export function checkNotices(check: Check): void {
  const paths = pathPattern(check.policy.facts);
  for (const { whose, texts } of noticesIn(check)) {
    for (const { language, text, node } of texts) {
      const braces = /\{[^{}]*\}/.exec(text)?.[0];
      const path = paths.exec(text)?.[0];
      if (braces === undefined && path === undefined) continue;
      const found = braces === undefined ? `names the fact ${path}` : `has ${braces}, and a notice has no placeholders`;
      const which = language === undefined ? whose : `${whose} in ${language}`;
      const message = `the notice of ${which} ${found}: the applicant reads it and must not learn what is checked`;
      check.warn(node, 'notice-reveals', message, 'analysts read `message`, which can name facts');
    }
  }
}

/** Matches the path of any fact, the longest first. */
function pathPattern(facts: FactTable): RegExp {
  const paths = [...facts.keys()].sort((a, b) => b.length - a.length).map((path) => path.replaceAll('.', '\\.'));
  return new RegExp(`(?<![\\w.])(${paths.join('|')})(?![\\w])`);
}

/** A name in the placeholder of another language: `{{fact}}`, `${fact}`, `<fact>`, `%fact%`, or `$parameter` alone. */
const NEAR = /\{\{ *(\$?[\w.]+) *\}\}|\$\{([\w.]+)\}|<(\$?[\w.]+)>|%([\w.]+)%|(?<![\w{])(\$\w+)/g;

export function checkPlaceholders({ policy, parameterKeys, warn, nodeOf }: Check): void {
  /** The placeholder that a name stands for. */
  const placeholderOf = (name: string): string | undefined => {
    if (policy.facts.has(name)) return `{${name}}`;
    const parameter = name.replace(/^\$/, '');
    return parameterKeys.has(parameter) ? `{$${parameter}}` : undefined;
  };
  for (const [node, [rule]] of Map.groupBy(policy.rules, (each) => nodeOf(each, 'message'))) {
    const near = [...(textOf(node) ?? '').matchAll(NEAR)].flatMap(([written, ...names]) => {
      const placeholder = placeholderOf(names.find((name) => name !== undefined) ?? '');
      return placeholder === undefined ? [] : [{ written, placeholder }];
    });
    if (!rule || near.length === 0) continue;
    const [verb, what] = near.length === 1 ? ['is', 'a placeholder'] : ['are', 'placeholders'];
    const texts = near.map(({ written }) => written).join(' and ');
    const meant = [...new Set(near.map(({ placeholder }) => placeholder))].join(' and ');
    warn(node, 'near-placeholder', `in the message of "${rule.id}", ${texts} ${verb} not ${what}`, `write ${meant}`);
  }
}

export function checkNoticeLanguages(check: Check): void {
  const notices = noticesIn(check);
  // Case does not matter; each language is shown as it is first written.
  const languages = new Map<string, string>();
  for (const { texts } of notices) {
    for (const { language } of texts) {
      if (language !== undefined && !languages.has(language.toLowerCase()))
        languages.set(language.toLowerCase(), language);
    }
  }
  const odd = oddLanguages(notices);
  for (const { whose, notice, node, texts } of notices) {
    const own = new Set(texts.map(({ language }) => language?.toLowerCase()));
    const missing = [...languages].flatMap(([key, language]) => (own.has(key) || odd.has(key) ? [] : language));
    if (missing.length === 0) continue;
    const alone = [...own].filter((language) => language !== undefined && odd.has(language));
    const only = alone.length > 0 ? `; it alone has ${alone.join(', ')}` : '';
    const message =
      typeof notice === 'string'
        ? `the notice of ${whose} is one text for every language; others have one for each: ${missing.join(', ')}`
        : `the notice of ${whose} has no text in ${missing.join(', ')}, which others have${only}`;
    check.warn(node, 'notice-language', message, 'write a text for each language: `{ en: …, de: … }`');
  }
}

/**
 * The languages that one notice has in place of those that two others share: `uk` in place of `en` is a mistake there,
 * and nothing that the others lack.
 */
function oddLanguages(notices: readonly PlacedNotice[]): ReadonlySet<string> {
  const own = notices.map(({ texts }) => new Set(texts.flatMap(({ language }) => language?.toLowerCase() ?? [])));
  const haveIt = (language: string) => own.filter((each) => each.has(language)).length;
  const shared = own.flatMap((each) => [...each]).filter((language) => haveIt(language) > 1);
  const odd = own.filter((each) => shared.some((language) => !each.has(language)));
  return new Set(odd.flatMap((each) => [...each].filter((language) => haveIt(language) === 1)));
}

/** One notice. */
interface PlacedNotice {
  /** Whose it is, for messages: `"ported"`, `the score`. */
  readonly whose: string;
  readonly notice: Notice;
  readonly node: Yaml | undefined;
  readonly texts: readonly (NoticeText & { readonly node: Yaml | undefined })[];
}

/** The notices of the rules and rows, of the score and of the default. */
function noticesIn({ policy, keys, nodeOf }: Check): readonly PlacedNotice[] {
  const entryOf = (node: Yaml | undefined, name: string) =>
    node?.kind === 'map' ? node.entries.get(name)?.value : undefined;
  const score = keys.get('score')?.value;
  const ofBand = (band: Band) => {
    const node = entryOf(entryOf(score, band), 'notice') ?? entryOf(score, 'notice');
    return placeNotice(`the ${band} band`, policy.scoreNotices[band], node);
  };
  return [
    ...ofBand('review'),
    ...ofBand('reject'),
    ...placeNotice('the default', policy.defaultNotice, keys.get('defaultNotice')?.value),
    ...policy.rules.flatMap((rule) => placeNotice(`"${rule.id}"`, rule.notice, nodeOf(rule, 'notice'))),
  ];
}

function placeNotice(whose: string, notice: Notice | undefined, node: Yaml | undefined): readonly PlacedNotice[] {
  if (notice === undefined) return [];
  const nodeIn = (language = '') => (node?.kind === 'map' ? node.entries.get(language)?.value : node);
  return [{ whose, notice, node, texts: noticeTexts(notice).map((one) => ({ ...one, node: nodeIn(one.language) })) }];
}

function textOf(node: Yaml | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}
