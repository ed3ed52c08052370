/**
 * `npm version minor` runs this between setting the version and committing it: it writes the new version into
 * src/version.ts and docs/openapi.json, moves the unreleased changes of CHANGELOG.md under a heading with the version
 * and the day, and keeps the OpenAPI document, so that later ones are compared with it.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const HEADING = '## Unreleased\n';

/** Moves the unreleased changes of a changelog under a heading for the version. */
export function releaseChangelog(changelog: string, version: string, day: string): string {
  const at = changelog.indexOf(`\n${HEADING}`);
  if (at < 0) throw new Error('CHANGELOG.md has no section "## Unreleased"');
  const start = at + 1 + HEADING.length;
  const next = changelog.indexOf('\n## ', start);
  const changes = changelog.slice(start, next < 0 ? undefined : next);
  if (changes.trim() === '') throw new Error('CHANGELOG.md lists no unreleased change');
  return `${changelog.slice(0, start)}\n## ${version} - ${day}\n${changelog.slice(start)}`;
}

/** Writes the version of `package.json` into the files of a checkout that repeat it. */
export function releaseVersion(root: string, day: string): void {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const [changelog, source] = [join(root, 'CHANGELOG.md'), join(root, 'src/version.ts')];
  writeFileSync(changelog, releaseChangelog(readFileSync(changelog, 'utf8'), version, day));
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, text.replace(/(ENGINE_VERSION = ')[^']*'/, `$1${version}'`));
  const api = readFileSync(join(root, 'docs/openapi.json'), 'utf8').replace(/("version": ")[^"]*"/, `$1${version}"`);
  for (const file of ['docs/openapi.json', `test/fixtures/openapi-${version}.json`])
    writeFileSync(join(root, file), api);
}

if (import.meta.main) {
  releaseVersion(resolve(import.meta.dirname, '../../..'), new Date().toISOString().slice(0, 10));
}
