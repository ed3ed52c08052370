/** The personal facts of a decision, masked or revealed -> a table, and the form that reveals them. */

import { type Child, p } from '../../../report/html/markup.ts';
import { codeValue } from '../../../report/html/parts/phrases.ts';
import { pairs } from '../../../report/html/parts/table.ts';
import { factName } from './facts.ts';
import { actionForm, submit, whyField } from './form.ts';
import type { Reader } from './frame.ts';

export interface Personal {
  /** `name`: what people call the fact. */
  readonly facts: readonly { readonly path: string; readonly text: string; readonly name?: string | undefined }[];
  readonly isRevealed: boolean;
  readonly mayReveal: boolean;
}

export function personalPart({ facts, isRevealed, mayReveal }: Personal, reader: Reader, action: string): Child {
  if (facts.length === 0) return p('No personal facts can be read.');
  return [
    p({ class: 'soft' }, isRevealed ? 'Personal facts. That you see them is on record.' : 'Personal facts, masked'),
    pairs(facts.map(({ path, text, name }) => [factName(path, name), codeValue(text)])),
    mayReveal && !isRevealed
      ? actionForm(
          reader,
          { action, id: 'reveal', look: 'line' },
          whyField('reveal-why', 'Why do you need to see them?'),
          submit('Reveal (v)', { 'data-key': 'v' }),
        )
      : undefined,
  ];
}
