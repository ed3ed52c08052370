/**
 * `verdict-engine/lab`: tools for a policy before it decides on people: run its tests, measure their coverage, compare
 * it with the previous version, prove its guarantees. Comparing and proving need the optional package
 * z3-solver, which is loaded when it is first used.
 */

export type { NoTest } from './lab/cases/recorded-test.ts';
export { type DecisionToTest, recordTest, type TestInYaml } from './lab/cases/recorded-test.ts';
export {
  type PolicySuggestions,
  type Suggestion,
  type SuggestOptions,
  suggestTests,
} from './lab/cases/suggest-tests.ts';
export {
  type Difference as PolicyDifference,
  type DifferenceOptions,
  type DiffOptions,
  diffPolicies,
  findDifference,
  type PolicyDiff,
} from './lab/diff/diff.ts';
export { describeEdits } from './lab/diff/edits/describe-edits.ts';
export type { PolicyEdit } from './lab/diff/edits/edit.ts';
export type { Change } from './lab/diff/parts.ts';
export type { DiffRegion } from './lab/diff/regions.ts';
export type { KillingCase } from './lab/mutate/killing-case.ts';
export type { NotMutated } from './lab/mutate/mutants.ts';
export {
  type MutantResult,
  type MutantStatus,
  type MutationOptions,
  mutate,
  type PolicyMutation,
  scoreOf as mutationScore,
} from './lab/mutate/mutate.ts';
export type { MutationOperator } from './lab/mutate/mutation-operators.ts';
export type { Property, PropertyKind } from './lab/prove/property.ts';
export {
  checkGuarantees,
  type DecidedApplicant,
  type Proof,
  type ProofOptions,
  type PropertyOptions,
  proveProperties,
} from './lab/prove/prove.ts';
export type { ExampleLine } from './lab/question/find-applicant.ts';
export {
  type Coverage,
  type CoverageCase,
  type CoverageItem,
  type CoverageOptions,
  coverage,
} from './lab/test/coverage/coverage.ts';
export type { CoverageKind } from './lab/test/coverage/items.ts';
export type { CoveredPolicy } from './lab/test/run-tests.ts';
export { runTests, type TestOptions, type TestReport, type TestResult } from './lab/test/run-tests.ts';
export type { Difference, Expectation, TestCase, TestedPolicy } from './lab/test/test-case.ts';
