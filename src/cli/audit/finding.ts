/** A place of a log that is not as it was written -> a line for people. */

import type { Finding } from '../../audit/finding.ts';
import { printable } from '../../diagnostics.ts';

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
