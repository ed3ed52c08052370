/** A diagnostic code -> its page, `docs/checks/CODE.md` of the package: an example to avoid, one to prefer, and why. */

import { readFileSync } from 'node:fs';
import type { DiagnosticCode } from '../../diagnostics.ts';

const PAGES = new URL('../../../docs/checks/', import.meta.url);

/** The page as Markdown without links, which lead nowhere outside the documentation; undefined if it is not there. */
export function readCheckPage(code: DiagnosticCode): string | undefined {
  try {
    return readFileSync(new URL(`${code}.md`, PAGES), 'utf8').replace(/\[([^\]]*)\]\([^)\s]+\)/g, '$1');
  } catch {
    return undefined;
  }
}
