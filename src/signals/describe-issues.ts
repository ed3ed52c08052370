/** zod's issues -> one sentence that names the keys and repeats no value. */

import type * as z from 'zod';
import { describeUnknownKey } from '../platform/given/options.ts';

/**
 * All issues as one text. INVARIANT: every check of the schema has its own message, which continues the key's name
 * ("has to be a text"). zod's messages may quote the input and are never shown.
 */
export function describeIssues(issues: readonly z.core.$ZodIssue[], knownKeys: readonly string[]): string {
  return issues.flatMap((issue) => describeIssue(issue, knownKeys)).join('; ');
}

/** The message of a type check: what was expected, or that the value is missing. */
export function expected(what: string): { readonly error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => (input === undefined || input === null ? 'is missing' : `has to be ${what}`) };
}

function describeIssue(issue: z.core.$ZodIssue, knownKeys: readonly string[]): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => describeUnknownKey(key, knownKeys));
  // Only the first step: names below it are chosen by callers and may be personal data.
  const [key] = issue.path;
  return [key === undefined ? issue.message : `${String(key)} ${issue.message}`];
}
