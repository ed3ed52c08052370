/** A release -> its evidence. A process of its own: z3 keeps its memory until that ends. */

import { offer } from '../../platform/thread.ts';
import { makeEvidence } from './make.ts';

export type EvidenceFunctions = { readonly make: typeof makeEvidence };

offer({ make: makeEvidence } satisfies EvidenceFunctions);
