/** YAML texts -> mappings, read from a temporary file. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatDiagnostic } from '../../../src/diagnostics.ts';
import { type Mapping, type MappingOptions, readMapping } from '../../../src/facts/mapping/mapping.ts';

export function readYaml(yaml: string, options: MappingOptions = {}): ReturnType<typeof readMapping> {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-mapping-'));
  try {
    const file = join(folder, 'm.yaml');
    writeFileSync(file, yaml);
    return readMapping(file, { shown: 'm.yaml', ...options });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A mapping that must be valid. */
export function mappingOf(yaml: string): Mapping {
  const { mapping, diagnostics } = readYaml(yaml);
  if (!mapping) throw new Error(diagnostics.map(formatDiagnostic).join('\n'));
  return mapping;
}
