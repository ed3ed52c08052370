/** A file of configuration and a reader -> what is read, or every problem of the file with its line. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  DIAGNOSTIC_CODES,
  type Diagnostic,
  formatDiagnostic,
  listProblems,
  sortDiagnostics,
} from '../../diagnostics.ts';
import { VerdictError } from '../../errors.ts';
import { readSource } from '../../platform/files/source-file.ts';
import { parseYaml, type Yaml } from '../../platform/yaml.ts';

/** Throws CONFIGURATION_INVALID. `howToBegin` is a hint for who has no such file; `name` is what messages call it. */
export function readConfigFile<Value>(
  file: string,
  { name, howToBegin }: { readonly name: string; readonly howToBegin: string },
  read: (root: Yaml) => Value | undefined,
): Value {
  const diagnostics: Diagnostic[] = [];
  const full = resolve(file);
  const source = readSource(full, full, diagnostics);
  const root = source && parseYaml(source);
  const value = root && read(root);
  if (value && diagnostics.length === 0) return value;
  const beginning = existsSync(full) ? undefined : howToBegin;
  // A value may be a misplaced secret: the lines of the file are not shown, nor what is not YAML.
  const shown = listProblems(sortDiagnostics(diagnostics, []), ({ line: _, hint = beginning, ...rest }) => {
    const { code } = rest;
    if (code === 'yaml-syntax') return formatDiagnostic({ ...rest, message: DIAGNOSTIC_CODES[code], file });
    return formatDiagnostic({ ...rest, ...(hint === undefined ? {} : { hint }), file });
  });
  throw new VerdictError('CONFIGURATION_INVALID', `${name} cannot be used:\n${shown.join('\n')}`);
}
