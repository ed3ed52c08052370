/** A file system -> one under which the engine has a bug that only crash tests can see. */

import type { Files, OpenFile, OpenMode } from '../../../src/audit/store/files.ts';

/** A bug, planted between the engine and its files. */
export interface Bug {
  readonly name: string;
  wrap(files: Files): Files;
}

/** The bugs that the crash tests must catch. */
export const BUGS: readonly Bug[] = [
  {
    name: 'no fdatasync of segments',
    wrap: (files) => withFiles(files, SEGMENT, (file) => ({ ...file, datasync: nothing })),
  },
  { name: 'acknowledged before the fdatasync', wrap: (files) => withFiles(files, SEGMENT, syncLate) },
  { name: 'no fsync of folders', wrap: (files) => ({ ...files, syncFolder: nothing }) },
  { name: 'a key block is durable only after its records', wrap: syncKeysLate },
  { name: 'the torn end is cut off before its copy is durable', wrap: copyTornLate },
  {
    name: 'what a failed sync forgot is not written again',
    wrap: (files) => withFiles(files, SEGMENT, rewriteNothing),
  },
];

const SEGMENT = /\d{8}\.ndjson$/;
const KEYS = /\.keys$/;
const TEMPORARY = /\.new-/;

const nothing = async () => {};

/** Replaces some calls of the files of these names. */
function withFiles(files: Files, named: RegExp, wrap: (file: OpenFile, mode: OpenMode) => OpenFile): Files {
  const open = async (path: string, mode: OpenMode) => {
    const file = await files.open(path, mode);
    return named.test(path) ? wrap(file, mode) : file;
  };
  return { ...files, open };
}

/** Syncs when the next batch begins. */
function syncLate(file: OpenFile): OpenFile {
  let isDue = false;
  const catchUp = async () => {
    if (isDue) await file.datasync();
    isDue = false;
  };
  return {
    write: file.write,
    truncate: file.truncate,
    state: async () => {
      await catchUp();
      return file.state();
    },
    datasync: async () => {
      isDue = true;
    },
    close: async () => {
      await catchUp();
      await file.close();
    },
  };
}

function syncKeysLate(files: Files): Files {
  let due: OpenFile[] = [];
  const withLateKeys = withFiles(files, KEYS, (file) => ({
    ...file,
    datasync: async () => {
      due.push(file);
    },
  }));
  return withFiles(withLateKeys, SEGMENT, (file) => ({
    ...file,
    datasync: async () => {
      await file.datasync();
      const late = due;
      due = [];
      for (const keys of late) await keys.datasync();
    },
  }));
}

/** Owner files are published in the same way, but durable in time. */
function copyTornLate(files: Files): Files {
  let due: OpenFile[] = [];
  const withLateCopies = withFiles(files, TEMPORARY, (file) => {
    let isOwner = false;
    return {
      ...file,
      write: (bytes, at) => {
        isOwner ||= bytes.toString('latin1', 0, 7) === '{"pid":';
        return file.write(bytes, at);
      },
      datasync: async () => {
        if (isOwner) await file.datasync();
        else due.push(file);
      },
    };
  });
  return withFiles(withLateCopies, SEGMENT, (file) => ({
    ...file,
    datasync: async () => {
      await file.datasync();
      const late = due;
      due = [];
      for (const copy of late) await copy.datasync();
    },
  }));
}

function rewriteNothing(file: OpenFile, mode: OpenMode): OpenFile {
  return mode === 'change' ? { ...file, write: async (bytes) => bytes.length } : file;
}
