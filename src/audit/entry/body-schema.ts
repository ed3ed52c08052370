/** JSON of a body -> whether it is a verdict or its context, because anyone with a data key can write any JSON. */

import type * as Zod from 'zod';
import { CAUSES } from '../../facts/fact.ts';
import { lazy, require } from '../../platform/lazy.ts';
import { OUTCOMES } from '../../policy/language.ts';

// Further keys are allowed everywhere: another version of the engine may write more.

/** Made when the first body is read: zod takes long to load. */
const schemas = lazy(() => {
  const z = require<typeof Zod>('zod');
  const text = z.string();
  const texts = z.array(text);
  const outcome = z.enum(OUTCOMES);
  const asked = outcome.nullable();
  const value = z.union([text, z.number(), z.boolean()]);
  const stage = { stage: z.number(), asked: texts };
  const reason = { code: text, decisive: z.boolean() };
  const told = { notice: z.union([text, z.record(text, text)]).optional() };

  const evidence = z.object({
    fact: text,
    operator: text,
    // Any JSON, but not absent.
    expected: z.unknown().refine((data) => data !== undefined),
    value: value.optional(),
    negated: z.literal(true).optional(),
    other: z.object({ fact: text, value: value.optional() }).optional(),
  });

  const verdict = z.object({
    outcome,
    reasons: z.array(
      z.discriminatedUnion('because', [
        z.object({
          ...{ because: z.literal('fired'), ...reason, rule: text, outcome: asked, evidence: z.array(evidence) },
          ...{ points: z.number().optional(), message: text.optional(), ...told },
        }),
        z.object({ because: z.literal('undetermined'), ...reason, rule: text, outcome }),
        z.object({ because: z.literal('score'), ...reason, ...told, outcome }),
        z.object({ because: z.literal('default'), ...reason, ...told, outcome }),
      ]),
    ),
    undetermined: z.array(
      z.object({
        rule: text,
        asks: z.literal('review').nullable(),
        missing: z.array(z.object({ fact: text, cause: z.enum([...CAUSES, 'error']) })),
      }),
    ),
    score: z.object({ least: z.number(), most: z.number(), band: asked }),
    shadow: z.array(z.object({ rule: text, result: z.enum(['fires', 'undetermined']), outcome: asked })),
  });

  const context = z.object({
    clientReference: text,
    language: z.number(),
    signals: z.object({
      requested: texts,
      calls: z.array(
        z.object({
          ...{ ...stage, result: z.enum(['answered', 'failed', 'unknown']) },
          ...{ error: text.optional(), cause: text.optional() },
          ...{ requestId: text.optional(), attempts: z.number().optional() },
        }),
      ),
      spared: z.array(z.object(stage)),
      missing: z.record(text, z.enum(CAUSES)),
      warnings: z.array(z.object({ code: text, text, variable: text.optional() })),
    }),
  });

  return { verdict, context };
});

/** Whether data is a verdict. */
export function isVerdict(data: unknown): boolean {
  return schemas().verdict.safeParse(data).success;
}

/** Whether data is the context of a verdict: the reference, the language of the policy, the signals. */
export function isContext(data: unknown): boolean {
  return schemas().context.safeParse(data).success;
}
