/**
 * The lab -> how long it searches, and how much it looks at: its limits, each with the measurement or the reason behind
 * it. None of them makes an answer wrong: beyond one, something is undecided, or described by fewer words.
 *
 * Shares are of all steps of a command, unless something else is said.
 */

// Steps. One is what z3 counts as one, and takes about 2 µs: 30 million are about a minute.

/** What a command may take, unless `--steps` says otherwise; and a search for one difference. */
export const DEFAULT_STEPS = 30_000_000;
export const ONE_DIFFERENCE_STEPS = 5_000_000;
/** How many gates a walk updates in the time of a step. Measured. */
export const GATES_A_STEP = 20;
/** What other work takes: a combination of facts, an applicant who is drawn and decided, a case, a goal of tests. */
export const STEPS_A_COMBINATION = 2;
export const STEPS_A_DRAW = 150;
export const STEPS_A_CASE = 1;
export const STEPS_A_GOAL = 100;
/** How many times as many steps the hint of undecided questions proposes: twice as many decide few questions more. */
export const MORE_STEPS = 10;
/**
 * Some work of z3 counts no steps. A check that takes longer than ten minutes, and fifty times as long as its steps
 * usually do, has broken down. No answer depends on this time, since the command ends.
 */
export const WATCHDOG_MS = { least: 600_000, aStep: 0.1 } as const;

// The solver: walks from state to state, and z3.

/** States of the first walk; then z3 and the walk get more in turns. Chosen, not measured. */
export const WALK_FIRST_TRIES = 4_000;
/** How many steps z3 takes at first before the walk goes on. Chosen, not measured. */
export const Z3_FIRST_STEPS = 15_000;
/** A step away from the goal of this distance is taken with a chance of 1 in e. Measured on sums of 300 rules. */
export const WALK_TEMPERATURE = 0.5;
/**
 * More parts of a formula than these are joined in groups, so that the change of one part does not read all of them.
 * Chosen, not measured.
 */
export const MOST_PARTS_OF_GATE = 12;
/** z3 reads a text from its stack of 20 MB: a longer text broke it. */
export const MOST_CHARACTERS_READ = 1_000_000;

// Spaces: the states that are told apart.

/** More entries that only one version of a list has are not cells of their own. Chosen, not measured. */
export const MOST_OWN_ENTRIES = 100;
/**
 * More combinations of states of variables are not compared: without their ties, fewer policies are proved to be the
 * same. So many take half a second.
 */
export const MOST_STATES_COMPARED = 1_000_000;

/**
 * Later days on which something begins or ends; beyond these no day is looked at. A year of entries that end on a day
 * each: a diff of 300 rules takes 1.8 s, and 0.2 s without them.
 */
export const MOST_LATER_DAYS = 400;

// Questions: an applicant in the states of an answer.

/** The share of all steps that one question may take, where several are asked. Chosen, not measured. */
export const QUESTION_SHARE = 0.1;
/** How many applicants are sought before none counts as found. Chosen, not measured. */
export const MOST_APPLICANTS_SOUGHT = 20;
/** How many are then drawn at random, in about 0.1 s: every fifth search that had failed finds one. */
export const MOST_DRAWN = 500;
/** Values of facts that are compared with, or computed from, each other, in combinations. Chosen, not measured. */
export const MOST_COMBINATIONS_TRIED = 20_000;
/**
 * The same where fewer facts are sought, to learn which of them exclude each other: with as many as above, a diff of
 * 5 s took minutes.
 */
export const MOST_COMBINATIONS_AGAIN = 2_000;

/** The most countries of a state in which locations are sought, and the most locations. Chosen, not measured. */
export const MOST_COUNTRIES = 40;
export const MOST_LOCATIONS = 20;
/** The most digits at the start and at the end of a number that policies ask for. Chosen, not measured. */
export const MOST_DIGITS = { start: 9, end: 4 } as const;
/** More facts that were derived are not kept: one search of a phone number tries some thousand numbers. */
export const MOST_DERIVED_KEPT = 20_000;
/** The most parts that are tried where a text has one of several, and the most combinations of them. Chosen. */
export const MOST_TEXT_PARTS = 4;
export const MOST_TEXTS_COMBINED = 64;

// Rules that never fire or never matter. Chosen, not measured, unless something else is said.

/**
 * Of many rules, a question about one may take this share, divided by their number: of 300 rules, some questions stay
 * open at any share, and nearly all others are answered at this one.
 */
export const RULES_SHARE = 1.5;
/** More rules that read a fact of the covered one are not looked at. */
export const MOST_COVER_CANDIDATES = 40;
/** More rules that cover one together say little. */
export const MOST_COVERS = 4;

// The diff.

/**
 * Where only one policy has more rules than these, regions say what each policy decides, and not what each rule does:
 * of two unrelated policies of 24 rules, a region takes 6 conditions instead of 24. Of 100 rules with 4 edited
 * thresholds, the difference would be 6 regions instead of 13 already; with one, they would take 4 s instead of 1.
 */
