/** A policy -> its notices for the applicant, each with its texts and their nodes. */

import type { Yaml } from '../../../platform/yaml.ts';
import { type Notice, type NoticeText, noticeTexts } from '../../language.ts';
import type { Check } from '../context.ts';

/** One notice. */
interface PlacedNotice {
  /** Whose it is, for messages: `"ported"`, `the score`. */
  readonly whose: string;
  readonly notice: Notice;
  readonly node: Yaml | undefined;
  readonly texts: readonly (NoticeText & { readonly node: Yaml | undefined })[];
}

/** The notices of the rules and rows, of the score and of the default. */
export function noticesIn({ policy, keys, nodeOf }: Check): readonly PlacedNotice[] {
  const score = keys.get('score')?.value;
  const ofScore = score?.kind === 'map' ? score.entries.get('notice')?.value : undefined;
  return [
    ...placed('the score', policy.scoreNotice, ofScore),
    ...placed('the default', policy.defaultNotice, keys.get('defaultNotice')?.value),
    ...policy.rules.flatMap((rule) => placed(`"${rule.id}"`, rule.notice, nodeOf(rule, 'notice'))),
  ];
}

function placed(whose: string, notice: Notice | undefined, node: Yaml | undefined): readonly PlacedNotice[] {
  if (notice === undefined) return [];
  const nodeIn = (language = '') => (node?.kind === 'map' ? node.entries.get(language)?.value : node);
  return [{ whose, notice, node, texts: noticeTexts(notice).map((one) => ({ ...one, node: nodeIn(one.language) })) }];
}
