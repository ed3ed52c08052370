/** Files of a policy and a mapping -> what is read of them, as data. A thread of its own; see `reading-worker.ts`. */

import { offer } from '../../platform/thread.ts';
import { asData, type FilesAsData, type FilesToRead, readFiles } from './read-files.ts';

export type ReadingFunctions = { readonly read: (files: FilesToRead) => FilesAsData };

offer({ read: (files) => asData(readFiles(files)) } satisfies ReadingFunctions);
