/** A count of dates -> what an answer's dates are read as, and decided on, in each of six time zones: one digest a zone. */

import { execFileSync } from 'node:child_process';

/** Either side of the date line, half hours, and changes to and from summer time at midnight. */
export const ZONES = [
  'UTC',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'Europe/Dublin',
] as const;

/** How many the full count is. */
export const DATES = 50_000;

/** What one zone comes to. */
export interface ZoneFacts {
  readonly zone: string;
  /** Of all facts, in their order. */
  readonly digest: string;
  /** How many of the dates were read as a day, and how many were impossible. */
  readonly valid: number;
  readonly invalid: number;
  /** The offset that the process saw in July 2019, in minutes: it was in that zone. */
  readonly offset: number;
}

/** The facts of the same dates in each zone, each by a process of its own. */
export function factsInZones(dates: number): readonly ZoneFacts[] {
  return ZONES.map((zone) => {
    const output = execFileSync(process.execPath, ['zone.ts', String(dates)], {
      cwd: import.meta.dirname,
      env: { ...process.env, TZ: zone },
      encoding: 'utf8',
    });
    return { zone, ...JSON.parse(output) };
  });
}
