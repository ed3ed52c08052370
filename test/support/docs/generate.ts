/**
 * Writes all generated files: the editor schemas, the OpenAPI document, the tables in the docs, then the outputs of the
 * examples in all pages.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SANDBOX_USERS, startSandbox } from '../../../src/sandbox/index.ts';
import { SCHEMA_FILES } from '../policy/schemas.ts';
import { DOCUMENT_FILE, DOCUMENT_TEXT } from '../service/document.ts';
import {
  CHECKS_INDEX,
  CODES,
  checkMarkdown,
  checkPage,
  checksIndexMarkdown,
  problemsOfExample,
} from './checks-pages.ts';
import { writeFindings } from './code-sentences.ts';
import { PAGES, ROOT, runPage } from './docs.ts';
import { catalogMarkdown } from './facts-page.ts';
import { writeKeys } from './keys-page.ts';
import { operatorsMarkdown } from './operators-page.ts';
import { writeProblems } from './problems-table.ts';

for (const [file, text] of SCHEMA_FILES) writeFileSync(join(ROOT, file), text);
writeFileSync(DOCUMENT_FILE, DOCUMENT_TEXT);
writeFileSync(join(ROOT, 'docs/facts.md'), catalogMarkdown());
writeFileSync(join(ROOT, 'docs/operators.md'), operatorsMarkdown());
rewrite(join(ROOT, 'docs/audit.md'), writeFindings);
rewrite(join(ROOT, 'docs/errors.md'), writeProblems);
for (const code of CODES) {
  const page = readFileSync(checkPage(code), 'utf8');
  writeFileSync(checkPage(code), checkMarkdown(page, code, await problemsOfExample(page, code, 'Avoid')));
}
rewrite(join(ROOT, 'docs/policy-reference.md'), writeKeys);
rewrite(CHECKS_INDEX, checksIndexMarkdown);

const sandbox = await startSandbox();
const { username = '', password = '' } = SANDBOX_USERS[0] ?? {};
const env = {
  VERDICT_BASE_URL: sandbox.url,
  VERDICT_ENVIRONMENT: 'sandbox',
  VERDICT_USERNAME: username,
  VERDICT_PASSWORD: password,
};
for (const page of PAGES) {
  const path = join(ROOT, page);
  writeFileSync(path, await runPage(readFileSync(path, 'utf8'), env));
}
await sandbox.close();

function rewrite(file: string, write: (text: string) => string): void {
  writeFileSync(file, write(readFileSync(file, 'utf8')));
}
