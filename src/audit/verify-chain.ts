/** A chain's folder -> how long the chain is, and the first place of it that is not as it was written; though processes go on writing it. */

import type { ChainSetting, CheckedChain } from './chain-check.ts';
import { isUnchanged, lookIntoChain } from './chain-folder.ts';
import { Walk } from './walk.ts';

/** A process may write, close segments and be followed by another one while the chain is read; what is wrong stays wrong. */
const LOOKS = 5;

/** Reads a chain up to the length that it had when first looked at. A finding counts if nothing has changed meanwhile, or if it stays. */
export async function verifyChain(setting: ChainSetting): Promise<CheckedChain> {
  const ids = setting.ids.size;
  for (let looks = 1; ; looks++) {
    const folder = await lookIntoChain(setting.path);
    const checked = await new Walk(setting, folder).run();
    if (checked.findings.length === 0 || looks === LOOKS) return checked;
    if (isUnchanged(folder, await lookIntoChain(setting.path))) return checked;
    setting.ids.cut(ids);
  }
}
