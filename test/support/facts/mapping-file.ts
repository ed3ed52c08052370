/** YAML texts -> mappings, by way of a file of their own that is gone when the tests are. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { formatDiagnostic } from '../../../src/diagnostics.ts';
import { type Mapping, type MappingOptions, readMapping } from '../../../src/facts/mapping/mapping.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-mapping-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

export function readYaml(yaml: string, options: MappingOptions = {}): ReturnType<typeof readMapping> {
  const file = join(folder, `${files++}.yaml`);
  writeFileSync(file, yaml);
  return readMapping(file, { shown: 'm.yaml', ...options });
}

/** A mapping that has to be good. */
export function mappingOf(yaml: string): Mapping {
  const { mapping, diagnostics } = readYaml(yaml);
  if (!mapping) throw new Error(diagnostics.map(formatDiagnostic).join('\n'));
  return mapping;
}
