/**
 * A policy, a day and applicants -> the answer of every runner on each of them, as texts that are equal if
 * runners agree.
 */

import { encodeFacts } from '../../../src/decision/matcher/encoded-facts.ts';
import { compile, type Matcher } from '../../../src/decision/matcher/matcher.ts';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import { formatRefusal } from '../../../src/decision/sql/dialect.ts';
import { toSql } from '../../../src/decision/sql/sql.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { canonicalJson } from '../../../src/platform/digest.ts';
import { OUTCOMES, type Policy } from '../../../src/policy/language.ts';
import { decideLive, readPlainFacts } from './case.ts';
import { columnsOf } from './columns.ts';
import { factsTable, resultOf } from './facts-table.ts';
import type { PlainFacts, PlainPolicy } from './plain.ts';
import { referenceVerdict } from './reference.ts';
import type { SqlEngine } from './sql-engines.ts';

/** The input of all runners, in the form that each takes. */
export interface Asked {
  readonly plain: PlainPolicy;
  readonly policy: Policy;
  readonly matcher: Matcher;
  readonly applicants: readonly PlainFacts[];
  readonly facts: readonly Facts[];
  readonly day: string;
  /** Whether SQL reads the day from a column. */
  readonly isDayInColumn: boolean;
}

/** The part of a verdict that a runner gives, as JSON. */
type Telling = (verdict: Verdict, policy: Policy) => string;

/** A runner, and the part of a verdict that it gives. */
export interface Runner {
  readonly name: string;
  readonly telling: Telling;
  answer(asked: Asked): readonly string[] | Promise<readonly string[]>;
}

/** An applicant on whom a runner differs. */
export interface Disagreement {
  readonly runner: string;
  /** The index of the applicant. */
  readonly applicant: number;
  readonly found: string;
  readonly expected: string;
}

/** A day on which no random case is decided. */
const ANOTHER_DAY = '2026-08-15';

/** Prepares the input of the runners. `policy` is `plain`, read from its files. */
export function ask(
  plain: PlainPolicy,
  policy: Policy,
  applicants: readonly PlainFacts[],
  day: string,
  isDayInColumn: boolean,
): Asked {
  const facts = applicants.map((applicant) => readPlainFacts(applicant, policy, day));
  const matcher = compile(policy);
  // A compiled policy serves all days: an earlier decision on another day must have no effect.
  matcher.outcome(new Map(), ANOTHER_DAY);
  return { plain, policy, matcher, applicants, facts, day, isDayInColumn };
}

const everything: Telling = (verdict) => canonicalJson(verdict);

/** The part of a verdict that `matcher.outcome` gives. */
export const outcomeAndScore: Telling = ({ outcome, score }) => canonicalJson({ outcome, score });

const outcomeAndRange: Telling = ({ outcome, score: { least, most } }) => JSON.stringify([outcome, least, most]);

const outcomeAndRules: Telling = (verdict, policy) => {
  const { outcome, fired, undetermined, score_least, score_most } = resultOf(policy, verdict);
  return JSON.stringify([outcome, fired, undetermined, score_least, score_most]);
};

/** The plain reference. */
const reference: Runner = {
  name: 'reference',
  telling: everything,
  answer: ({ plain, applicants, day }) => applicants.map((each) => canonicalJson(referenceVerdict(plain, each, day))),
};

/** The runners that need no database. */
const RUNNERS: readonly Runner[] = [
  {
    name: 'live',
    telling: everything,
    async answer({ policy, facts, day }) {
      const texts: string[] = [];
      for (const each of facts) texts.push(canonicalJson(await decideLive(policy, each, day)));
      return texts;
    },
  },
  {
    name: 'matcher.verdict',
    telling: everything,
    answer: ({ matcher, facts, day }) => facts.map((each) => canonicalJson(matcher.verdict(each, day))),
  },
  {
    name: 'matcher.outcome',
    telling: outcomeAndScore,
    answer: ({ matcher, facts, day }) => facts.map((each) => canonicalJson(matcher.outcome(each, day))),
  },
  {
    name: 'matcher.outcome, facts encoded',
    telling: outcomeAndScore,
    answer: ({ policy, matcher, facts, day }) =>
      facts.map((each) => canonicalJson(matcher.outcome(encodeFacts(each, policy.facts), day))),
  },
  batch('batch, levels as numbers', true),
  batch('batch, levels as texts', false),
];

function batch(name: string, asSteps: boolean): Runner {
  return {
    name,
    telling: outcomeAndRange,
    answer({ policy, matcher, facts, day }) {
      const { outcomes, least, most } = matcher.batch(columnsOf(facts, policy.facts, asSteps), day);
      return [...outcomes].map((outcome, i) => JSON.stringify([OUTCOMES[outcome], least[i], most[i]]));
    },
  };
}

function sql(engine: SqlEngine): Runner {
  return {
    name: `SQL on ${engine.dialect}`,
    telling: outcomeAndRules,
    async answer({ policy, applicants, day, isDayInColumn }) {
      const { dialect } = engine;
      const at = isDayInColumn ? { column: 'at' } : day;
      const { sql: text, refusals } = toSql(policy, { dialect, table: 'facts', keys: ['id'], at });
      if (text === undefined) throw new Error(refusals.map(formatRefusal).join('\n'));
      const rows = await engine.run(factsTable(policy, applicants, day), text);
      const inOrder = rows.toSorted((a, b) => a.id - b.id);
      return inOrder.map(({ outcome, fired, undetermined, score_least, score_most }) =>
        JSON.stringify([outcome, fired, undetermined, score_least, score_most]),
      );
    },
  };
}

/** All runners but the reference; without SQL if there is no engine. */
export function runnersOn(engine: SqlEngine | undefined): readonly Runner[] {
  return engine ? [...RUNNERS, sql(engine)] : RUNNERS;
}

/** Called with each runner's time for all applicants. */
export type Watch = (runner: string, ms: number) => void;

/**
 * The differences between runners and the reference; with `expected`, between all of them and that. If a runner
 * throws, its error is its answer for every applicant.
 */
export async function disagreements(
  runners: readonly Runner[],
  asked: Asked,
  { expected, watch }: { readonly expected?: readonly Verdict[]; readonly watch?: Watch } = {},
): Promise<readonly Disagreement[]> {
  const timed = async <Value>(name: string, work: () => Value | Promise<Value>): Promise<Value> => {
    const started = performance.now();
    const value = await work();
    watch?.(name, performance.now() - started);
    return value;
  };
  const { plain, policy, applicants, day } = asked;
  const verdicts =
    expected ?? (await timed('reference', () => applicants.map((each) => referenceVerdict(plain, each, day))));
  const texts = new Map<Telling, readonly string[]>();
  const found: Disagreement[] = [];
  for (const { name, telling, answer } of expected ? [reference, ...runners] : runners) {
    const wanted = texts.get(telling) ?? verdicts.map((verdict) => telling(verdict, policy));
    texts.set(telling, wanted);
    const answers = await timed(name, async () => {
      try {
        return await answer(asked);
      } catch (error) {
        return wanted.map(() => `${error}`);
      }
    });
    for (let applicant = 0; applicant < Math.max(wanted.length, answers.length); applicant++) {
      const [is, should] = [answers[applicant] ?? 'no answer', wanted[applicant] ?? 'no answer'];
      if (is !== should) found.push({ runner: name, applicant, found: is, expected: should });
    }
  }
  return found;
}
