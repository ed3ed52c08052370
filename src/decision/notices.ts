/** A decision and a language -> the notices that may be shown to the applicant in that language. */

import { readArgument } from '../platform/given/options.ts';
import { readGiven } from '../platform/given/read-given.ts';
import { type Notice, noticeTexts } from '../policy/language.ts';
import { LANGUAGE } from '../policy/read/form.ts';
import type { Reason } from './meaning/verdict.ts';

/** What a reason may tell. */
export type NoticedReason = Pick<Reason, 'code' | 'decisive'> & { readonly notice?: Notice | undefined };

/** A notice in one language. */
export interface ToldNotice {
  /** The code of its reason. */
  readonly code: string;
  readonly text: string;
  /** The language of the text, as the policy writes it; undefined where a notice is one text without a language. */
  readonly language: string | undefined;
}

/** Tags in use have up to some 30 characters. This one may come from a stranger's request. */
const MOST_CHARACTERS = 100;

const TAG = {
  expected: `${LANGUAGE.words}, of at most ${MOST_CHARACTERS} characters`,
  is: (value: unknown) => {
    const tag = String(value);
    return tag.length <= MOST_CHARACTERS && LANGUAGE.pattern.test(tag);
  },
};

/**
 * The notices of the decisive reasons, in their order, each text once. The text of a notice in several languages is
 * the one that a lookup of RFC 4647 (section 3.4) finds for `language`: that of `de-AT`, else of `de`. If there is
 * none, it is the English text (`en`), else that of the first language in alphabetical order.
 * Throws REQUEST_INVALID for a malformed language, and for anything that is not a decision.
 */
export function noticesOf(
  decision: { readonly reasons: readonly NoticedReason[] },
  language: string,
): readonly ToldNotice[] {
  const range = readArgument('the language', TAG, language);
  return readGiven('REQUEST_INVALID', 'the decision', () => {
    const notices = new Map<string, ToldNotice>();
    for (const reason of decision.reasons) {
      if (!reason.decisive || reason.notice === undefined) continue;
      const notice = findText(reason.notice, range);
      if (!notices.has(notice.text)) notices.set(notice.text, { code: reason.code, ...notice });
    }
    return [...notices.values()];
  });
}

function findText(notice: Notice, range: string): Pick<ToldNotice, 'text' | 'language'> {
  const texts = noticeTexts(notice);
  const lookUp = (tag: string) => texts.find(({ language }) => language?.toLowerCase() === tag.toLowerCase());
  const match = [...shorten(range), 'en'].map(lookUp).find((text) => text !== undefined);
  return match ?? (texts[0] as (typeof texts)[number]);
}

/** A language range, shortened from the end. No tag of a policy ends in a single letter, so those find nothing. */
function* shorten(range: string): Generator<string> {
  for (let end = range.length; end > 0; end = range.lastIndexOf('-', end - 1)) yield range.slice(0, end);
}
