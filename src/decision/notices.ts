/** A decision and a language -> what the applicant may be told in it. */

import { readArgument } from '../given/options.ts';
import { readGiven } from '../given/read-given.ts';
import { type Notice, noticeTexts } from '../policy/language.ts';
import { LANGUAGE } from '../policy/read/form.ts';
import type { Reason } from './meaning/verdict.ts';

/** A notice in one language. */
export interface ToldNotice {
  /** The code of its reason. */
  readonly code: string;
  readonly text: string;
  /** The language of the text, as the policy writes it; undefined where a notice is one text without a language. */
  readonly language: string | undefined;
}

const TAG = { expected: `${LANGUAGE.words}`, is: (value: unknown) => LANGUAGE.pattern.test(String(value)) };

/**
 * The notices of the decisive reasons, in their order, each text once. Of a notice in several languages it gives the
 * text that a lookup of RFC 4647 (section 3.4) finds for `language`: that of `de-AT`, else of `de`. Where there is
 * none, the English text (`en`), else that of the first language in alphabetical order.
 * Throws REQUEST_INVALID for a malformed language, and for anything that is not a decision.
 */
export function noticesOf(decision: { readonly reasons: readonly Reason[] }, language: string): readonly ToldNotice[] {
  const range = readArgument('the language', TAG, language);
  return readGiven('REQUEST_INVALID', 'the decision', () => {
    const told = new Map<string, ToldNotice>();
    for (const reason of decision.reasons) {
      if (!reason.decisive || !('notice' in reason) || reason.notice === undefined) continue;
      const notice = findText(reason.notice, range);
      if (!told.has(notice.text)) told.set(notice.text, { code: reason.code, ...notice });
    }
    return [...told.values()];
  });
}

function findText(notice: Notice, range: string): Pick<ToldNotice, 'text' | 'language'> {
  const texts = noticeTexts(notice);
  const lookUp = (tag: string) => texts.find(({ language }) => language?.toLowerCase() === tag.toLowerCase());
  const found = [...shorten(range), 'en'].map(lookUp).find((text) => text !== undefined);
  return found ?? (texts[0] as (typeof texts)[number]);
}

/** A language range, shortened from the end. What ends in a single letter finds nothing: no tag of a policy does. */
function* shorten(range: string): Generator<string> {
  let tag = range;
  while (tag !== '') {
    yield tag;
    tag = tag.replace(/-?[^-]*$/, '');
  }
}
