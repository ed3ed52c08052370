/** Policy texts for tests -> files in a temporary folder -> the policy or its diagnostics. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { formatDiagnostic } from '../../../src/diagnostics.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { readPolicy } from '../../../src/policy/load.ts';
import type { ReadPolicy } from '../../../src/policy/read/read-policy.ts';

/** Writes files into a folder that goes with the test; gives its path. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

/** The required keys of a policy, for tests that are about something else. */
export const HEAD = 'policy: test\nversion: "1"\ndefault: accept\n';

/** Reads a policy from its text and the files beside it. */
export function readPolicyText(text: string, files: Readonly<Record<string, string>> = {}): ReadPolicy {
  const folder = temporaryFolder({ 'policy.yaml': text, ...files });
  return readPolicy(join(folder, 'policy.yaml'));
}

/** A policy without errors; it may have warnings. */
export function policyOf(text: string, files: Readonly<Record<string, string>> = {}): Policy {
  const { policy, diagnostics } = readPolicyText(text, files);
  if (!policy) throw new Error(diagnostics.map(formatDiagnostic).join('\n'));
  return policy;
}
