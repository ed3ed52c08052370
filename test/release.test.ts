/** A version and a day -> the changes that a release makes to CHANGELOG.md, src/version.ts and docs/openapi.json. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { releaseChangelog, releaseVersion } from './support/release/version.ts';

const ROOT = resolve(import.meta.dirname, '..');

test('a release moves the unreleased changes under its version and keeps earlier versions', () => {
  const before = '# Changelog\n\n## Unreleased\n\n### Added\n\n- a\n\n## 0.1.0 - 2026-01-02\n\n- b\n';
  expect(releaseChangelog(before, '0.2.0', '2026-11-22')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-22\n\n### Added\n\n- a\n\n## 0.1.0 - 2026-01-02\n\n- b\n',
  );
});

test('a release without an unreleased change is refused', () => {
  expect(() => releaseChangelog('# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-01-02\n\n- b\n', '0.2.0', '')).toThrow(
    'CHANGELOG.md lists no unreleased change',
  );
  expect(() => releaseChangelog('# Changelog\n', '0.2.0', '')).toThrow('has no section "## Unreleased"');
});

test('a release writes its version into the files that repeat it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const each of ['src', 'docs', 'test/fixtures']) mkdirSync(join(folder, each), { recursive: true });
  for (const file of ['CHANGELOG.md', 'src/version.ts', 'docs/openapi.json'])
    cpSync(join(ROOT, file), join(folder, file));
  writeFileSync(join(folder, 'package.json'), '{ "version": "9.8.7" }');
  releaseVersion(folder, '2026-11-22');
  expect(readFileSync(join(folder, 'src/version.ts'), 'utf8')).toContain("ENGINE_VERSION = '9.8.7';");
  const api = readFileSync(join(folder, 'docs/openapi.json'), 'utf8');
  expect(JSON.parse(api).info.version).toBe('9.8.7');
  expect(readFileSync(join(folder, 'test/fixtures/openapi-9.8.7.json'), 'utf8')).toBe(api);
  expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toContain('\n## Unreleased\n\n## 9.8.7 - 2026-11-22\n');
});
