/** Planted bugs: small changes of the lab's source, each with the tests of which one has to fail. */

import { BUGS_OF_BACKTESTS } from './planted-backtests.ts';
import { BUGS_OF_CHECKS, BUGS_OF_DAYS, BUGS_OF_RULES, BUGS_OF_Z3 } from './planted-rules.ts';
import { BUGS_OF_COVERAGE, BUGS_OF_MUTATION, BUGS_OF_PROOF, BUGS_OF_SUGGESTION } from './planted-tests.ts';

export interface PlantedBug {
  readonly name: string;
  /** From `src/lab`. */
  readonly file: string;
  /** Stands once in the file. */
  readonly before: string;
  readonly after: string;
  /** Below `test/lab`, without `.test.ts` and what says before it how they run. */
  readonly tests: readonly string[];
}

const BUGS_OF_ENCODING: readonly PlantedBug[] = [
  {
    name: 'unknown as false',
    file: 'solver/encode.ts',
    before: 'each || isUnknown[i] === true)',
    after: 'each)',
    tests: ['solver/encode'],
  },
  {
    name: 'not of unknown as true',
    file: 'solver/encode.ts',
    before: 'certain: not(possible), possible: not(certain)',
    after: 'certain: not(certain), possible: not(certain)',
    tests: ['solver/encode'],
  },
  {
    name: 'a band reached only above it',
    file: '../decision/meaning/ranking.ts',
    before: 'never : isAtLeast(end, limit)',
    after: 'never : isAtLeast(end, limit + 1)',
    tests: ['solver/encode'],
  },
  {
    name: 'a band dropped',
    file: '../decision/meaning/ranking.ts',
    before: "    reaches('review', 'most'),\n",
    after: '',
    tests: ['solver/encode'],
  },
  {
    name: 'the points of an undetermined rule dropped',
    file: '../decision/meaning/ranking.ts',
    before: 'open === 0 ? certain : possible',
    after: 'certain',
    tests: ['solver/encode'],
  },
  {
    name: 'a final rule like any other',
    file: '../decision/meaning/ranking.ts',
    before: 'and([not(finalFired.accept), isAboveAccept])',
    after: 'isAboveAccept',
    tests: ['solver/encode', 'prove/prove'],
  },
  {
    name: 'a final accept before a final reject',
    file: '../decision/meaning/ranking.ts',
    before: 'reject: or([finalFired.reject, and(',
    after: 'reject: or([and([finalFired.reject, not(finalFired.accept)]), and(',
    tests: ['solver/encode'],
  },
  {
    name: 'one more of several',
    file: 'solver/encode.ts',
    before: '          count,\n',
    after: '          count + 1,\n',
    tests: ['solver/encode'],
  },
  {
    name: 'a border of a run of states off by one',
    file: 'solver/session.ts',
    before: 'bound(variable, to + 1)',
    after: 'bound(variable, to)',
    tests: ['diff/regions', 'space/ties/ties', 'diff/diff'],
  },
  {
    name: 'the last run of states dropped',
    file: 'solver/session.ts',
    before: 'if (!states[from]) continue;',
    after: 'if (!states[from] || (runs.length > 0 && from === states.length - 1)) continue;',
    tests: ['diff/regions', 'space/ties/ties', 'diff/diff'],
  },
  {
    name: 'the state of a model off by one',
    file: 'solver/session.ts',
    before: 'at + 1 < size && isTrue(',
    after: 'at + 2 < size && isTrue(',
    tests: ['solver/encode'],
  },
  {
    name: 'no tie of derived texts',
    file: 'space/ties/comparison-ties.ts',
    before: '[...readers.slice(i + 1), ...inputs]',
    after: 'readers.slice(i + 1)',
    tests: ['space/ties/ties'],
  },
  {
    name: 'no tie of comparisons',
    file: 'space/ties/ties.ts',
    before: '    ...comparisonTies(sources),\n',
    after: '',
    tests: ['space/ties/ties'],
  },
  {
    name: 'no tie of validity',
    file: 'space/ties/ties.ts',
    before: '    ...validityTies(sources),\n',
    after: '',
    tests: ['space/ties/ties'],
  },
  {
    name: 'no tie of parts',
    file: 'space/ties/comparison-ties.ts',
    before: '[...readers.slice(i + 1), ...inputs]',
    after: 'inputs',
    tests: ['space/ties/ties'],
  },
  {
    name: 'no tie of missing facts',
    file: 'space/ties/ties.ts',
    before: '    ...missingTies(subjects, variables),\n',
    after: '',
    tests: ['space/ties/ties'],
  },
  {
    name: 'a state that says nothing excludes what others say',
    file: 'space/ties/apart.ts',
    before: 'said !== undefined && canBeWith(said) === false',
    after: 'said === undefined || canBeWith(said) === false',
    tests: ['space/ties/ties'],
  },
  {
    name: 'states that exclude the same taken for one of them',
    file: 'space/ties/apart.ts',
    before: 'rows.get(key) ?? {',
    after: '{',
    tests: ['space/ties/ties', 'space/ties/operand-ties'],
  },
  {
    name: 'ties of one day taken for those of all days',
    file: 'space/ties/sources.ts',
    before: 'days.length > 1 ?',
    after: 'days.length > 99 ?',
    tests: ['space/calendar'],
  },
  {
    name: 'a divisor that may be zero is taken for any number',
    file: 'space/ties/computed-ties.ts',
    before: '(!isDivisor || isFarFromZero(range))',
    after: 'true',
    tests: ['space/ties/defined-ties'],
  },
  {
    name: 'a date that may be never is taken for a day',
    file: 'space/ties/computed-ties.ts',
    before: 'cells[a]?.[state]?.includes(1) === false',
    after: 'cells[a] !== undefined',
    tests: ['space/ties/defined-ties'],
  },
  {
    name: 'rules whose conditions differ somewhere are only written differently',
    file: 'diff/search.ts',
    before: "if (answer.kind === 'unsatisfiable') same.push(...open);",
    after: 'same.push(...open);',
    tests: ['diff/many-rules'],
  },
  {
    name: 'a score whose open points are lower counts as no greater',
    file: 'diff/search.ts',
    before: 'return unknown <= otherUnknown && certain <= otherCertain;',
    after: 'return certain <= otherCertain;',
    tests: ['diff/many-rules'],
  },
  {
    name: 'the range of one policy stands for that of both',
    file: 'space/space.ts',
    before: 'return one && other && [Math.min(one[0], other[0]), Math.max(one[1], other[1])];',
    after: 'return one && other && one;',
    tests: ['spellings'],
  },
  {
    name: 'the ends of ranges are not told apart',
    file: 'space/space-builder.ts',
    before: 'range && ranges.size > 1 ?',
    after: 'range && ranges.size > 9 ?',
    tests: ['spellings'],
  },
  {
    name: 'a lower limit of the score implies a higher one',
    file: 'diff/search.ts',
    before: 'lesser !== greater && greater.limit <= lesser.limit &&',
    after: 'lesser !== greater &&',
    tests: ['diff/many-rules'],
  },
  {
    name: 'a value that one policy cannot read as one that it can',
    file: 'space/joined-axes.ts',
    before: 'factAsDeclared(by.other, right)',
    after: 'right',
    tests: ['spellings'],
  },
  {
    name: 'a border of a range off by one',
    file: 'space/ties/sources.ts',
    before: "if (least < to) relations.add('less');",
    after: "if (least + 1 < to) relations.add('less');",
    tests: ['spellings'],
  },
  {
    name: 'the shortest start of a text in place of the longest',
    file: 'space/joined-axes.ts',
    before: 'branches.findLastIndex(({ axis })',
    after: 'branches.findIndex(({ axis })',
    tests: ['space/text-tree'],
  },
  {
    name: 'a tie that excludes a country without geodata',
    file: 'space/ties/comparison-ties.ts',
    before: 'if (!isAlwaysDerived(fact)) continue;\n',
    after: '',
    tests: ['space/ties/ties'],
  },
  {
    name: 'a fact compared with itself as with any other',
    file: 'space/joined-axes.ts',
    before: "fact !== other || relation === 'same'",
    after: 'relation.length > 0',
    tests: ['spellings'],
  },
  {
    name: 'lists told apart by name',
    file: 'space/space-builder.ts',
    before: 'versions.indexOf(contents.get(argument))',
    after: '0',
    tests: ['diff/regions'],
  },
  {
    name: 'computations of one name taken for one',
    file: 'space/own-computations.ts',
    before: "definitionKey(one, 'meaning') !== definitionKey(other, 'meaning')",
    after: 'one.compute.name !== other.compute.name',
    tests: ['space/own-computations'],
  },
  {
    name: 'a fact compared with a computed one keeps the name of the other policy',
    file: 'space/own-computations.ts',
    before: 'other && nameOf(other)];',
    after: 'other];',
    tests: ['space/own-computations'],
  },
  {
    name: 'one cell for the values of a state',
    file: 'space/space-builder.ts',
    before: 'flatMap(({ on, groups }) => cellsOf(axis, groups.get(key) ?? [], on))',
    after: 'flatMap(({ on, groups }) => cellsOf(axis, groups.get(key)?.slice(0, 1) ?? [], on))',
    tests: ['diff/regions'],
  },
  {
    name: 'an example beside inputs that it does not follow from',
    file: 'question/find-facts.ts',
    before: 'facts.set(path, mode ===',
    after: 'if (!this.#fixed.has(path)) facts.set(path, mode ===',
    tests: ['space/ties/ties'],
  },
  {
    name: 'what the other rules decide said beside any limit',
    file: 'diff/sum-cases.ts',
    before: 'if (others.every(isBeyond))',
    after: 'if (others.some(isBeyond))',
    tests: ['diff/regions', 'diff/diff'],
  },
  {
    name: 'regions that say the same have the applicants of the first',
    file: 'diff/regions.ts',
    before: 'contains: (...asked) => alike.some((each) => each.contains(...asked))',
    after: 'contains: first.contains',
    tests: ['diff/regions'],
  },
  {
    name: 'sums below the first border taken for impossible',
    file: 'diff/sum-cases.ts',
    before: 'sums.least === least[0] || ',
    after: '',
    tests: ['diff/regions'],
  },
  {
    name: 'not of what falls falls',
    file: 'prove/second-applicant.ts',
    before: 'change(OPPOSITE[how], formula.of[0])',
    after: 'change(how, formula.of[0])',
    tests: ['prove/second-applicant'],
  },
  {
    name: 'a test of a missing fact taken for one that only gets less certain',
    file: 'prove/second-applicant.ts',
    before: "(how === 'falls' ? 'or' : 'and')",
    after: "(how === 'falls' ? 'and' : 'or')",
    tests: ['prove/second-applicant'],
  },
];

/** All of them. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  ...BUGS_OF_ENCODING,
  ...BUGS_OF_PROOF,
  ...BUGS_OF_COVERAGE,
  ...BUGS_OF_MUTATION,
  ...BUGS_OF_SUGGESTION,
  ...BUGS_OF_RULES,
  ...BUGS_OF_CHECKS,
  ...BUGS_OF_DAYS,
  ...BUGS_OF_Z3,
  ...BUGS_OF_BACKTESTS,
];
