/** The folders of a log and its keys -> those that other users can access, as data and in words. */

import { join } from 'node:path';
import type { OpenToOthers } from '../../audit/store/permissions.ts';
import { printable } from '../../text.ts';

/** A folder with a file or folder that other users can access. */
export interface OpenFolder extends OpenToOthers {
  readonly of: 'keys' | 'log';
  readonly folder: string;
}

/** Checks the folder of the log, and the key folder if it is given. */
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

/** A warning, with the command that closes the folder. */
export function openFolderWords({ of, folder, first, mode, count }: OpenFolder): string {
  const more = count > 1 ? `, and ${count - 1} more in ${printable(folder)}` : '';
  const risk = of === 'keys' ? '; anyone with the keys can read the records' : '';
  const path = printable(join(folder, first));
  return `open to other users: ${path} (mode ${mode})${more}${risk}: chmod -R go= ${printable(folder)}`;
}
