/** What the editor of a draft asks, in a process of its own: what it reads may take all its memory, and never ends. */

import { offer } from '../../platform/thread.ts';
import { acceptTexts, checkTexts, runTexts, suggestTexts } from './work.ts';

const FUNCTIONS = { check: checkTexts, test: runTexts, suggest: suggestTexts, accept: acceptTexts };

export type DraftFunctions = typeof FUNCTIONS;

offer(FUNCTIONS);
