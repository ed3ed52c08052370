/** What a verification may find. */

/** Every code with its meaning in one sentence. The codes are stable. */
export const FINDING_CODES = {
  'log-invalid': 'log.json is missing or malformed.',
  'key-invalid': 'A public key does not have the id in its file name.',
  'archive-differs': 'A stored policy or mapping does not have the digest in its file name.',
  'file-unexpected': 'A file, folder or link does not belong in a log.',
  'chain-too-old': 'A chain was created before its log.',
  'owner-invalid': 'The lease file of a chain is malformed.',
  'end-differs': 'A chain does not end at the last state recorded in its lease.',
  'segment-missing': 'A segment is missing and has no tombstone.',
  'segment-unexpected': 'A segment is there although its tombstone says that it was pruned.',
  'tombstone-invalid':
    'A tombstone is malformed, is not signed with a trusted key, or does not follow what comes before it.',
  'line-not-whole': 'A line is incomplete, and no process is writing it.',
  'line-not-json': 'A line is not JSON.',
  'line-shape': 'A line is not in the form in which entries are written.',
  'line-format': 'A line has another format than this version reads, as those of another version have.',
  'hash-differs': 'The hash of an entry does not match its bytes: it was changed after it was written.',
  'chain-differs': 'An entry belongs to another chain.',
  'log-differs': 'An entry belongs to another log.',
  'after-seal': 'A line follows the footer that closes its segment.',
  'sequence-broken': 'An entry is not the next one: entries were removed, inserted or moved.',
  'link-broken': 'An entry does not contain the hash of the entry before it.',
  'open-wrong': 'A chain does not begin with an `open` entry, or such an entry has the wrong segment or epoch.',
  'seal-wrong': 'A footer does not match the segment that it closes.',
  'seal-missing': 'A segment has no footer, and another segment follows it.',
  'torn-differs': 'A tail that was set aside after a crash is missing or was changed.',
  'duplicate-id':
    'Two records of the log have the same id, and are not the same note, or the opening of the same case.',
  'key-shared': 'A record names the data key of another record.',
  'archive-missing': 'The policy or mapping of a decision is not stored in the log.',
  'clear-differs': 'The clear fields of a record differ from its body.',
  'body-unreadable':
    'A body cannot be decrypted with its key, or is malformed: the body or the clear fields were changed.',
  'policy-unreadable': 'A stored policy does not open with its keys, or its keys are missing from the key folder.',
  'key-missing': 'The key of a record is erased or missing, and no erasure is on record.',
  'erasure-differs': 'The key of a record is erased or missing, and the erasure on record is for another subject.',
  'erasure-undone':
    'The erasure of a record, or of a text in a stored policy, is on record, but its key is still there.',
  'checkpoint-invalid': 'The checkpoint is malformed, is of another log, or is not signed with a trusted key.',
  'checkpoint-chain-missing': 'A chain that the checkpoint names is missing.',
  'checkpoint-cut': 'A chain is shorter than in the checkpoint.',
  'checkpoint-rewritten': 'A chain differs from the checkpoint: it was rewritten.',
  'checkpoint-pruned':
    'An entry that the checkpoint names was pruned: `checkpoint` and `prune` need a later checkpoint to continue.',
} as const;

/** A stable name for a kind of defect. */
export type FindingCode = keyof typeof FINDING_CODES;

/** The position of a finding, as far as it has one. */
export interface FindingPosition {
  /** Absent for a file outside the chains. */
  readonly chain?: string;
  /** Absent for a whole chain. */
  readonly segment?: number;
  /** From 1, in its file; absent for a whole file. */
  readonly line?: number;
  /** The number that an entry at this position has to have in its chain. */
  readonly seq?: number;
  /** The id of the record in that line, whether genuine or not; absent if it has none. */
  readonly id?: string;
  /** Where the line begins in its file, in bytes. */
  readonly offset?: number;
  /** The file, relative to the log's folder. */
  readonly file?: string;
}

/** What is wrong, without its position. */
export interface Defect {
  readonly code: FindingCode;
  /** What was found, then what was expected. */
  readonly message: string;
}

/** A part of the log that is not as it was written. */
export interface Finding extends Defect, FindingPosition {}
