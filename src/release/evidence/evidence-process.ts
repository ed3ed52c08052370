/** A release -> its evidence, or what the checker finds. A process of its own: z3 keeps its memory until that ends. */

import { offer } from '../../platform/thread.ts';
import { checkTextsOf, type EvidenceFunctions, makeEvidence } from './make.ts';

offer({ make: makeEvidence, check: checkTextsOf } satisfies EvidenceFunctions);
