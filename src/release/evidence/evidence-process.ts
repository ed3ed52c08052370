/** A release -> its evidence. A process of its own: z3 keeps its memory until that ends. */

import { offer } from '../../platform/thread.ts';
import { countDecisions, type EvidenceFunctions, makeEvidence } from './make.ts';

offer({ make: makeEvidence, count: countDecisions } satisfies EvidenceFunctions);
