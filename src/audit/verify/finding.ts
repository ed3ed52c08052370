/** What a verification may find, and how it is said. */

/** Every code with its meaning in one sentence. The codes are stable. */
export const FINDING_CODES = {
  'log-invalid': 'log.json is missing, or is not as it was written.',
  'key-invalid': 'A public key is not the one that its file is named for.',
  'archive-differs': 'A kept policy or mapping is not the one that its file is named for.',
  'file-unexpected': 'A file, folder or link that does not belong to a log.',
  'chain-too-old': 'A chain says that it was begun before the log was.',
  'owner-invalid': 'The file that says which process writes a chain is not as it was written.',
  'end-differs': 'A chain does not end where the process that wrote it last left it.',
  'segment-missing': 'A segment is not there, and no tombstone stands in its place.',
  'segment-unexpected': 'A segment is there, though its tombstone says that it was pruned.',
  'tombstone-invalid': 'A tombstone was not signed with a known key, or does not join what stands before it.',
  'line-not-whole': 'A chain ends in half a line, and nobody writes it.',
  'line-not-json': 'A line is not JSON.',
  'line-shape': 'A line is not what would be written for any record.',
  'hash-differs': 'A line does not have its own hash: it was changed after it was written.',
  'chain-differs': 'A line belongs to another chain.',
  'log-differs': 'A line belongs to another log.',
  'after-seal': 'A line stands behind the seal that closes its segment.',
  'sequence-broken': 'A line is not the next one: lines were removed, inserted or moved.',
  'link-broken': 'A line does not follow the line before it.',
  'open-wrong': 'A chain, or what a process wrote of it, is not opened as it has to be.',
  'seal-wrong': 'A seal does not fit the segment that it closes.',
  'seal-missing': 'A segment is not closed by a seal, and another follows it.',
  'torn-differs': 'What was set aside after a crash is missing, or is not as it was written.',
  'duplicate-id': 'Two records of the log have the same id.',
  'key-shared': "A record names a data key that is another record's.",
  'archive-missing': 'The policy or mapping of a decision is not kept.',
  'clear-differs': 'What a record says in clear is not what its sealed body says.',
  'body-unreadable':
    'The sealed body of a record cannot be opened with its key: the body, or what the record says in clear, was changed.',
  'key-missing': 'The key of a record is gone, and no erasure is on record.',
  'erasure-differs': 'The key of a record is gone, and its erasure on record is that of another subject.',
  'erasure-undone': 'The log tells that a record was erased, and its key opens it still.',
  'checkpoint-invalid': 'The checkpoint is not one of this log, or was not signed with the key.',
  'checkpoint-chain-missing': 'A chain that the checkpoint names is not there.',
  'checkpoint-cut': 'A chain is shorter than the checkpoint says.',
  'checkpoint-rewritten': 'A chain is another one than the checkpoint says: it was written anew.',
  'checkpoint-pruned':
    'A line that the checkpoint names was pruned: `checkpoint` and `prune` go on from later ones alone.',
} as const;

/** A stable name for what is wrong. */
export type FindingCode = keyof typeof FINDING_CODES;

/** Where something is. */
export interface FindingPlace {
  /** Absent where the log's own files are meant. */
  readonly chain?: string;
  /** Absent where a whole chain is meant; `line`, from 1, where a whole file is. */
  readonly segment?: number;
  readonly line?: number;
  /** The line's number in its chain, as it has to be. */
  readonly seq?: number;
  /** The id that the line gives its record, changed or not; absent where it gives none. */
  readonly id?: string;
  /** Where the line begins in its file, in bytes. */
  readonly offset?: number;
  /** The file, seen from the log's folder. */
  readonly file?: string;
}

/** A place of the log that is not as it was written. */
export interface Finding extends FindingPlace {
  readonly code: FindingCode;
  /** What was found, then what was expected. */
  readonly message: string;
}
