/** A place of a log that is not as it was written -> a line for people. */

import type { Finding } from '../../audit/finding.ts';
import { printable } from '../../diagnostics.ts';

/** `chains/…/00000001.ndjson line 5 (record 5 of the chain): hash-differs: …` */
export function formatFinding({ code, chain, segment, line, seq, file, message }: Finding): string {
  const place =
    file ?? (chain === undefined ? undefined : `chain ${chain}${segment === undefined ? '' : ` segment ${segment}`}`);
  const where = [
    ...(place === undefined ? [] : [printable(place)]),
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(seq === undefined ? [] : [`(number ${seq} of its chain)`]),
  ].join(' ');
  return `${where === '' ? '' : `${where}: `}${code}: ${message}`;
}
