/** The mark of pages that verdict wrote: `--html` may overwrite such a page, and nothing else. */

export const GENERATOR = 'verdict';

/** Whether a file that begins with this text is a page of verdict. */
export function isOwnPage(text: string): boolean {
  return text.startsWith('<!doctype html>') && text.includes(`<meta name="generator" content="${GENERATOR}">`);
}
