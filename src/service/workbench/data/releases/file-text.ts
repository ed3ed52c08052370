/** The text of a file <-> the text in a field of a browser, which has its own line ends and no byte order mark. */

import { isShownAsIs } from '../../../../report/html/markup.ts';

/** The line end of a text; undefined if it has two kinds. */
export function lineEndOf(text: string): string | undefined {
  const [all, crlf] = [text.split('\n').length - 1, text.split('\r\n').length - 1];
  if (crlf === 0) return text.includes('\r') ? undefined : '\n';
  return crlf === all ? '\r\n' : undefined;
}

/** A text as a field shows it, and whether a browser shows and sends it as it is. */
export function shownOf(text: string): { readonly text: string; readonly isEditable: boolean } {
  const shown = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  return { text: shown, isEditable: lineEndOf(text) !== undefined && isShownAsIs(shown) };
}

/** What a browser sends of a field -> the same text with the line ends and the byte order mark of the file. */
export function asInFile(sent: string, before: string): string {
  const mark = before.startsWith('\ufeff') ? '\ufeff' : '';
  return mark + sent.replaceAll('\r\n', '\n').replaceAll('\n', lineEndOf(before) ?? '\n');
}
