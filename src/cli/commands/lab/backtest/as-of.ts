/** `--as-of`, and a policy -> the comparison of what was decided then with the policy. */

import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDay } from '../../../../facts/day.ts';
import { joinAll, joinFacts } from '../../../../lab/backtest/joint-facts.ts';
import { asOfDays, asOfLog } from '../../../../lab/backtest/policies-of-then.ts';
import type { Policy } from '../../../../policy/language.ts';
import { loadPolicyFiles, type PolicyFiles, versionOf } from '../../../input/load-policy.ts';
import { CouldNotRunError, type Io, orCannotRun, UsageError } from '../../../io.ts';
import { logPlaceOf } from '../../../options/log-place.ts';
import type { CountOptions, Shape } from './plan.ts';

/** `asOf`: `log` for the policies that the records of the log name, or a folder of policies by their first days. */
export async function shapeAsOf(
  asOf: string,
  now: Policy,
  options: CountOptions & PolicyFiles,
  io: Io,
): Promise<Shape> {
  const policies = [now, now] as const;
  const { log, mapping } = options;
  if (asOf === 'log' && log !== undefined) {
    const place = logPlaceOf(log, options, io);
    const comparison = { policies, joint: joinFacts(...policies), compares: true };
    return { is: 'as of', comparison, countingOf: (tally) => asOfLog(tally, now, place) };
  }
  const files = datedPolicies(asOf, basename(versionOf(options.policy).policy));
  const dated = await Promise.all(
    files.map(async ({ from, file }) => {
      return { from, policy: await orCannotRun(() => loadPolicyFiles({ policy: file, mapping })) };
    }),
  );
  const joined = joinAll([...dated.map(({ policy }) => policy), now]);
  const comparison = { policies, joint: { ...joined, policies }, compares: true };
  return { is: 'as of', comparison, countingOf: (tally) => asOfDays(tally, dated, now, joined) };
}

/** A policy of a folder. */
interface DatedFile {
  /** The first day on which it decided, yyyy-MM-dd. */
  readonly from: string;
  readonly file: string;
}

/**
 * Those of `2026-08-01.yaml`, or of `2026-08-01/` with a file of this name and the lists of then. Throws a usage error
 * for a policy without a day, and for two of one day.
 */
function datedPolicies(dir: string, name: string): readonly DatedFile[] {
  const found = namesIn(dir).flatMap((entry) => {
    const [, from = '', ending] = /^(.*?)(\.ya?ml)?$/s.exec(entry) ?? [];
    const path = join(dir, entry);
    const isFolder = statSync(path).isDirectory();
    if (isFolder ? !/^\d/.test(entry) : ending === undefined) return [];
    if (isDay(from)) return { from, file: isFolder ? join(path, name) : path };
    const expected = `2026-08-01${ending ?? ''}`;
    throw new UsageError(`--as-of: ${path} does not have its first day as its name; expected one like ${expected}`);
  });
  const dated = found.toSorted((one, other) => (one.from < other.from ? -1 : 1));
  const twice = dated.find(({ from }, i) => from === dated[i + 1]?.from);
  if (twice) throw new UsageError(`--as-of: ${dir} has two policies from ${twice.from} on; expected one a day`);
  if (dated.length > 0) return dated;
  throw new UsageError(`--as-of: ${dir} has no policy that has its first day as its name, such as 2026-08-01.yaml`);
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    throw new CouldNotRunError(`--as-of: ${dir} cannot be read as a folder`);
  }
}
