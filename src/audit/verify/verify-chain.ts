/** A chain's folder -> how long the chain is, and the first place of it that is not as it was written; though processes go on writing it. */

import { setTimeout } from 'node:timers/promises';
import { isUnchanged, listChainFolder } from '../store/chain-folder.ts';
import type { ChainSetting, CheckedChain } from './chain-check.ts';
import { ChainVerifier } from './chain-verifier.ts';

/** A process may write, close segments and be followed by another one while the chain is read; what is wrong stays wrong. */
const LOOKS = 10;
/** Of a segment that has its tombstone the keys go before it does: so long is waited each time for it to be gone. */
const PAUSE_MS = 50;

/** Reads a chain up to the length that it had when first looked at. A finding counts if nothing has changed meanwhile, or if it stays. */
export async function verifyChain(setting: ChainSetting): Promise<CheckedChain> {
  const ids = setting.ids.size;
  for (let looks = 1; ; looks++) {
    const folder = await listChainFolder(setting.path);
    const checked = await new ChainVerifier(setting, folder).run();
    if (checked.findings.length === 0 || looks === LOOKS) return checked;
    const isBeingPruned = checked.findings.some(({ code }) => code === 'segment-unexpected');
    if (isBeingPruned) await setTimeout(PAUSE_MS);
    else if (isUnchanged(folder, await listChainFolder(setting.path))) return checked;
    setting.ids.cut(ids);
  }
}
