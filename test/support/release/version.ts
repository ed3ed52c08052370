/**
 * `npm version minor` runs this between setting the version and committing it: the new version goes into src/version.ts,
 * and what CHANGELOG.md lists as unreleased goes under a heading with the version and the day.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const HEADING = '## Unreleased\n';

/** A changelog and a version -> the changelog with its unreleased changes under that version. */
export function releaseChangelog(changelog: string, version: string, day: string): string {
  const at = changelog.indexOf(`\n${HEADING}`);
  if (at < 0) throw new Error('CHANGELOG.md has no section "## Unreleased"');
  const start = at + 1 + HEADING.length;
  const next = changelog.indexOf('\n## ', start);
  const changes = changelog.slice(start, next < 0 ? undefined : next);
  if (changes.trim() === '') throw new Error('CHANGELOG.md lists no unreleased change');
  return `${changelog.slice(0, start)}\n## ${version} - ${day}\n${changelog.slice(start)}`;
}

/** Writes the version of `package.json` into the files that repeat it, in the folder of a checkout. */
export function releaseVersion(root: string, day: string): void {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const [changelog, source] = [join(root, 'CHANGELOG.md'), join(root, 'src/version.ts')];
  writeFileSync(changelog, releaseChangelog(readFileSync(changelog, 'utf8'), version, day));
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, text.replace(/(ENGINE_VERSION = ')[^']*'/, `$1${version}'`));
}

if (import.meta.main) {
  releaseVersion(resolve(import.meta.dirname, '../../..'), new Date().toISOString().slice(0, 10));
}
