/** A draft of a release -> the page that edits one of its files, and the same for the script of that page. */

import { formatDiagnosticLine, listProblems, MOST_NAMED } from '../../../diagnostics.ts';
import type { Draft } from '../../../release/draft/drafts.ts';
import type { Found, TestsRun } from '../../../release/draft/work.ts';
import { type Child, h1, h3, p } from '../../../report/html/markup.ts';
import { codeValue } from '../../../report/html/parts/phrases.ts';
import { bullets, folded } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import { actionForm, field, submit, textField } from '../parts/form.ts';
import type { Reader, ServedPage } from '../parts/frame.ts';
import { minute } from '../parts/times.ts';
import { CHANGES } from '../words/changes.ts';
import { pathOfCheck } from './reference-page.ts';

/** What the page of a draft shows: one of its files, and what was asked of it. */
export interface ChangeData {
  readonly draft: Draft;
  readonly file: string;
  readonly text: string;
  /** Whether a browser shows and sends the text as it is. */
  readonly isEditable: boolean;
  readonly files: readonly string[];
  /** The release in force, if another replaced what the draft replaces. */
  readonly over: number | undefined;
  readonly found?: readonly Found[];
  readonly tests?: TestsRun;
  readonly compared?: Compared;
  /** Facts, and what is decided of them today. */
  readonly facts?: string | undefined;
  readonly tried?: readonly string[];
  /** What somebody else saved in the meantime. */
  readonly conflict?: { readonly by: string; readonly text: string };
  readonly problem?: string;
}

/** What is proved of a draft, in sentences. */
export interface Compared {
  readonly doubts: readonly string[];
  readonly changes: readonly string[];
}

const pathOf = ({ draft }: ChangeData, step: string) => `/changes/${draft.id}${step}`;

export function changePage(data: ChangeData, reader: Reader): ServedPage {
  const { draft, file, text, files, isEditable, over, conflict, problem } = data;
  const { version, base, title, by, at, authors, edited } = draft;
  const rows = Math.min(40, Math.max(10, text.split('\n').length + 1));
  const linkTo = (path: string) => {
    const current = path === file ? ({ 'aria-current': 'page' } as const) : {};
    const to = s.link({ href: `${pathOf(data, '')}?${new URLSearchParams({ file: path })}`, ...current }, path);
    return Object.hasOwn(edited, path) ? [to, ` ${CHANGES.edited}`] : to;
  };
  const others = files.filter((path) => path !== file && !Object.hasOwn(edited, path));
  const act = (name: string, words: string, more = {}) => submit(words, { name: 'do', value: name, ...more });
  return {
    title: CHANGES.title(title, base),
    hasEditor: true,
    head: [
      p({ class: 'kind' }, CHANGES.kind, s.link({ href: `/releases/${base}` }, base)),
      h1(CHANGES.title(title, base)),
      p(
        { class: 'lead' },
        CHANGES.lead(
          by,
          authors.filter((author) => author !== by),
        ),
        ...[minute(Date.parse(at)), '. ', CHANGES.hint],
      ),
      over === undefined ? undefined : p({ class: 'warning' }, CHANGES.over(over)),
      isEditable ? undefined : p({ class: 'warning' }, CHANGES.notHere),
      s.region({ role: 'alert', id: 'problem', ...(problem === undefined ? {} : { class: 'warning' }) }, problem),
    ],
    parts: [
      {
        id: 'edit',
        title: file,
        content: [
          conflict && p({ class: 'warning' }, CHANGES.conflict(conflict.by)),
          actionForm(
            reader,
            { action: pathOf(data, '/edit'), look: 'edit', id: 'change' },
            s.input({ type: 'hidden', name: 'file', value: file }),
            s.input({ type: 'hidden', name: 'version', value: String(version) }),
            // A browser drops the first line break of a text field.
            field(
              'text',
              CHANGES.text(file),
              s.textarea(
                { id: 'text', name: 'text', rows, readonly: !isEditable, spellcheck: 'false' as const },
                `\n${text}`,
              ),
            ),
            isEditable
              ? [
                  ...[act('save', CHANGES.save, { class: 'main' }), ' ', act('check', CHANGES.check), ' '],
                  ...[act('test', CHANGES.test), ' ', act('compare', CHANGES.compare), ' '],
                  ...[act('suggest', CHANGES.suggest), ' ', act('accept', CHANGES.accept)],
                  over === undefined ? undefined : [' ', act('rebase', CHANGES.rebase)],
                  textField('title', CHANGES.for, { value: title }),
                  act('propose', CHANGES.propose),
                  field(
                    'facts',
                    CHANGES.facts,
                    s.textarea({ id: 'facts', name: 'facts', rows: 4 }, `\n${data.facts ?? ''}`),
                  ),
                  act('try', CHANGES.try),
                ]
              : undefined,
          ),
          conflict &&
            field('theirs', CHANGES.theirs(conflict.by), [
              s.textarea({ id: 'theirs', rows, readonly: true }, `\n${conflict.text}`),
            ]),
        ],
      },
      {
        id: 'end',
        title: CHANGES.end,
        content: actionForm(
          reader,
          { action: pathOf(data, '/discard') },
          s.input({ type: 'hidden', name: 'version', value: String(version) }),
          submit(CHANGES.discard),
        ),
      },
    ],
    aside: {
      id: 'results',
      title: CHANGES.results,
      content: [
        h3(CHANGES.files),
        bullets([...new Set([...Object.keys(edited), file])].sort().map(linkTo)),
        others.length > 0 ? folded(CHANGES.others, bullets(others.map(linkTo))) : undefined,
        s.region({ id: 'findings', role: 'status' }, h3(CHANGES.findings), findingsOf(data.found)),
        s.region({ id: 'tests', role: 'status' }, h3(CHANGES.tests), testsOf(data.tests)),
        s.region({ id: 'tried', role: 'status' }, h3(CHANGES.tried), linesOf(data.tried)),
        s.region({ id: 'compared', role: 'status' }, h3(CHANGES.compared), comparedOf(data.compared)),
      ],
    },
  };
}

