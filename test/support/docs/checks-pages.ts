/**
 * docs/checks/: a page on a diagnostic, with an example to avoid and one to prefer -> the same page with its head and
 * the messages that the example causes; all pages -> their index.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readPolicyText } from '../../../src/core.ts';
import {
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  formatDiagnostic,
} from '../../../src/diagnostics.ts';
import { createDeepCheck } from '../../../src/lab/prove/check/deep-check.ts';
import { checkGuarantees } from '../../../src/lab/prove/prove.ts';
import { DEEP_CODES } from '../../../src/policy/check/check.ts';
import { type CheckOptions, checkFiles, checkFilesDeeply } from '../../../src/policy/check/check-files.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { findLostRules } from '../../../src/policy/watch/watch.ts';
import { commitAll } from '../policy/git.ts';
import { ROOT } from './docs.ts';
import { HEAD } from './example.ts';
import { withTableBelow } from './tables.ts';

const CHECKS = join(ROOT, 'docs/checks');
export const CHECKS_INDEX = join(CHECKS, 'README.md');

/** The codes of diagnostics, in their order. */
export const CODES = Object.keys(DIAGNOSTIC_CODES) as DiagnosticCode[];

/** The files of an example, by path. */
type Files = Readonly<Record<string, string>>;

/** Policies to avoid that are too large for a page. */
const LARGE: Partial<Record<DiagnosticCode, () => string>> = {
  'file-too-large': () => `#${' '.repeat(4 * 1024 * 1024)}`,
  'too-deep': () => rule(`${'{ not: '.repeat(70)}{ phone.score: 1 }${' }'.repeat(70)}`),
  'too-large': () => `description: ${'x'.repeat(10_001)}\n${rule('{ phone.valid: false }')}`,
  'not-checked': () => `rules:\n${Array.from({ length: 650 }, (_, i) => overlapping(i)).join('')}`,
  'too-many': () => `rules: [${'{},'.repeat(1100)}]\n`,
};

const rule = (condition: string) => `rules:\n  - { id: one, then: review, when: ${condition} }\n`;

const overlapping = (i: number) =>
  `  - { id: r${i}, then: review, when: { phone.score: { between: [${i / 10}, ${i / 10 + 5}] } } }\n`;

/** The pages in the folder, by code. */
export function pagesOnChecks(): readonly string[] {
  const names = readdirSync(CHECKS).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return names.map((name) => name.slice(0, -'.md'.length));
}

/** The path of the page on a code. */
export function checkPage(code: DiagnosticCode): string {
  return join(CHECKS, `${code}.md`);
}

/** The problems that the example of a section causes; the folder of the files is left out of their paths. */
export async function problemsOfExample(
  page: string,
  code: DiagnosticCode,
  section: 'Avoid' | 'Prefer',
): Promise<readonly Diagnostic[]> {
  const files = filesOf(page, section);
  if (code.startsWith('guarantee-')) return problemsOfGuarantees(files);
  if (DEEP_CODES.includes(code)) return deepProblems(files);
  if (code === 'version-unchanged') return problemsSince(files);
  if (section === 'Prefer') return problemsOfFiles(files);
  const large = LARGE[code];
  if (large) return problemsOfFiles({ 'policy.yaml': large() + HEAD });
  // In a browser, patterns have no engine unless the program gives one.
  if (code === 'not-supported') return [...readPolicyText(files['policy.yaml'] ?? '').diagnostics];
  if (code === 'rules-lost') return problemsOfEdit(filesOf(page, 'Prefer'), files);
  return problemsOfFiles(files);
}

/** What errors do that are found in a file that loads. */
const ERRORS: Partial<Record<DiagnosticCode, string>> = {
  'guarantee-broken': 'the file loads, and a proof of its guarantees fails',
};

/** The page with a current head, and with the messages that its example to avoid causes. */
export function checkMarkdown(page: string, code: DiagnosticCode, avoided: readonly Diagnostic[]): string {
  const problems = avoided.filter((problem) => problem.code === code);
  const isLarge = code in LARGE;
  // A place in a policy that is not shown says nothing.
  const messages = problems.map((problem) => {
    const { position: _position, line: _line, related: _related, ...placeless } = problem;
    return formatDiagnostic(isLarge ? placeless : problem);
  });
  const isWarning = problems[0]?.severity === 'warning';
  const kind = isWarning ? 'A warning: the file loads.' : `An error: ${ERRORS[code] ?? 'the file does not load'}.`;
  const head = `# ${code}\n\n${DIAGNOSTIC_CODES[code]}\n\n${kind}\n\n`;
  const shown = `\`\`\`text\n${[...new Set(messages)].slice(0, 4).join('\n')}\n\`\`\`\n\n`;
  const body = page.slice(page.indexOf('## Avoid')).replace(/^```text\n(?:\S+: )?(?:error|warning)\[.*?^```\n\n/ms, '');
  return head + body.replace('## Prefer\n', () => `${shown}## Prefer\n`);
}

