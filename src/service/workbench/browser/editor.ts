/** The text field of a draft -> an editor that checks, tests and saves while one writes. The page works without it. */

import { completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { RangeSet, StateEffect, StateField, type Text } from '@codemirror/state';
import { EditorView, GutterMarker, gutter, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { EditorWord } from '../../../policy/editor/word.ts';
import { CHANGES } from '../words/changes.ts';
import { wordsExtension } from './words.ts';

interface Point {
  readonly line: number;
  readonly column: number;
}

/** A problem; those of other files have no place here. */
interface Finding {
  readonly words: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
  /** The page of that check. */
  readonly why: string;
  readonly position?: Point & { readonly length: number };
  readonly fix?: readonly { readonly start: Point; readonly end: Point; readonly text: string }[];
}

interface Reached {
  readonly line: number;
  readonly share: 'all' | 'part' | 'none';
  readonly open: readonly string[];
}

/** What the service answers, by what it was asked. */
interface Answer {
  /** Absent where it was refused. */
  readonly version?: number;
  readonly findings?: readonly Finding[];
  readonly tests?: { readonly words: string; readonly failed: readonly string[]; readonly reached: readonly Reached[] };
  readonly tried?: readonly string[];
  readonly compared?: { readonly doubts: readonly string[]; readonly changes: readonly string[] };
  readonly conflict?: { readonly words: string; readonly text: string };
  readonly problem?: string;
}

/** Checked, tested and saved once nothing was written for so long. */
const [CHECK_AFTER_MS, TEST_AFTER_MS, SAVE_AFTER_MS] = [250, 1000, 2000];

/** So many problems are named beside the text. */
const MOST_NAMED = 20;

/** Acts whose answer is shown here; the others lead to another page. */
const HERE = ['save', 'check', 'test', 'try', 'compare'];

const setReached = StateEffect.define<readonly Reached[]>();

/** How much of a line the tests reach, as a sign with words. */
class Mark extends GutterMarker {
  readonly #reached: Reached;

  constructor(reached: Reached) {
    super();
    this.#reached = reached;
  }

  override toDOM(): Node {
    const { share, open } = this.#reached;
    const element = document.createElement('span');
    element.textContent = { all: '█', part: '▒', none: '░' }[share];
    element.title = share === 'all' ? CHANGES.reached : CHANGES.notReached(open);
    return element;
  }
}

const reachedLines = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update: (set, { changes, effects, newDoc }) => {
    const given = effects.find((effect) => effect.is(setReached));
    if (!given) return set.map(changes);
    const lines = given.value.filter(({ line }) => line <= newDoc.lines);
    return RangeSet.of(
      lines.map((each) => new Mark(each).range(newDoc.line(each.line).from)),
      true,
    );
  },
});

const THEME = EditorView.theme({
  '&': { border: '1px solid var(--rule)', borderRadius: '4px', background: 'var(--paper)', color: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--link)' },
  '.cm-scroller': { minHeight: '20rem', maxHeight: '70vh', overflow: 'auto', fontFamily: 'monospace' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': { background: 'var(--ground)', color: 'var(--soft)', border: '0' },
  '.cm-activeLine': { background: 'transparent' },
  '.cm-tooltip, .cm-panels': { background: 'var(--paper)', color: 'var(--ink)', borderColor: 'var(--rule)' },
  '.cm-tooltip p': { margin: '.25rem .5rem', maxWidth: '32rem' },
  // The package draws these with images, which no page here may load from its own text.
  '.cm-lintRange': { backgroundImage: 'none !important', textDecoration: 'underline wavy' },
  '.cm-lintRange-error': { textDecorationColor: 'var(--reject)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--review)' },
});

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--link)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
]);

