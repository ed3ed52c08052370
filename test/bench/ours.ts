/** The contestants of this project, and the same rules written by hand. */

import { runLive } from '../../src/decision/live/live.ts';
import type { Column, Columns } from '../../src/decision/matcher/columns.ts';
import { type EncodedFacts, encodeFacts } from '../../src/decision/matcher/encoded-facts.ts';
import type { BatchResult } from '../../src/decision/matcher/matcher.ts';
import type { Verdict } from '../../src/decision/meaning/verdict.ts';
import { CATALOG_TABLE } from '../../src/facts/catalog.ts';
import { dayNumber } from '../../src/facts/day.ts';
import { type Facts, type FactValue, isMissing } from '../../src/facts/fact.ts';
import { strictness } from '../../src/policy/language.ts';
import { areFired, type Contest, type Contestant, contestant, sink, type Way } from './contestant.ts';
import { javaScriptOf } from './dialects.ts';
import { DAY } from './generate.ts';
import type { View } from './logic.ts';
import { BENCH_FACTS } from './population.ts';

/** `matcher.outcome`, with encoded facts (`row`) or with facts as they are read (`map`). */
export function matcherOutcome(form: Form): (contest: Contest) => Contestant {
  return (contest) => {
    const { matcher, measured } = contest;
    const given = inForm(form, contest);
    return contestant(
      {
        decide: (i) => matcher.outcome(given(i), DAY),
        weigh: ({ outcome, score }) => outcome.length + score.least,
        agrees: ({ outcome, score }, verdict) => outcome === verdict.outcome && score.least === verdict.score.least,
      },
      measured,
    );
  };
}

/** `matcher.verdict`, likewise. */
export function matcherVerdict(form: Form): (contest: Contest) => Contestant {
  return (contest) => {
    const given = inForm(form, contest);
    return contestant(
      verdicts((i) => contest.matcher.verdict(given(i), DAY)),
      contest.measured,
    );
  };
}

type Form = 'row' | 'map';

/**
 * The facts of an applicant. Encoding them in advance is fair: other engines also get facts in the form that suits
 * them.
 */
function inForm(form: Form, { policy, applicants }: Contest): (applicant: number) => Facts | EncodedFacts {
  if (form === 'map') return (i) => factsOf(applicants, i);
  const nobody = encodeFacts(NOBODY, policy.facts);
  const rows = applicants.map(({ facts }) => encodeFacts(facts, policy.facts));
  return (i) => rows[i] ?? nobody;
}

/** `matcher.verdict` as JSON, including messages. */
export function matcherJson({ matcher, applicants, measured }: Contest): Contestant {
  return contestant(
    {
      decide: (i) => JSON.stringify(matcher.verdict(factsOf(applicants, i), DAY)),
      weigh: (json) => json.length,
      agrees: (json, verdict) => json === JSON.stringify(verdict),
    },
    measured,
  );
}

/** `runLive` with all facts known in advance. */
export function live({ policy, applicants, measured }: Contest): Contestant {
  const decide = async (i: number) => {
    const facts = factsOf(applicants, i);
    return (await runLive(policy, (path) => facts.get(path) ?? { missing: 'notGiven' }, DAY)).verdict;
  };
  return contestant({ ...verdicts(decide), inFlight: 1 }, measured);
}

function verdicts<Result extends Verdict | Promise<Verdict>>(decide: (i: number) => Result): Way<Result> {
  return {
    decide,
    weigh: (verdict) => verdict.reasons.length,
    agrees: (verdict, expected) => JSON.stringify(verdict) === JSON.stringify(expected),
  };
}

/** `matcher.batch` over all applicants. */
export function matcherBatch({ matcher, applicants, measured }: Contest): Contestant {
  const columns = columnsOf(applicants.slice(0, measured).map(({ facts }) => facts));
  let everyone: BatchResult | undefined;
  return {
    size: measured,
    run: (count) => {
      let sum = 0;
      for (let i = 0; i < count; i++) {
        const { outcomes } = matcher.batch(columns, DAY);
        sink.last = outcomes;
        sum += outcomes[i % measured] ?? 0;
      }
      return sum;
    },
    agrees: (i, { outcome, score }) => {
      everyone ??= matcher.batch(columnsOf(applicants.map(({ facts }) => facts)), DAY);
      return everyone.outcomes[i] === strictness(outcome) && everyone.least[i] === score.least;
    },
  };
}

/** The facts of many applicants as columns: numbers, or texts with a dictionary. */
export function columnsOf(applicants: readonly Facts[]): Columns {
  const columns = BENCH_FACTS.map(({ path }): readonly [string, Column] => {
    const type = CATALOG_TABLE.get(path)?.type ?? 'string';
    const values = applicants.map((facts) => {
      const fact = facts.get(path);
      return fact === undefined || isMissing(fact) ? undefined : fact.value;
    });
    const missing = Uint8Array.from(values.map((value) => Number(value === undefined)));
    if (type === 'string' || type === 'enum' || type === 'level') {
      const texts = [...new Set(values.map((value) => String(value ?? '')))];
      const codes = Int32Array.from(values.map((value) => texts.indexOf(String(value ?? ''))));
      return [path, { codes, texts, missing }];
    }
    const number = (value: FactValue | undefined) => {
      if (value === undefined) return Number.NaN;
      return type === 'date' ? dayNumber(String(value)) : Number(value);
    };
    return [path, { numbers: Float64Array.from(values.map(number)), missing }];
  });
  return { rows: applicants.length, columns: new Map(columns) };
}

/** One `if` per rule, in functions small enough for V8 to optimise; returns the ids of the rules that fired. */
export function handWritten(rulesAFunction: number): (contest: Contest) => Contestant {
  return ({ rules, applicants, measured }) => {
    const parts: ((view: View, ids: string[]) => void)[] = [];
    for (let from = 0; from < rules.length; from += rulesAFunction) {
      const lines = rules
        .slice(from, from + rulesAFunction)
        .map(({ id, logic }) => `if (${javaScriptOf(logic)}) ids.push(${JSON.stringify(id)});`);
      parts.push(new Function('f', 'ids', lines.join('\n')) as (view: View, ids: string[]) => void);
    }
    return contestant(
      {
        way: `${Math.min(rulesAFunction, rules.length)} rules per function`,
        decide: (i) => {
          const view = applicants[i]?.view ?? {};
          const ids: string[] = [];
          for (const part of parts) part(view, ids);
          return ids;
        },
        weigh: (ids) => ids.length,
        agrees: areFired,
      },
      measured,
    );
  };
}

const NOBODY: Facts = new Map();

function factsOf(applicants: Contest['applicants'], i: number): Facts {
  return applicants[i]?.facts ?? NOBODY;
}
