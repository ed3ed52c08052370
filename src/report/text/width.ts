/** Texts -> texts of a width in columns of a terminal: a wide character takes two, a combining one none. */

import stringWidth from 'string-width';

const GRAPHEMES = new Intl.Segmenter();

/** How many columns a text takes; escape sequences of colours take none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** The text if it fits, or else its beginning with `mark` at the end. Cuts between graphemes. */
export function cutTo(text: string, width: number, mark = '…'): string {
  if (widthOf(text) <= width) return text;
  const room = width - widthOf(mark);
  let kept = '';
  let used = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += widthOf(segment);
    if (used > room) break;
    kept += segment;
  }
  return kept + mark;
}
