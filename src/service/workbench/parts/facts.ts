/** The paths of facts -> their names for people, with the path in the title, and beside a name that has the focus. */

import type { FactTable } from '../../../facts/catalog.ts';
import { type Child, span } from '../../../report/html/markup.ts';
import { codeName } from '../../../report/html/parts/phrases.ts';
import { nameOfFact } from '../../../report/words/fact-states.ts';

/** `isStop`: whether the keyboard reaches it; a table of many rules would have too many stops. */
export function factName(path: string, name: string | undefined, isStop = true): Child {
  if (name === undefined) return codeName(path, 'fact');
  return span({ class: 'fact-name', title: path, ...(isStop ? { tabindex: 0 } : {}) }, name);
}

/** A sentence with the names of the facts whose paths it has. */
export function namedFacts(text: string, facts: FactTable, isStop = true): Child {
  return text
    .split(/([A-Za-z][\w.]*)/)
    .map((part) => (facts.has(part) ? factName(part, nameOfFact(part, facts), isStop) : part));
}
