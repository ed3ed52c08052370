/** The reason codes of a record -> the codes with marks: first what decided, then what fired, then the unknown. */

import type { ReasonCodes } from '../../audit/entry/entry.ts';

/** The codes in clear of a record: in the present form, or in the earlier one. */
export interface RecordedCodes {
  readonly reasons?: ReasonCodes;
  readonly codes?: readonly string[];
}

const MARKS: Readonly<Record<keyof ReasonCodes, (code: string) => string>> = {
  decisive: (code) => code,
  fired: (code) => `(${code})`,
  undetermined: (code) => `${code}?`,
};

/** The codes of one list with its mark: `R`, `(R)`, `R?`. */
export function markCodes({ reasons }: RecordedCodes, list: keyof ReasonCodes): readonly string[] {
  return reasons?.[list].map(MARKS[list]) ?? [];
}

/** The codes of a record of the earlier form: `R~`. */
export function markEarlier({ reasons, codes }: RecordedCodes): readonly string[] {
  return reasons ? [] : (codes ?? []).map((code) => `${code}~`);
}

/** All codes with their marks. */
export function markedCodes(record: RecordedCodes): readonly string[] {
  const lists = ['decisive', 'fired', 'undetermined'] as const;
  return [...lists.flatMap((list) => markCodes(record, list)), ...markEarlier(record)];
}

/** In place of codes, where no reason decided. */
export const UNDETERMINED_ALONE = 'undetermined rules alone';

const MEANINGS: readonly (readonly [mark: RegExp, words: string])[] = [
  [/[^~?)]$/, 'R decided'],
  [/\)$/, '(R) fired, not decisive'],
  [/\?$/, 'R? undetermined'],
  [/~$/, 'R~ an earlier record, which does not say'],
];

/** What the marks of these records mean, as far as they occur; empty without any mark. */
export function markWords(records: readonly RecordedCodes[]): string {
  const codes = records.flatMap(markedCodes);
  const used = MEANINGS.filter(([mark]) => codes.some((code) => mark.test(code)));
  return used.map(([, words]) => words).join('; ');
}
