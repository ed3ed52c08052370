/** Notices that lack a language of the policy's other notices -> warnings. */

import type { Check } from '../context.ts';
import { noticesIn } from './notices.ts';

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
  for (const { whose, notice, node, texts } of notices) {
    const own = new Set(texts.map(({ language }) => language?.toLowerCase()));
    const missing = [...languages].flatMap(([key, language]) => (own.has(key) ? [] : language));
    if (missing.length === 0) continue;
    const message =
      typeof notice === 'string'
        ? `the notice of ${whose} is one text for every language; others have one for each: ${missing.join(', ')}`
        : `the notice of ${whose} has no text in ${missing.join(', ')}, which others have`;
    check.warn(node, 'notice-language', message, 'write a text for each language: `{ en: …, de: … }`');
  }
}
