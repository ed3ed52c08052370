/** The OpenAPI document of the service, as it is committed, and those of releases. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiOf } from '../../../src/service/openapi.ts';
import { ROUTES } from '../../../src/service/routes.ts';
import { ROOT } from '../docs/docs.ts';
import type { Document } from './breaking.ts';

/** `npm run generate` writes it. */
export const DOCUMENT_FILE = join(ROOT, 'docs/openapi.json');
/** Indented by one space: with two, the package takes 70 kB more on the disk. */
export const DOCUMENT_TEXT = `${JSON.stringify(openApiOf(ROUTES), null, 1)}\n`;

/** A copy of the document, to change. */
export function readDocument(): Document {
  return JSON.parse(DOCUMENT_TEXT) as Document;
}

/** The document of the last release: `npm version` keeps one of each. */
export function releasedDocument(): Document {
  const files = globSync('test/fixtures/openapi-*.json', { cwd: ROOT });
  const last = files.sort((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1) ?? '';
  return JSON.parse(readFileSync(join(ROOT, last), 'utf8')) as Document;
}