export const MOST_OWN_RULES = 24;
/**
 * The share of the proofs that rules are only written differently. Chosen, not measured. So many are asked about at
 * once: 300 rewritten rules are proved in 2 s.
 */
export const REWRITTEN_SHARE = 0.5;
export const REWRITTEN_AT_ONCE = 20;
/**
 * More combinations of truths of these rules in one box, and more in all boxes, are not compared: the box stays
 * smaller. Chosen, not measured.
 */
export const MOST_TRUTHS_IN_BOX = 9;
export const MOST_TRUTHS_COMPARED = 200;
/**
 * The steps of the first question about a kind of change. They double, so that a kind without applicants does not
 * take the steps of the others. Chosen, not measured.
 */
export const KIND_FIRST_STEPS = 500_000;
/** The share of one kind that has no region after the most regions. Chosen, not measured. */
export const KIND_SHARE = 0.05;
/**
 * The share of a question about an example, by what was needed before: no solver says soon that points are just out of
 * reach, and those in reach are found in less. Measured on 300 rules: points out of reach took 3 s of each diff.
 */
export const EXAMPLE_SHARE = { least: 1 / 120, most: 1 / 20, mostAfter: 750_000 } as const;
/** From more kinds of applicants who change, no part is sought around one of them. Chosen, not measured. */
export const MOST_KINDS_TRIED = 200;
/** The commonest states of those who change that kinds are made of: so many take some seconds. */
export const MOST_STATES_TRIED = 50_000;
/** Boxes that differ in more variables are not joined, and more conditions are not left out. Chosen, not measured. */
export const MOST_VARIABLES_JOINED = 8;
export const MOST_CONDITIONS_LEFT_OUT = 3;
/** More pieces of boxes that are joined are not counted. Chosen, not measured. */
export const MOST_PIECES_COUNTED = 200;

// Coverage.

/**
 * Conditions with more combinations of cells are judged by the truths of their parts alone: what cannot happen may then
 * be called a gap. Chosen, not measured.
 */
export const MOST_CELLS_COMBINED = 1024;

// Cases: those that tests do not have. Chosen, not measured, unless something else is said.

/** From more sets with a name, no case starts. */
export const MOST_SETS_STARTED = 4;
/** How often a condition is drawn for one goal, from each set. */
export const DRAWS_A_GOAL = 8;

// Mutants. Chosen, not measured, unless something else is said.

/** Cases are sought for the first mutants that survive, unless all are requested: more is too many tests to write. */
export const FIRST_MUTANTS_SOUGHT = 50;
/** Mutants whose conditions cut one space: more would cut it into more states than a question needs. */
export const MUTANTS_TOGETHER = 200;
/** Mutants whose rules one matcher has: more would distinguish more values than it keeps in vectors. */
export const MUTANTS_JUDGED_TOGETHER = 1000;
/** The steps in which another outcome is sought before anything else will do: only a proof of none takes more. */
export const QUICK_OUTCOME_STEPS = 50_000;
/** More values of one test are not left out one by one. */
export const MOST_VALUES_LEFT_OUT = 20;
/** Longer lists are data from elsewhere, and no test is written for each of their entries. */
export const MOST_ENTRIES_LEFT_OUT = 10;

// Real applicants.

/**
 * ClickHouse counts rows together whose rules ask for the same, up to this many kinds of them; of more it does not say
 * what becomes of them without a rule. Chosen: an answer of some 15 MB.
 */
export const MOST_KINDS_COUNTED = 50_000;
/** More kinds of problems are counted together. Chosen, not measured. */
export const MOST_PROBLEMS = 20;
/**
 * More combinations of states of those who change are not kept, and not looked for in regions: some 200 bytes each.
 */
export const MOST_STATES_SEEN = 500_000;
/** More edits are not counted one by one: each takes two policies more. Chosen, not measured. */
export const MOST_EDITS_COUNTED = 100;
/** More decisions that cannot be read are counted, and not listed. Chosen, not measured. */
export const MOST_UNREADABLE_LISTED = 100;

// Words. People read no longer lists: chosen, not measured.

/** More rules, or parts of a policy, are not named. */
export const MOST_NAMED = 5;
/** More values are not listed where the policies have words for all of them. */
export const MOST_VALUES_LISTED = 5;
/** More phrases of a fact are not paired to one: each is tried with each. */
export const MOST_PHRASES_PAIRED = 40;
/** More rules that fire are counted in the name of a test, and more codes are left to what it expects. */
export const MOST_RULES_IN_NAME = 3;
export const MOST_CODES_IN_NAME = 3;
/** More undetermined rules are not expected by name: the outcome says more to a reader. */
export const MOST_UNDETERMINED_EXPECTED = 4;
/** Older days are written as dates, or in whole years. */
export const MOST_DAYS_AGO = 400;

/** The most values by which applicants are counted one by one; others are summed. Chosen, not measured. */
export const MOST_VALUES_COUNTED = 20;
