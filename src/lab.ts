/**
 * `verdict-engine/lab`: what a team does with a policy before it decides on people: run its tests, count what they
 * reach, compare it with the version before, prove its guarantees. Comparing and proving need the optional package
 * z3-solver, which is loaded when it is first used.
 */

export {
  type Coverage,
  type CoverageCase,
  type CoverageItem,
  type CoverageOptions,
  coverage,
} from './lab/coverage/coverage.ts';
export type { CoverageKind } from './lab/coverage/item.ts';
export type { CoveredPolicy } from './lab/coverage/test-coverage.ts';
export { type DiffOptions, diffPolicies, type PolicyDiff } from './lab/diff/diff.ts';
export {
  type Difference as PolicyDifference,
  type DifferenceOptions,
  findDifference,
} from './lab/diff/find-difference.ts';
export type { Change } from './lab/diff/part.ts';
export type { DiffRegion } from './lab/diff/region.ts';
export { describeEdits } from './lab/edits/describe-edits.ts';
export type { PolicyEdit } from './lab/edits/edit.ts';
export type { KillingCase } from './lab/mutation/killing-case.ts';
export type { NotMutated } from './lab/mutation/mutants.ts';
export {
  type MutantResult,
  type MutantStatus,
  type MutationOptions,
  mutate,
  type PolicyMutation,
  scoreOf as mutationScore,
} from './lab/mutation/mutate.ts';
export type { MutationOperator } from './lab/mutation/mutation-operators.ts';
export { checkGuarantees } from './lab/proof/check-guarantees.ts';
export type { Property, PropertyKind } from './lab/proof/property.ts';
export {
  type DecidedApplicant,
  type Proof,
  type ProofOptions,
  type PropertyOptions,
  proveProperties,
} from './lab/proof/prove.ts';
export type { ExampleLine } from './lab/reasoning/find-applicant.ts';
export type { ReasonDiff } from './lab/reasons/diff-reasons.ts';
export type { ReasonChange } from './lab/reasons/reason-case.ts';
export {
  type PolicySuggestions,
  type Suggestion,
  type SuggestOptions,
  suggestTests,
} from './lab/suggest-cases/suggest-tests.ts';
export type { Difference } from './lab/testing/run-case.ts';
export { runTests, type TestOptions, type TestReport, type TestResult } from './lab/testing/run-tests.ts';
export type { Expectation, TestCase, TestedPolicy } from './lab/testing/test-case.ts';
export { type DecisionToTest, recordTest, type TestInYaml } from './lab/writing/record-test.ts';
export type { NoTest } from './lab/writing/recorded-test.ts';
