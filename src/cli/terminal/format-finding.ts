/** A place of a log that is not as it was written -> a line for people, and the exit code that says so. */

import { TamperedError } from '../../audit/tampered-error.ts';
import type { Finding } from '../../audit/verify/finding.ts';
import { printable } from '../../text.ts';
import type { Finish } from '../io.ts';
import { EXIT, type Io, write } from '../io.ts';

/** `chains/…/00000001.ndjson line 5 (number 5 of its chain, record 01a1…): hash-differs: …` */
export function formatFinding({ code, chain, segment, line, seq, id, file, message }: Finding): string {
  const place =
    file ?? (chain === undefined ? undefined : `chain ${chain}${segment === undefined ? '' : ` segment ${segment}`}`);
  const where = [
    ...(place === undefined ? [] : [printable(place)]),
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(seq === undefined ? [] : [`(number ${seq} of its chain${id === undefined ? '' : `, record ${id}`})`]),
  ].join(' ');
  return `${where === '' ? '' : `${where}: `}${code}: ${message}`;
}

/** Does what reads a log. A place that is not as it was written is something found, where whatever else fails could not be run. */
export async function reportTampering(
  { stderr }: Pick<Io, 'stderr'>,
  finish: Finish,
  read: () => Promise<void>,
): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof TamperedError)) throw error;
    await write(stderr, `verdict: ${error.message}\n`);
    finish(EXIT.found);
  }
}
