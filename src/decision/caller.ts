/** A caller's own `context.…` values and functions -> facts, each fetched when it is first needed. */

import { didYouMean, printable } from '../diagnostics.ts';
import { VerdictError } from '../errors.ts';
import type { FactDefinition, FactTable } from '../facts/catalog.ts';
import type { Fact, FactValue } from '../facts/fact.ts';
import { readFact } from '../facts/read.ts';

/** A value, or nothing where it is not known. */
export type CallerValue = FactValue | null | undefined;

/**
 * A value or a function that gives one, called at most once a decision, when a rule first needs it. One that throws or
 * rejects leaves the fact missing with the cause `sourceFailed`. The signal is the caller's own.
 */
export type CallerFact = CallerValue | ((signal?: AbortSignal) => CallerValue | Promise<CallerValue>);

/** Facts beside the applicant, by what follows `context.` in the path: `{ channel: 'web' }` is `context.channel`. */
export type Context = Readonly<Record<string, CallerFact>>;

const PREFIX = 'context.';

/** What a policy's caller gives, checked to be facts that the policy declares; throws `REQUEST_INVALID`. */
export function readContext(context: Context, table: FactTable): ReadonlyMap<string, CallerFact> {
  const declared = [...table.keys()].filter((path) => path.startsWith(PREFIX));
  const given = new Map<string, CallerFact>();
  for (const [name, value] of Object.entries(context)) {
    const path = PREFIX + name;
    if (!declared.includes(path)) {
      const { hint } = didYouMean(path, declared);
      const said = `the policy declares no fact "${printable(path.slice(0, 80))}"`;
      throw new VerdictError('REQUEST_INVALID', hint === undefined ? said : `${said}; ${hint}`, { carriedOut: 'no' });
    }
    given.set(path, value);
  }
  return given;
}

/** Fetches one of them. Never rejects. */
export async function fetchCallerFact(
  definition: FactDefinition,
  given: CallerFact,
  day: string,
  signal: AbortSignal | undefined,
): Promise<Fact> {
  try {
    const value = typeof given === 'function' ? await given(signal) : given;
    return readFact(definition, { value: value ?? null }, day);
  } catch {
    return { missing: 'sourceFailed' };
  }
}
