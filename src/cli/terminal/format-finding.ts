/** Findings in a log -> lines for people, and the exit code for them. */

import { TamperedError } from '../../audit/tampered-error.ts';
import type { Finding } from '../../audit/verify/finding.ts';
import { printable } from '../../text.ts';
import type { Finish } from '../io.ts';
import { EXIT, type Io, say } from '../io.ts';

/** `chains/…/00000001.ndjson line 5 (entry 5 of its chain, record 01a1…): hash-differs: …` */
export function formatFinding({ code, chain, segment, line, seq, id, file, message }: Finding): string {
  const source =
    file ?? (chain === undefined ? undefined : `chain ${chain}${segment === undefined ? '' : ` segment ${segment}`}`);
  const where = [
    ...(source === undefined ? [] : [printable(source)]),
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(seq === undefined ? [] : [`(entry ${seq} of its chain${id === undefined ? '' : `, record ${id}`})`]),
  ].join(' ');
  return `${where === '' ? '' : `${where}: `}${code}: ${message}`;
}

/** Findings, a line each. */
export function formatFindings(findings: readonly Finding[]): string {
  return findings.map((finding) => `${formatFinding(finding)}\n`).join('');
}

/** Reads a log. A log that was tampered with exits with 1, as something found; other errors are thrown. */
export async function reportTampering(
  { stderr }: Pick<Io, 'stderr'>,
  finish: Finish,
  read: () => Promise<void>,
): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof TamperedError)) throw error;
    await say(stderr, `verdict: ${error.message}\n`);
    finish(EXIT.found);
  }
}
