/** Edits of a release that are not proposed yet: each save is a sealed file, made once under the next version. */

import { createSecretKey, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { openText, sealText } from '../../audit/keys/encrypt.ts';
import type { LogHome } from '../../audit/place.ts';
import { below, ensureFolder, publishNew, readWhole, unlessCode } from '../../audit/store/files.ts';
import { TamperedError, wrapIoErrors, wrapKeyErrors } from '../../audit/store/io-errors.ts';
import { canonicalJson } from '../../platform/digest.ts';
import { parseJson } from '../../platform/json.ts';
import { checkTexts } from '../files.ts';

const SAVE = z.strictObject({
  /** The number of the release whose files are edited. */
  base: z.int().positive(),
  /** What it is for, in one line; empty until somebody says it. */
  title: z.string().max(200),
  /** The subjects of all who saved it, and of those who wrote what it began from. */
  authors: z.array(z.string()).min(1),
  /** The files that differ from those of the release, whole. */
  edited: z.record(z.string(), z.string()),
  /** The subject of who saved it last, and when, RFC 3339. */
  by: z.string(),
  at: z.iso.datetime(),
});

/** What is kept at each save. */
export type Save = z.infer<typeof SAVE>;

/** A draft as it was saved last. */
export interface Draft extends Save {
  /** Eight hexadecimal digits. */
  readonly id: string;
  /** Of the saves, from 1. */
  readonly version: number;
}

const NAME = /^draft-([0-9a-f]{8})\.(\d{6})$/;
const KEY = 'release-drafts.key';
const MOST_BYTES = 64 * 1024 * 1024;
/** The number of versions that stay: a save that is late by fewer finds its version taken. */
const KEPT = 8;

/** Calls reject with AUDIT_FAILED if the home fails. */
export function openDrafts({ log, keys }: Pick<LogHome, 'log' | 'keys'>) {
  const folder = below(log, 'releases');
  const nameOf = (id: string, version: number) => `draft-${id}.${String(version).padStart(6, '0')}`;
  const drop = (id: string, version: number) =>
    wrapIoErrors('removed', () => unlessCode(folder.files.unlink(`${folder.path}/${nameOf(id, version)}`), 'ENOENT'));
  const key = async () => {
    const read = async () => (await wrapKeyErrors('read', () => readWhole(keys, KEY)))?.toString('latin1');
    let hex = await read();
    if (hex === undefined) {
      const made = Buffer.from(`${randomBytes(32).toString('hex')}\n`);
      await wrapKeyErrors('given another key', () => unlessCode(publishNew(keys, KEY, made), 'EEXIST'));
      hex = await read();
    }
    return createSecretKey((hex ?? '').trim(), 'hex');
  };

  /** The version of each draft that was saved last. */
  const versions = async (): Promise<ReadonlyMap<string, number>> => {
    const names = await wrapIoErrors('read', async () => {
      return (await unlessCode(folder.files.list(folder.path), 'ENOENT')) ?? [];
    });
    const found = new Map<string, number>();
    for (const [, id = '', version] of names.flatMap((name) => (NAME.exec(name) ? [NAME.exec(name) ?? []] : [])))
      found.set(id, Math.max(found.get(id) ?? 0, Number(version)));
    return found;
  };

  const open = async (id: string, version: number): Promise<Draft | undefined> => {
    const name = nameOf(id, version);
    const bytes = await wrapIoErrors('read', () => readWhole(folder, name, { most: MOST_BYTES }));
    if (!bytes) return undefined;
    const text = openText(bytes, await key(), Buffer.from(name));
    const { data } = SAVE.safeParse(text === undefined ? undefined : (parseJson(text) as { value?: unknown }).value);
    if (!data) throw new TamperedError(`the draft ${id} does not open with its key: it was changed`);
    return { id, version, ...data };
  };

  /** Undefined where there is none, or no longer. */
  const read = async (id: string): Promise<Draft | undefined> => {
    for (let version = (await versions()).get(id); version !== undefined; version = (await versions()).get(id)) {
      const draft = await open(id, version);
      if (draft) return draft;
    }
    return undefined;
  };

  return {
    read,
    /** All of them, the one that was saved last first. */
    readAll: async (): Promise<readonly Draft[]> => {
      const found = await Promise.all([...(await versions()).keys()].map(read));
      return found.filter((draft) => draft !== undefined).sort((one, other) => (one.at < other.at ? 1 : -1));
    },
    /** Keeps a new draft; resolves with its id. */
    begin: async (save: Save): Promise<string> => {
      const id = randomBytes(4).toString('hex');
      const name = nameOf(id, 1);
      const sealed = sealText(canonicalJson(save), await key(), Buffer.from(name));
      await wrapIoErrors('written', () => ensureFolder(folder).then(() => publishNew(folder, name, sealed)));
      return id;
    },
    /**
     * Saves what replaces a version; resolves with the version that it is, or undefined if that one is not the last any
     * more. Throws RELEASE_REFUSED for files that cannot be in a release.
     */
    save: async (id: string, after: number, save: Save): Promise<number | undefined> => {
      checkTexts(save.edited);
      if ((await versions()).get(id) !== after) return undefined;
      const [version, name] = [after + 1, nameOf(id, after + 1)];
      const sealed = sealText(canonicalJson(save), await key(), Buffer.from(name));
      const written = wrapIoErrors('written', () =>
        unlessCode(
          publishNew(folder, name, sealed).then(() => true),
          'EEXIST',
        ),
      );
      if (!(await written)) return undefined;
      // Others may have saved so often since the look above that the version with this number is gone again.
      if (((await versions()).get(id) ?? 0) - version >= KEPT) {
        await drop(id, version);
        return undefined;
      }
      await drop(id, version - KEPT);
      return version;
    },
    /** Forgets a draft, unless somebody has saved another version of it. */
    end: async (id: string, version: number): Promise<void> => {
      if ((await versions()).get(id) !== version) return;
      // The last one goes last: the draft is there until all of it is gone.
      for (let each = Math.max(1, version - KEPT); each <= version; each++) await drop(id, each);
    },
  };
}