function findingsOf(found: readonly Found[] | undefined): Child {
  if (!found) return p(CHANGES.notYet);
  return found.length > 0 ? bullets(listProblems(found, problemOf)) : p(CHANGES.nothing);
}

function problemOf(found: Found): Child {
  return [codeValue(wordsOf(found)), ' ', s.link({ href: pathOfCheck(found.code) }, CHANGES.why)];
}

function wordsOf(found: Found): string {
  return [formatDiagnosticLine(found), found.hint].filter((text) => text !== undefined).join('; ');
}

function testsOf(tests: TestsRun | undefined): Child {
  if (!tests) return p(CHANGES.notYet);
  return [p(saidOf(tests)), bullets(failuresOf(tests))];
}

function linesOf(lines: readonly string[] | undefined): Child {
  return lines ? bullets(lines) : p(CHANGES.notYet);
}

function comparedOf(compared: Compared | undefined): Child {
  if (!compared) return p(CHANGES.notYet);
  const { doubts, changes } = compared;
  return [bullets(changes), doubts.length > 0 ? [p(CHANGES.doubts), bullets(doubts)] : undefined];
}

const saidOf = ({ passed, failed, skipped }: TestsRun) => CHANGES.passed(passed, failed.length, skipped);

function failuresOf({ failed }: TestsRun): readonly string[] {
  const named = failed.slice(0, MOST_NAMED).map(({ file, line, name, why }) => CHANGES.failed(file, line, name, why));
  return [...named, ...(failed.length > MOST_NAMED ? [CHANGES.more(failed.length - MOST_NAMED)] : [])];
}

/** The same for the script: sentences, and what it marks in the text. */
export function changeAnswer(data: ChangeData): object {
  const { draft, file, found, tests, tried, compared, conflict, problem } = data;
  return {
    version: draft.version,
    ...(found && {
      findings: found.map((each) => ({
        ...{ words: wordsOf(each), severity: each.severity, why: pathOfCheck(each.code) },
        ...(each.file === file ? { position: each.position, fix: each.fix } : {}),
        message: [each.message, each.hint].filter((text) => text !== undefined).join('; '),
      })),
    }),
    ...(tests && {
      tests: {
        ...{ words: saidOf(tests), failed: failuresOf(tests) },
        reached: tests.reached.filter((each) => each.file === file),
      },
    }),
    ...(tried && { tried }),
    ...(compared && { compared }),
    ...(conflict && { conflict: { ...conflict, words: CHANGES.conflict(conflict.by) } }),
    ...(problem !== undefined && { problem }),
  };
}
