/** The words of the language -> what an editor completes and explains. */

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import type { EditorWord } from '../../../policy/editor/word.ts';

const OF_LISTS = /\b(?:inList|notInList|inDomainList|notInDomainList):\s*[\w-]*$/;
const FACT_ABOVE = /^(\s*)(?:- )?([A-Za-z]\w*(?:\.\w+)+):\s*$/;

export function wordsExtension(words: readonly EditorWord[]): Extension {
  const facts = new Map(words.filter(({ kind }) => kind === 'fact').map((word) => [word.name, word]));
  const byName = Map.groupBy(words, ({ name }) => name);
  const complete = (context: CompletionContext): CompletionResult | null => {
    const typed = context.matchBefore(/[\w.$-]+/);
    if (!typed && !context.explicit) return null;
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const from = typed?.from ?? context.pos;
    if (OF_LISTS.test(before)) return { from, options: words.filter(({ kind }) => kind === 'list').map(optionOf) };
    const here = factBefore(before);
    const fact = facts.get(here?.name ?? factAbove(context, line.number) ?? '');
    if (!fact) return { from, options: words.filter(({ kind }) => kind !== 'operator').map(optionOf) };
    const operators = words.filter(
      ({ kind, types = [] }) => kind === 'operator' && types.includes(fact.types?.[0] ?? ''),
    );
    const values = (fact.values ?? []).map((value): Completion => ({ label: value, type: 'enum' }));
    const needsBrace = here !== undefined && !here.hasBrace;
    const asTest = (word: EditorWord) => ({
      ...optionOf(word),
      apply: needsBrace ? `{ ${word.name}: ` : `${word.name}: `,
    });
    return { from, options: [...values, ...operators.map(asTest)] };
  };
  const hover = hoverTooltip((view, pos) => {
    const { text, from } = view.state.doc.lineAt(pos);
    const found = [...text.matchAll(/[\w.$]+/g)].find(({ index, 0: word }) => {
      return index <= pos - from && pos - from < index + word.length;
    });
    const about = found && byName.get(found[0]);
    if (!about) return null;
    return {
      ...{ pos: from + found.index, end: from + found.index + found[0].length, above: true },
      create: () => {
        const dom = document.createElement('div');
        for (const word of about) dom.append(paragraph(`${word.name}, ${kindOf(word)}`), paragraph(word.about));
        return { dom };
      },
    };
  });
  return [autocompletion({ override: [complete], icons: false }), hover];
}

/** The fact that is tested at the end of a text: `email.risk: { at`, or `email.risk: hi`. */
function factBefore(text: string): { readonly name: string; readonly hasBrace: boolean } | undefined {
  let [name, hasBrace, previous] = ['', false, ''];
  for (const [token] of text.matchAll(/[\w.-]+|[^\w.-]/g)) {
    if (token === ':' && previous.includes('.')) [name, hasBrace] = [previous, false];
    else if (token === '{') hasBrace = true;
    else if (token === '}') name = '';
    previous = token;
  }
  return name === '' ? undefined : { name, hasBrace };
}

/** The fact whose operators stand below it, each on a line. */
function factAbove({ state, pos }: CompletionContext, number: number): string | undefined {
  const indent = /^\s*/.exec(state.doc.lineAt(pos).text)?.[0].length ?? 0;
  const above = number > 1 ? FACT_ABOVE.exec(state.doc.line(number - 1).text) : null;
  return above && (above[1] ?? '').length < indent ? above[2] : undefined;
}

function optionOf({ name, kind, about, types = [] }: EditorWord): Completion {
  return { label: name, detail: kind === 'fact' ? types.join(', ') : kind, info: about };
}

function kindOf({ kind, types = [], values = [] }: EditorWord): string {
  return [kind, ...(kind === 'fact' ? types : []), values.join(', ')].filter((text) => text !== '').join(': ');
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}
