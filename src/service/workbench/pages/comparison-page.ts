/** The edits between two versions of a policy -> a page of sentences: rules first, then what they refer to. */

import type { PolicyEdit } from '../../../lab/diff/edits/edit.ts';
import type { Page } from '../../../report/html/document.ts';
import { type Child, h1, p } from '../../../report/html/markup.ts';
import { codeName, codeNames, codeValue } from '../../../report/html/parts/phrases.ts';
import { bullets } from '../../../report/html/parts/table.ts';
import { link } from '../../../report/html/served.ts';
import { capitalised, count } from '../../../text.ts';

export interface ComparisonData {
  /** Its name in the API. */
  readonly name: string;
  readonly old: string;
  readonly now: string;
  readonly edits: readonly PolicyEdit[];
  /** Lists with edited entries that the reader may not see. */
  readonly hiddenLists: readonly string[];
}

const KINDS = {
  added: 'Rules that are new',
  removed: 'Rules that are removed',
  changed: 'Rules that changed',
} as const;

export function comparisonPage({ name, old, now, edits, hiddenLists }: ComparisonData): Page {
  const isOfRule = ({ path }: PolicyEdit) => path[0] === 'rules';
  const kindOf = ({ kind }: PolicyEdit) => (kind === 'renamed' ? 'changed' : kind);
  const rules = Map.groupBy(edits.filter(isOfRule), kindOf);
  const others = edits.filter((edit) => !isOfRule(edit));
  const hidden =
    hiddenLists.length > 0
      ? p('Other entries, which your roles do not show, in ', codeNames(hiddenLists), '.')
      : undefined;
  const isSame = edits.length === 0 && hiddenLists.length === 0;
  return {
    title: `Edits of policy ${name}`,
    head: [
      p({ class: 'kind' }, 'What was edited'),
      h1(codeName(name), ' ', codeValue(old), ' to ', codeValue(now)),
      p({ class: 'lead' }, isSame ? 'Both versions say the same.' : `${capitalised(count(edits.length, 'edit'))}.`),
      p(link({ href: `/policies/${name}` }, 'The policy in force')),
    ],
    parts: [
      ...Object.entries(KINDS).map(([kind, title]) => {
        return { id: kind, title, content: sentences(rules.get(kind as keyof typeof KINDS) ?? []) };
      }),
      {
        id: 'others',
        title: 'Lists, parameters and the policy as a whole',
        content: others.length > 0 || hidden ? [sentences(others), hidden] : undefined,
      },
    ],
    foot:
      'Each version as its last decision on record had it. An edit may change no decision: verdict diff says whose ' +
      'decisions change.',
  };
}

function sentences(edits: readonly PolicyEdit[]): Child {
  return edits.length === 0 ? undefined : bullets(edits.map(({ text }) => `${capitalised(text)}.`));
}
