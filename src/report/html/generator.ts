/** What says in a page that verdict wrote it: such a page may be written over. */

/** The `generator` of a page's head. */
export const GENERATOR = 'verdict';

/** Whether the beginning of a file is that of a page. */
export function isOwnPage(text: string): boolean {
  return text.startsWith('<!doctype html>') && text.includes(`<meta name="generator" content="${GENERATOR}">`);
}
