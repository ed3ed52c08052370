/** Findings in a log, and folders that others can open -> lines for people, and the exit code for them. */

import { join } from 'node:path';
import type { LogPlace } from '../audit/place.ts';
import { TamperedError } from '../audit/store/io-errors.ts';
import type { OpenToOthers } from '../audit/store/permissions.ts';
import type { Finding } from '../audit/verify/finding.ts';
import { printable } from '../text.ts';
import { EXIT, type Io, say } from './io.ts';

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
export async function reportTampering(io: Pick<Io, 'stderr' | 'finish'>, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof TamperedError)) throw error;
    await say(io.stderr, `verdict: ${error.message}\n`);
    io.finish(EXIT.found);
  }
}

/** A folder with a file or folder that other users can access. */
export interface OpenFolder extends OpenToOthers {
  readonly of: 'keys' | 'log';
  readonly folder: string;
}

/** Checks the folder of the log, and the key folder if it is given. A database has grants instead. */
export async function findOpenFolders({ dir, keys }: LogPlace): Promise<OpenFolder[]> {
  const { findOpenToOthers } = await import('../audit/store/permissions.ts');
  const found: OpenFolder[] = [];
  for (const name of ['keys', 'log'] as const) {
    const folder = name === 'log' ? dir : typeof keys === 'string' ? keys : undefined;
    const open = folder === undefined ? undefined : await findOpenToOthers(folder);
    if (folder !== undefined && open) found.push({ of: name, folder, ...open });
  }
  return found;
}

/** A warning, with the command that closes the folder. */
export function openFolderWords({ of, folder, first, mode, count }: OpenFolder): string {
  const more = count > 1 ? `, and ${count - 1} more in ${printable(folder)}` : '';
  const risk = of === 'keys' ? '; anyone with the keys can read the records' : '';
  const path = printable(join(folder, first));
  return `open to other users: ${path} (mode ${mode})${more}${risk}: chmod -R go= ${printable(folder)}`;
}
