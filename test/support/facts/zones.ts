/** A number of dates -> one digest of the facts and decisions on them in each of six time zones. */

import { execFileSync } from 'node:child_process';

/** Both sides of the date line, half-hour offsets, and changes of summer time at midnight. */
export const ZONES = [
  'UTC',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'Europe/Dublin',
] as const;

/** The full number of dates. */
export const DATES = 50_000;

/** The result of one zone. */
export interface ZoneFacts {
  readonly zone: string;
  /** The digest of all facts, in order. */
  readonly digest: string;
  /** How many of the dates were read as a day, and how many were impossible. */
  readonly valid: number;
  readonly invalid: number;
  /** The offset in July 2019, in minutes, which proves that the process was in this zone. */
  readonly offset: number;
}

/** Reads the same dates in each zone, each in its own process. */
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
