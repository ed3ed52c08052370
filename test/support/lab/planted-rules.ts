/** Planted bugs of idle rules, of checks with proof, and of what keeps z3 alive. */

import type { PlantedBug } from './planted.ts';

export const BUGS_OF_RULES: readonly PlantedBug[] = [
  {
    name: 'a rule alike is not beside itself',
    file: 'prove/ineffective-rules.ts',
    before: 'live.filter((one) => one !== each)',
    after: 'live.filter((one) => OUTCOME.effectOf(one.rule) !== OUTCOME.effectOf(each.rule))',
    tests: ['prove/ineffective-rules'],
  },
  {
    name: 'an undetermined rule is alike one that fires',
    file: 'prove/ineffective-rules.ts',
    before: '[each.rule.shadow && each.rule.id, each.truth, ',
    after: '[each.rule.shadow && each.rule.id, ',
    tests: ['prove/ineffective-rules'],
  },
  {
    name: 'a shadow rule is alike a live one',
    file: 'prove/ineffective-rules.ts',
    before: '[each.rule.shadow && each.rule.id, each.truth, ',
    after: '[each.truth, ',
    tests: ['prove/ineffective-rules'],
  },
  {
    name: 'a shadow rule compared as a live one',
    file: 'prove/ineffective-rules.ts',
    before: 'rule.shadow ? [...live, rule] : live.filter(',
    after: 'live.filter(',
    tests: ['prove/ineffective-rules'],
  },
  {
    name: 'a final rule decides only what it explains',
    file: 'prove/ineffective-rules.ts',
    before: " || rule.then === 'accept' || rule.final",
    after: " || rule.then === 'accept'",
    tests: ['prove/ineffective-rules'],
  },
  {
    name: 'the only explanation does not matter',
    file: 'prove/ineffective-rules.ts',
    before: 'explains: and([certain, explains])',
    after: 'explains: FALSE',
    tests: ['prove/ineffective-rules'],
  },
  {
    name: 'a rule that accepts decides only with points',
    file: 'prove/ineffective-rules.ts',
    before: "rule.points !== undefined || rule.then === 'accept'",
    after: 'rule.points !== undefined',
    tests: ['prove/ineffective-rules'],
  },
  {
    name: 'points decide nothing',
    file: 'prove/ineffective-rules.ts',
    before: "rule.points !== undefined || rule.then === 'accept'",
    after: "rule.then === 'accept'",
    tests: ['prove/ineffective-rules'],
  },
  {
    name: 'no rule fires alone',
    file: 'prove/ineffective-rules.ts',
    before: 'not(isAny(others))',
    after: 'not(isAny([rule, ...others]))',
    tests: ['prove/ineffective-rules'],
  },
];

export const BUGS_OF_CHECKS: readonly PlantedBug[] = [
  {
    name: 'a band reached only above it',
    file: 'prove/check/never-reached.ts',
    before: 'FALSE : sumAtLeast(limit, least)',
    after: 'FALSE : sumAtLeast(limit + 1, least)',
    tests: ['prove/check/brute-force'],
  },
  {
    name: 'what happens on a later day happens to nobody',
    file: 'prove/day-by-day.ts',
    before: '!this.#happens.has(item) && !this.#undecided.has(item));',
    after: '!this.#undecided.has(item));',
    tests: ['prove/check/deep-check'],
  },
];

export const BUGS_OF_DAYS: readonly PlantedBug[] = [
  {
    name: 'a rule that ends later counts on all days',
    file: 'space/calendar.ts',
    before: 'days.every(isOn) ? rule.when',
    after: 'days.some(isOn) ? rule.when',
    tests: ['space/calendar'],
  },
  {
    name: 'an entry that ends later counts on all days',
    file: 'space/calendar.ts',
    before: 'until === undefined || until >= last ?',
    after: 'until === undefined || until >= first ?',
    tests: ['space/calendar'],
  },
  {
    name: 'a negated list without its entries that end',
    file: 'space/calendar.ts',
    before: '(day) => !counts(day)), part]',
    after: '(day) => counts(day)), part]',
    tests: ['space/calendar'],
  },
  {
    name: 'dates that are compared reach their ages one by one',
    file: 'space/calendar.ts',
    before: 'apart: facts.size - 1',
    after: 'apart: 0',
    tests: ['space/calendar'],
  },
  {
    name: 'years are as long on all days as on the first',
    file: 'space/calendar.ts',
    before: 'year <= lastYear',
    after: 'year <= firstYear',
    tests: ['space/calendar'],
  },
  {
    name: 'dates have the ages of the first day on all days',
    file: 'space/space-builder.ts',
    before: "definition.type === 'date' ? this.#days : [day]",
    after: '[day]',
    tests: ['space/calendar'],
  },
  {
    name: 'a refutation on any day, not on the first',
    file: 'prove/question.ts',
    before: 'if (first.day === space.day) return first;',
    after: 'return first;',
    tests: ['space/calendar'],
  },
  {
    name: 'a change from any day, not from the first',
    file: 'diff/regions.ts',
    before: '    if (!earlier.states.includes(true)) return example;\n',
    after: '    return example;\n',
    tests: ['space/calendar'],
  },
];

export const BUGS_OF_Z3: readonly PlantedBug[] = [
  {
    name: 'a question keeps its memory',
    file: 'solver/create-solver.ts',
    before: '        await session.close();\n',
    after: '',
    tests: ['breakdown'],
  },
  {
    name: 'z3 that counts no steps is waited for',
    file: 'solver/z3.ts',
    before: '        watchdog = setTimeout(() => reject(new StuckError()), patienceMs);\n',
    after: '',
    tests: ['breakdown'],
  },
  {
    name: 'a check without a limit',
    file: 'solver/z3.ts',
    before: "    z3.update_param_value(context, 'rlimit', String(most));\n",
    after: '',
    tests: ['breakdown'],
  },
  {
    name: 'calls of z3 that overlap',
    file: 'solver/z3.ts',
    before: '    this.#last = result.catch(() => {});\n',
    after: '',
    tests: ['breakdown'],
  },
  {
    name: 'a thread that fails unnoticed',
    file: 'solver/z3.ts',
    before: 'worker.onerror = (error) => this.#fail(error);',
    after: '',
    tests: ['breakdown'],
  },
];