/** The index with a row for each page below its headings `Errors` and `Warnings`. */
export function checksIndexMarkdown(index: string): string {
  const isWarning = (code: DiagnosticCode) => readFileSync(checkPage(code), 'utf8').includes('\n\nA warning: ');
  const errors = CODES.filter((code) => !isWarning(code));
  return withTableBelow(withTableBelow(index, 'Errors', tableOf(errors)), 'Warnings', tableOf(CODES.filter(isWarning)));
}

function tableOf(codes: readonly DiagnosticCode[]): string {
  return `| code | what was found |\n| --- | --- |\n${codes.map(rowOf).join('')}`;
}

const rowOf = (code: DiagnosticCode) => `| [\`${code}\`](${code}.md) | ${DIAGNOSTIC_CODES[code]} |\n`;

/**
 * The files that a section shows: a block is a file whose path is in its first line, as a comment, or else the policy.
 */
function filesOf(page: string, section: string): Files {
  const text = new RegExp(`^## ${section}\n(.*?)(?=^## )`, 'ms').exec(page)?.[1] ?? '';
  const blocks = [...text.matchAll(/^```(yaml|csv|txt|json)\n(.*?)^```$/gms)];
  const files = blocks.map(({ 1: language = '', 2: block = '' }) => {
    const [line = '', path] = /^# ([\w./-]+\.\w+)\n/.exec(block) ?? [];
    // The required keys come last, so that lines have the numbers that a reader counts.
    if (path === undefined) return ['policy.yaml', block + HEAD] as const;
    // CSV and JSON have no comments.
    return [path, /csv|json/.test(language) ? block.slice(line.length) : block] as const;
  });
  return Object.fromEntries(files);
}

/** What it finds in a repository in which the files below `before/` were committed, and are then these. */
function problemsSince(files: Files): Diagnostic[] {
  const { 'before/policy.yaml': before = '', ...after } = files;
  return problemsOfFiles({ 'policy.yaml': before }, (folder) => {
    commitAll(folder);
    for (const [path, text] of Object.entries(after)) writeFileSync(join(folder, path), text);
    return { since: 'HEAD' };
  });
}

/** What `verdict check --deep` finds in a folder with these files. */
async function deepProblems(files: Files): Promise<readonly Diagnostic[]> {
  const folder = writeFolder(files);
  try {
    const { diagnostics } = await checkFilesDeeply([folder], { at: '2026-11-20' }, createDeepCheck());
    return diagnostics.map((each) => withoutFolder(each, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the folder is called differs from run to run. */
function withoutFolder({ message, hint, related, ...each }: Diagnostic, folder: string): Diagnostic {
  const inFolder = (text: string) => text.replaceAll(`${folder}/`, '');
  return {
    ...each,
    file: inFolder(each.file),
    message: inFolder(message),
    ...(hint === undefined ? {} : { hint: inFolder(hint) }),
    ...(related === undefined ? {} : { related: { ...related, file: inFolder(related.file) } }),
  };
}

/** What `verdict check` finds in a folder with these files. */
function problemsOfFiles(files: Files, prepare: (folder: string) => CheckOptions = () => ({})): Diagnostic[] {
  return withFolder(files, (folder) => {
    const named = (each: Diagnostic) => withoutFolder(each, folder);
    const answer = files['answer.json'];
    const answers = answer === undefined ? [] : [JSON.parse(answer) as unknown];
    try {
      return checkFiles([folder], { answers, at: '2026-11-20', ...prepare(folder) }).diagnostics.map(named);
    } catch (error) {
      if (error instanceof DiagnosticsError) return error.diagnostics.map(named);
      throw error;
    }
  });
}

/** What a service reports whose policy is edited. */
function problemsOfEdit(before: Files, after: Files): Diagnostic[] {
  const [inForce, edited] = [before, after].map((files) =>
    withFolder(files, (folder) => loadPolicy(join(folder, 'policy.yaml'))),
  );
  if (!inForce || !edited) throw new Error('both policies must load');
  const lost = findLostRules(inForce, edited, '2026-11-20', 'policy.yaml');
  return lost ? [{ ...lost, file: 'policy.yaml' }] : [];
}

/** What the proof of the guarantees finds. */
async function problemsOfGuarantees(files: Files): Promise<readonly Diagnostic[]> {
  const policy = withFolder(files, (folder) => loadPolicy(join(folder, 'policy.yaml')));
  const problems = await checkGuarantees(policy, { at: '2026-11-20' });
  return problems.map((each) => ({ ...each, file: 'policy.yaml' }));
}

/** Gives the result of a function on a folder with these files. */
function withFolder<Result>(files: Files, use: (folder: string) => Result): Result {
  const folder = writeFolder(files);
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeFolder(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-check-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
