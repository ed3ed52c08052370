/** What the editor of a draft asks, in a process of its own: what it reads may take all its memory, and never ends. */

import { offer } from '../../platform/thread.ts';
import { namedPolicies } from '../policies.ts';
import { acceptedTests, checkDraft, missingTests, testDraft, tryFacts } from './work.ts';

const FUNCTIONS = {
  ...{ check: checkDraft, test: testDraft, suggest: missingTests, accept: acceptedTests, try: tryFacts },
  policies: namedPolicies,
};

export type DraftFunctions = typeof FUNCTIONS;

offer(FUNCTIONS);
