/** docs/errors.md has a section for each diagnostic code, with an example that causes this code and no other. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DIAGNOSTIC_CODES, type DiagnosticCode, type DiagnosticsError } from '../../src/diagnostics.ts';
import { watchPolicy } from '../../src/policy/watch/watch.ts';
import { runCli } from '../support/cli/cli.ts';
import { ROOT } from '../support/docs/docs.ts';
import { fileOf, textOf } from '../support/docs/example.ts';
import { HEAD, temporaryFolder } from '../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../support/policy/problems.ts';

const PAGE = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');

/** Causes that are too long for an example on the page. */
const BY_HAND: Partial<Record<DiagnosticCode, string>> = {
  'file-too-large': `${HEAD}#${' '.repeat(4 * 1024 * 1024)}`,
  'too-deep': ruleWhen(`${'{ not: '.repeat(70)}{ phone.score: 1 }${' }'.repeat(70)}`),
  'too-large': `${HEAD}description: ${'x'.repeat(10_001)}\n`,
  'not-checked': `${HEAD}rules:\n${Array.from(
    { length: 650 },
    (_, i) => `  - { id: r${i}, when: { phone.score: { between: [${i / 10}, ${i / 10 + 5}] } }, then: review }\n`,
  ).join('')}`,
  'too-many': `${HEAD}rules: [${'{},'.repeat(1100)}]`,
};

/** Codes that only `verdict check` reports, with the text of a second file that causes them. */
const BY_COMMAND: Partial<Record<DiagnosticCode, string>> = {
  'unused-file': 'rules:\n  - { id: risky, when: { phone.score: { above: 50 } }, then: review }\n',
  'unknown-file': 'some: thing\n',
};

/** Codes that `verdict check` reports for a captured answer, with a mapping that causes them. */
const BY_ANSWER: Partial<Record<DiagnosticCode, string>> = {
  'unread-status': 'signals: { phone.score: phone.score }\n',
  'source-elsewhere':
    'sources:\n  phone: { at: phone.status, answered: [ok], signals: [phone.*, email.*] }\n' +
    '  email: { at: email.status, answered: [ok], signals: [email.*] }\n' +
    'signals: { phone.score: phone.score, email.address.score: email.score }\n',
};

/** Codes that only watching reports, with an edit of the policy `ruleWhen` that causes them. */
const BY_WATCHING: Partial<Record<DiagnosticCode, string>> = {
  'rules-lost': HEAD,
};

const diagnosticsPart = /^## Diagnostics\n(.*?)^## /ms.exec(PAGE)?.[1] ?? '';

const sections = new Map(
  diagnosticsPart
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

/** The CSV file of a section, whose path is in its first line. */
function filesOf(code: DiagnosticCode): Record<string, string> {
  const [, text] = /^```csv\n(.*?)^```$/ms.exec(sections.get(code) ?? '') ?? [];
  const file = text && fileOf(text);
  return file ? { [file]: textOf(text) } : {};
}

function exampleOf(code: DiagnosticCode): string {
  const [, example] = /^```yaml\n(.*?)^```$/ms.exec(sections.get(code) ?? '') ?? [];
  return example === undefined ? (BY_HAND[code] ?? '') : HEAD + example;
}

const codes = Object.keys(DIAGNOSTIC_CODES) as DiagnosticCode[];

describe('docs/errors.md', () => {
  it('has exactly one section for each diagnostic code, in order', () => {
    expect([...sections.keys()]).toEqual(codes);
  });

  it.each(codes)('explains %s and then what to do about it', (code) => {
    const paragraphs = (sections.get(code) ?? '').replace(/^```.*?^```$/gms, '').split(/\n{2,}/);
    const [, meaning, mend = ''] = paragraphs.map((paragraph) => paragraph.trim());
    expect(meaning).toBe(DIAGNOSTIC_CODES[code]);
    expect(mend).not.toBe('');
  });

  it.each(codes.filter((code) => !(code in { ...BY_COMMAND, ...BY_ANSWER, ...BY_WATCHING })))(
    'has an example that causes %s and no other code',
    (code) => {
      const found = new Set(
        problemsOf(exampleOf(code), filesOf(code)).codes.map((each) => each.replace('warning ', '')),
      );
      // The example of too-many has empty maps, which are reported too.
      expect([...found].sort()).toEqual(code === 'too-many' ? ['empty', code] : [code]);
    },
  );

  it.each(Object.entries(BY_COMMAND))('lists %s, which a second file next to a policy causes', async (code, text) => {
    const folder = temporaryFolder({ 'policy.yaml': ruleWhen('{ phone.valid: false }'), 'other.yaml': text });
    const paths = [join(folder, 'policy.yaml'), join(folder, 'other.yaml')];
    const { stdout } = await runCli(['check', ...paths, '--format', 'line']);
    const lines = stdout.split('\n').filter((line) => codes.some((each) => line.includes(each)));
    expect(lines).toEqual([expect.stringMatching(`other\\.yaml.*${code}`)]);
  });

  it.each(Object.entries(BY_ANSWER))('lists %s, which a mapping causes for a captured answer', async (code, text) => {
    const answer = { phone: { status: 'ok', score: 1 }, email: { status: 'ok', score: 2 } };
    const folder = temporaryFolder({ 'signals.yaml': text, 'answer.json': JSON.stringify(answer) });
    const args = [join(folder, 'signals.yaml'), '--answer', join(folder, 'answer.json'), '--format', 'line'];
    const lines = (await runCli(['check', ...args])).stdout.split('\n');
    expect(lines.filter((line) => line.includes('['))).toEqual([expect.stringContaining(`warning[${code}]`)]);
  });

  it.each(Object.entries(BY_WATCHING))('lists %s, which an edit of a watched policy causes', async (code, text) => {
    const file = join(temporaryFolder({ 'policy.yaml': ruleWhen('{ phone.valid: false }') }), 'policy.yaml');
    const { promise: reported, resolve: onError } = Promise.withResolvers<DiagnosticsError>();
    const watcher = watchPolicy(file, { onError });
    onTestFinished(() => watcher.close());
    writeFileSync(file, text);
    expect((await reported).diagnostics.map((each) => each.code)).toEqual([code]);
  });
});
