/** The folders of a log and of its keys -> those that others than their owner may look into, as data and in words. */

import { join } from 'node:path';
import type { OpenToOthers } from '../../audit/store/permissions.ts';
import { printable } from '../../text.ts';

/** A folder in which something is not for its owner alone. */
export interface OpenFolder extends OpenToOthers {
  readonly of: 'keys' | 'log';
  readonly folder: string;
}

/** Looks into the folder of the log, and that of the keys where there is one. */
export async function findOpenFolders(folders: {
  readonly keys?: string;
  readonly log: string;
}): Promise<OpenFolder[]> {
  const { findOpenToOthers } = await import('../../audit/store/permissions.ts');
  const found: OpenFolder[] = [];
  for (const name of ['keys', 'log'] as const) {
    const folder = folders[name];
    const open = folder === undefined ? undefined : await findOpenToOthers(folder);
    if (folder !== undefined && open) found.push({ of: name, folder, ...open });
  }
  return found;
}

/** A warning, and what mends it. */
export function openFolderWords({ of, folder, first, mode, count }: OpenFolder): string {
  const more = count > 1 ? `, and ${count - 1} more in ${printable(folder)}` : '';
  const why = of === 'keys' ? '; whoever reads the keys can read the records' : '';
  return `open to others than its owner: ${printable(join(folder, first))} (mode ${mode})${more}${why}: chmod -R go= ${printable(folder)}`;
}
