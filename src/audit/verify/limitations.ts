/** What a log was held to -> what a verification could not see, in sentences. */

import { count } from '../../text.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import type { ChainReport } from './chain-check.ts';

/** What else bears on it. */
interface Circumstances {
  /** Whether the public keys come from elsewhere. */
  readonly isKeyGiven: boolean;
  /** The records whose keys are gone and whose erasure may be told of where the log could not be read. */
  readonly untold: number;
}

/** Never empty: there is always something that was written since. */
export function limitations(
  checkpoint: Checkpoint | undefined,
  chains: readonly ChainReport[],
  { isKeyGiven, untold }: Circumstances,
): string[] {
  const sum = (of: (chain: ChainReport) => number) => chains.reduce((total, chain) => total + of(chain), 0);
  const [pruned, torn] = [sum((chain) => chain.pruned), sum(({ tornTails }) => tornTails)];
  const unpromised = sum(({ isPromisePruned }) => Number(isPromisePruned));
  const unread = sum(({ isRead }) => Number(!isRead));
  const lengths = new Map(checkpoint?.heads.map((head) => [head.chain, head.length]));
  const unnamed = checkpoint ? chains.filter(({ chain, length }) => length > 0 && !lengths.has(chain)) : [];
  const unnamedLines = unnamed.reduce((total, { length }) => total + length, 0);
  const later = sum(({ chain, length }) => Math.max(0, length - (lengths.get(chain) ?? length)));
  const signed = [checkpoint ? 'the checkpoint' : '', pruned > 0 ? count(pruned, 'tombstone') : ''].filter(Boolean);
  const sentences: readonly (readonly [isTrue: boolean, sentence: string])[] = [
    [
      checkpoint !== undefined,
      `Without a later checkpoint this cannot see whether records written after ${checkpoint?.at} were cut off, written anew or added with right hashes, or, with a chain begun since, removed whole.`,
    ],
    [
      checkpoint === undefined,
      'Without a checkpoint that is kept elsewhere this cannot see a chain whose end, or all of it, was cut off, one that was written anew or added to with right hashes, or one that was removed whole; nor whether the origin in log.json was changed.',
    ],
    [
      unnamed.length > 0 || later > 0,
      `The checkpoint does not cover ${count(unnamed.length, 'chain')} that it does not name, with ${count(unnamedLines, 'line')}, and ${count(later, 'line')} behind those that it names.`,
    ],
    [unread > 0, `What stands behind the first bad place of ${count(unread, 'chain')} was not looked at.`],
    [
      untold > 0,
      `The keys of ${count(untold, 'record')} are gone; whether their erasure is on record cannot be said, since not all of the log could be read.`,
    ],
    [
      torn > 0,
      `${count(torn, 'tail')} set aside after a crash: a record that was never acknowledged, or one whose end somebody cut off; this cannot tell which.`,
    ],
    [
      signed.length > 0 && !isKeyGiven,
      `The public key against which ${signed.join(' and ')} ${signed.length > 1 || pruned > 1 ? 'were' : 'was'} checked is the one in the log's own folder, which whoever can rewrite the log can replace: give the one that you keep.`,
    ],
    [
      unpromised > 0,
      `The checkpoint's line of ${count(unpromised, 'chain')} stood in a segment that was pruned, and could not be compared.`,
    ],
  ];
  return sentences.filter(([isTrue]) => isTrue).map(([, sentence]) => sentence);
}