function element(name: string, ...children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

function button(words: string, press: () => void): HTMLElement {
  const made = element('button', words);
  made.setAttribute('type', 'button');
  made.addEventListener('click', press);
  return made;
}

function listOf(items: readonly (Node | string)[]): HTMLElement {
  return element('ul', ...items.map((item) => element('li', item)));
}

/** Puts what is found below the heading of its part. */
function show(id: string, ...children: readonly (Node | string)[]): void {
  const part = document.getElementById(id);
  const heading = part?.querySelector('h3');
  part?.replaceChildren(...(heading ? [heading] : []), ...children);
}

function offsetOf(doc: Text, { line, column }: Point): number {
  if (line > doc.lines) return doc.length;
  const { from, to } = doc.line(line);
  return Math.min(from + column - 1, to);
}

async function start(form: HTMLFormElement, field: HTMLTextAreaElement): Promise<void> {
  const input = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
  const saved = element('p', CHANGES.saved);
  saved.setAttribute('role', 'status');
  let [isSaved, isInConflict] = [true, false];
  let [saving, testing] = [0, 0];

  const ask = async (act: string): Promise<Answer | undefined> => {
    const text = view.state.doc.toString();
    const names = ['csrf', 'file', 'version', 'title', 'facts'];
    const fields = Object.fromEntries(names.map((name) => [name, input(name).value]));
    const body = new URLSearchParams({ ...fields, do: act, as: 'data', text });
    const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual' }).catch(() => undefined);
    if (!answer?.headers.get('content-type')?.includes('json')) {
      saved.textContent = answer?.status === 401 ? CHANGES.sessionEnded : CHANGES.noAnswer;
      return undefined;
    }
    const given = (await answer.json()) as Answer;
    showProblem(given.problem);
    if (given.tests && text === view.state.doc.toString()) showTests(given.tests);
    if (given.tried) show('tried', listOf(given.tried));
    if (given.compared) showCompared(given.compared);
    return given;
  };

  const showProblem = (problem: string | undefined) => {
    const part = document.getElementById('problem');
    if (!part) return;
    part.className = problem === undefined ? '' : 'warning';
    part.textContent = problem ?? '';
  };
  const showTests = ({ words, failed, reached }: NonNullable<Answer['tests']>) => {
    show('tests', element('p', words), listOf(failed));
    view.dispatch({ effects: setReached.of(reached) });
  };
  const showCompared = ({ changes, doubts }: NonNullable<Answer['compared']>) => {
    const doubted = doubts.length > 0 ? [element('p', CHANGES.doubts), listOf(doubts)] : [];
    show('compared', listOf(changes), ...doubted);
  };

  const mend = ({ fix = [] }: Finding) => {
    const { doc } = view.state;
    const changes = fix.map(({ start, end, text }) => ({
      from: offsetOf(doc, start),
      to: offsetOf(doc, end),
      insert: text,
    }));
    view.dispatch({ changes });
    view.focus();
  };
  const goTo = (position: Point) => {
    const anchor = offsetOf(view.state.doc, position);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    view.focus();
  };
  const itemOf = (finding: Finding): HTMLElement => {
    const { words, why, position, fix } = finding;
    const link = element('a', CHANGES.why);
    // What is not saved yet stays in this window.
    for (const [name, value] of Object.entries({ href: why, target: '_blank' })) link.setAttribute(name, value);
    const buttons = [
      ...(position ? [button(CHANGES.goTo, () => goTo(position))] : []),
      ...(fix ? [button(CHANGES.mend, () => mend(finding))] : []),
    ];
    return element('span', element('code', words), ' ', ...buttons, ' ', link);
  };

  /** Asks the checker; what it finds is marked in the text and listed beside it. */
  const check = async (): Promise<readonly Diagnostic[]> => {
    const { doc } = view.state;
    const { findings } = (await ask('check')) ?? {};
    if (!findings || !doc.eq(view.state.doc)) return [];
    const named = findings.slice(0, MOST_NAMED).map(itemOf);
    const more = findings.length > MOST_NAMED ? [CHANGES.more(findings.length - MOST_NAMED)] : [];
    show('findings', findings.length > 0 ? listOf([...named, ...more]) : element('p', CHANGES.nothing));
    clearTimeout(testing);
    if (!findings.some(({ severity }) => severity === 'error'))
      testing = window.setTimeout(() => void ask('test'), TEST_AFTER_MS - CHECK_AFTER_MS);
    return findings.flatMap((finding): Diagnostic[] => {
      const { position, severity, message, fix } = finding;
      if (!position) return [];
      const from = offsetOf(doc, position);
      const actions = fix ? [{ name: CHANGES.mend, apply: () => mend(finding) }] : [];
      return [{ from, to: Math.min(from + position.length, doc.length), severity, message, actions }];
    });
  };

  const save = async (): Promise<void> => {
    clearTimeout(saving);
    const { doc } = view.state;
    const given = await ask('save');
    if (!given) return;
    if (given.version === undefined) {
      saved.textContent = CHANGES.notSaved;
      return;
    }
    for (const each of document.querySelectorAll<HTMLInputElement>('input[name=version]'))
      each.value = String(given.version);
    isInConflict = given.conflict !== undefined;
    if (given.conflict) showConflict(given.conflict);
    else {
      isSaved = doc.eq(view.state.doc);
      if (isSaved) saved.textContent = CHANGES.saved;
    }
  };
  /** Theirs is shown below. Only a person saves over it. */
  const showConflict = ({ words, text }: NonNullable<Answer['conflict']>) => {
    const theirs = element('textarea', text) as HTMLTextAreaElement;
    Object.assign(theirs, { readOnly: true, rows: 20 });
    theirs.setAttribute('aria-label', CHANGES.other);
    saved.replaceChildren(words, theirs);
  };

  const host = element('div');
  const root = host.attachShadow({ mode: 'open' });
  // A key of the page is a letter here.
  host.addEventListener('keydown', (event) => event.stopPropagation());
  field.hidden = true;
  field.after(host, saved);
  const answer = await fetch(`${location.pathname}/words`).catch(() => undefined);
  const words = answer?.ok ? ((await answer.json()) as readonly EditorWord[]) : [];
  const isYaml = /\.ya?ml$/.test(input('file').value);
  const view: EditorView = new EditorView({
    ...{ doc: field.value, parent: root, root },
    extensions: [
      ...[lineNumbers(), history(), highlightActiveLine(), highlightSelectionMatches(), EditorView.lineWrapping, THEME],
      ...(isYaml
        ? [yaml(), indentOnInput(), bracketMatching(), syntaxHighlighting(COLOURS), wordsExtension(words)]
        : []),
      ...[reachedLines, gutter({ class: 'cm-reached', markers: ({ state }) => state.field(reachedLines) })],
      linter(check, { delay: CHECK_AFTER_MS }),
      EditorView.contentAttributes.of({
        'aria-label': form.querySelector('label[for=text]')?.textContent ?? '',
        tabindex: '0',
      }),
      EditorView.updateListener.of(({ docChanged }) => {
        if (!docChanged) return;
        [isSaved, saved.textContent] = [false, CHANGES.unsaved];
        clearTimeout(testing);
        clearTimeout(saving);
        if (!isInConflict) saving = window.setTimeout(save, SAVE_AFTER_MS);
      }),
      keymap.of([
        { key: 'Mod-s', preventDefault: true, run: () => Boolean(save()) },
        ...[...lintKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap],
      ]),
    ],
  });

  form.addEventListener('submit', (event) => {
    const act = (event.submitter as HTMLButtonElement | null)?.value ?? 'save';
    field.value = view.state.doc.toString();
    isSaved ||= !HERE.includes(act);
    if (!HERE.includes(act)) return clearTimeout(saving);
    event.preventDefault();
    if (act === 'save') void save();
    else if (act === 'check') void check().then((found) => view.dispatch(setDiagnostics(view.state, found)));
    else {
      show({ test: 'tests', try: 'tried' }[act] ?? 'compared', element('p', CHANGES.asked));
      void ask(act);
    }
  });
  window.addEventListener('beforeunload', (event) => {
    if (!isSaved) event.preventDefault();
  });
}

const form = document.querySelector<HTMLFormElement>('#change');
const field = form?.querySelector<HTMLTextAreaElement>('#text');
if (form && field && !field.readOnly) void start(form, field);
