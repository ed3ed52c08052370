/** Literals and list entries between typographic quotes -> warnings. */

import type { Check } from '../context.ts';
import { comparedTexts } from './compared-texts.ts';

/** Between marks of the categories initial and final quote, or the low ones of Central Europe. */
const QUOTED = /^[\p{Pi}\p{Pf}\u201a\u201e].*[\p{Pi}\p{Pf}]$/su;

export function checkTypographicQuotes(check: Check): void {
  for (const { text, span } of comparedTexts(check)) {
    if (!QUOTED.test(text)) continue;
    const message = 'the quotes are part of the text, so a value without them differs from it';
    check.warn(span, 'typographic-quotes', message, `write them as " or '`);
  }
}
