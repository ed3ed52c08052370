/** A decision on record that cannot be explained -> why, as a code and in words, and whether that is a defect. */

import type { DecisionRecord } from '../../audit/query/decision-record.ts';

/** Why the facts cannot be read, or no longer decided on. */
export interface UnreadableFacts {
  /** For machines. */
  readonly code: 'erased' | 'erasure-differs' | 'no-keys' | 'key-missing' | 'not-opened' | 'no-body' | 'policy-erased';
  /** A sentence or two. */
  readonly words: string;
  /** What is wrong with the record, in half a sentence; absent if nothing is. */
  readonly wrong?: string;
}

/** Undefined if the decision can be explained. `hasKeys` is whether there is a key folder. */
export function unreadableFacts(
  { body, erasedAt, erasedOtherwiseAt }: DecisionRecord,
  hasKeys: boolean,
): UnreadableFacts | undefined {
  if (!('closed' in body)) return body.isPolicyErased ? POLICY_ERASED : undefined;
  const { closed } = body;
  if (closed === 'not-opened' || closed === 'no-body') {
    const wrong = closed === 'not-opened' ? 'its key does not open its body' : 'its body is malformed';
    return { code: closed, words: `Its facts cannot be read: ${wrong}. Verify the log with its keys.`, wrong };
  }
  if (erasedAt !== undefined) {
    return { code: 'erased', words: `Its facts were erased. The erasure is on record: ${erasedAt}.` };
  }
  if (!hasKeys) {
    return { code: 'no-keys', words: 'Its facts cannot be read without the key folder, and no erasure is on record.' };
  }
  const key = closed === 'erased' ? 'its key was overwritten' : 'its key is not in the key folder';
  if (erasedOtherwiseAt !== undefined) {
    const erasure = `the erasure on record, ${erasedOtherwiseAt}, is of another subject`;
    const wrong = `${key}, and ${erasure}`;
    return { code: 'erasure-differs', words: `Its facts cannot be read: ${wrong}.`, wrong };
  }
  const wrong = `${key}, and no erasure is on record`;
  return { code: 'key-missing', words: `Its facts cannot be read: ${wrong}.`, wrong };
}

const POLICY_ERASED: UnreadableFacts = {
  code: 'policy-erased',
  words: 'It cannot be explained: what its policy said of this applicant, such as an entry of a list, was erased.',
};
