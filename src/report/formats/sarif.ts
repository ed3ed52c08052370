/** Diagnostics -> a SARIF 2.1.0 log (OASIS) for code scanning services. */

import { readFileSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  type Edit,
  type SilencedDiagnostic,
} from '../../diagnostics.ts';
import { ENGINE_VERSION } from '../../version.ts';

const CODES = Object.keys(DIAGNOSTIC_CODES) as DiagnosticCode[];

/** The log of one run; every diagnostic code is a rule. Silenced warnings are results with a suppression. */
export function sarifLog(diagnostics: readonly (Diagnostic | SilencedDiagnostic)[]): object {
  const found = new Set(diagnostics.map(({ code }) => code));
  const rules = CODES.map((code) => ({
    id: code,
    shortDescription: { text: DIAGNOSTIC_CODES[code] },
    ...(found.has(code) ? helpOn(code) : {}),
  }));
  const driver = { name: 'verdict', version: ENGINE_VERSION, rules };
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results: diagnostics.map(toResult) }],
  };
}

/** The page on a code, which code hosts show beside a result. There is no `helpUri`: it would have to be absolute. */
function helpOn(code: DiagnosticCode): object {
  const page = readCheckPage(code);
  return page === undefined ? {} : { help: { text: page, markdown: page } };
}

function toResult(diagnostic: Diagnostic | SilencedDiagnostic): object {
  const { code, severity, message, hint, file, related, fix } = diagnostic;
  return {
    ruleId: code,
    ruleIndex: CODES.indexOf(code),
    level: severity,
    message: { text: hint === undefined ? message : `${message} (${hint})` },
    locations: [toLocation(diagnostic)],
    ...(related ? { relatedLocations: [{ ...toLocation(related), message: { text: related.message } }] } : {}),
    ...(fix ? { fixes: [toFix(file, fix, hint)] } : {}),
    // On every result, as soon as one has some (SARIF 2.1.0, section 3.27.23).
    suppressions: 'reason' in diagnostic ? [{ kind: 'inSource', justification: diagnostic.reason }] : [],
  };
}

function toLocation({ file, position }: Pick<Diagnostic, 'file' | 'position'>): object {
  const region = position && {
    startLine: position.line,
    startColumn: position.column,
    endColumn: position.column + position.length,
  };
  return { physicalLocation: { artifactLocation: { uri: toUri(file) }, ...(region ? { region } : {}) } };
}

function toFix(file: string, edits: readonly Edit[], hint: string | undefined): object {
  const replacements = edits.map(({ start, end, text }) => ({
    deletedRegion: { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column },
    insertedContent: { text },
  }));
  return {
    ...(hint === undefined ? {} : { description: { text: hint } }),
    artifactChanges: [{ artifactLocation: { uri: toUri(file) }, replacements }],
  };
}

/** A relative reference stays one, so that the log means the same in another checkout. */
function toUri(file: string): string {
  if (isAbsolute(file)) return pathToFileURL(file).href;
  return file.split(sep).map(encodeURIComponent).join('/');
}

const PAGES = new URL('../../../docs/checks/', import.meta.url);

/** The page as Markdown without links, which lead nowhere outside the documentation; undefined if it is not there. */
export function readCheckPage(code: DiagnosticCode): string | undefined {
  try {
    return readFileSync(new URL(`${code}.md`, PAGES), 'utf8').replace(/\[([^\]]*)\]\([^)\s]+\)/g, '$1');
  } catch {
    return undefined;
  }
}
