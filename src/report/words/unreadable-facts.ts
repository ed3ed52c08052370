/** A decision on record whose facts cannot be read -> why, in a code and in words, and whether that is as it should be. */

import type { DecisionRecord } from '../../audit/query/decision-record.ts';

/** Why nobody can read its facts. */
export interface UnreadableFacts {
  /** For machines. */
  readonly code: 'erased' | 'erasure-differs' | 'no-keys' | 'key-missing' | 'not-opened' | 'no-body';
  /** A sentence or two. */
  readonly words: string;
  /** What is not as it was written, in half a sentence; absent where nothing is. */
  readonly wrong?: string;
}

/** Undefined where they can be read. `hasKeys` is whether there is a key folder. */
export function unreadableFacts(
  { body: told, erasedAt, erasedOtherwiseAt }: DecisionRecord,
  hasKeys: boolean,
): UnreadableFacts | undefined {
  if (!('closed' in told)) return undefined;
  const { closed } = told;
  if (closed === 'not-opened') {
    const words = 'Its facts cannot be read: their key does not open them. Verify the log with its keys.';
    return { code: closed, words, wrong: 'its body does not open with its key' };
  }
  if (closed === 'no-body') {
    const words = 'Its facts cannot be read: what its body holds is no decision. Verify the log with its keys.';
    return { code: closed, words, wrong: 'its body holds something else than a decision' };
  }
  if (erasedAt !== undefined) {
    return { code: 'erased', words: `Its facts were erased. The erasure is on record: ${erasedAt}.` };
  }
  if (!hasKeys) {
    return { code: 'no-keys', words: 'Its facts cannot be read without the key folder, and no erasure is on record.' };
  }
  const gone = closed === 'erased' ? 'their key was overwritten' : 'their key is not in the key folder';
  if (erasedOtherwiseAt !== undefined) {
    const words = `Its facts cannot be read: ${gone}, and the erasure on record, ${erasedOtherwiseAt}, is that of another subject.`;
    return {
      code: 'erasure-differs',
      words,
      wrong: 'its key is gone, and its erasure on record is that of another subject',
    };
  }
  const words = `Its facts cannot be read: ${gone}, and no erasure is on record.`;
  return { code: 'key-missing', words, wrong: 'its key is gone, and no erasure is on record' };
}
