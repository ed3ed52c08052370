/** The home of a log -> the releases that are kept there: small files, each made once and never changed. */

import {
  createHash,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { z } from 'zod';
import { openText, sealText } from '../audit/keys/encrypt.ts';
import type { LogHome } from '../audit/place.ts';
import { below, ensureFolder, publishNew, readWhole, unlessCode } from '../audit/store/files.ts';
import { TamperedError, unusable, wrapIoErrors, wrapKeyErrors } from '../audit/store/io-errors.ts';
import { canonicalJson } from '../platform/digest.ts';
import { parseJson } from '../platform/json.ts';
import { checkTexts, refused } from './files.ts';
import { type Content, readManifest } from './manifest.ts';
import { type ReleaseNote, readNote } from './note.ts';

const SERIES = z.strictObject({ format: z.literal(1), series: z.uuid() });

/** The parts of a release, by the ends of the names of their files. */
const PARTS = { manifest: 'manifest.json', proof: 'proof.json', impact: 'impact.json', next: 'next.txt', told: 'told' };

type Part = keyof typeof PARTS;

/** A release as it is kept. Nothing of it is judged. */
export interface Release {
  readonly number: number;
  readonly manifest: string;
  /** Undefined once its key is gone. */
  readonly content: Content | undefined;
  readonly proof: string | undefined;
  readonly impact: string | undefined;
  /** In the order of their times. */
  readonly notes: readonly ReleaseNote[];
  /** The note that put it in force. */
  readonly activation: ReleaseNote | undefined;
}

const CONTENT = z.strictObject({ salt: z.string().regex(/^[0-9a-f]{64}$/), files: z.record(z.string(), z.string()) });

const MOST_BYTES = 64 * 1024 * 1024;

export type ReleaseStore = ReturnType<typeof openReleases>;

/** Calls reject with AUDIT_FAILED if the home fails. */
export function openReleases({ log, keys }: Pick<LogHome, 'log' | 'keys'>) {
  const folder = below(log, 'releases');
  const nameOf = (number: number, end: string) => `${String(number).padStart(6, '0')}.${end}`;
  const readText = async (name: string) =>
    (await wrapIoErrors('read', () => readWhole(folder, name, { most: MOST_BYTES })))?.toString('utf8');
  const list = () =>
    wrapIoErrors('read', async () => (await unlessCode(folder.files.list(folder.path), 'ENOENT')) ?? []);
  /** False if another has made it first. */
  const put = (name: string, bytes: string | Buffer) =>
    wrapIoErrors('written', async () => {
      await ensureFolder(folder);
      const written = publishNew(folder, name, Buffer.from(bytes)).then(() => true);
      return (await unlessCode(written, 'EEXIST')) ?? false;
    });
  const keyName = (number: number) => `release-${nameOf(number, 'key')}`;
  const readKey = async (name: string) =>
    (await wrapKeyErrors('read', () => readWhole(keys, name)))?.toString('latin1');
  /** A file of keys that this makes, unless another was first. */
  const makeKey = async (name: string, text: string) => {
    await wrapKeyErrors('given another key', () => unlessCode(publishNew(keys, name, Buffer.from(text)), 'EEXIST'));
    return (await readKey(name)) as string;
  };
  const bodyKey = (hex: string) => createSecretKey(hex.trim(), 'hex');

  const readContent = async (number: number): Promise<Content | undefined> => {
    const name = nameOf(number, 'rules');
    const bytes = await wrapIoErrors('read', () => readWhole(folder, name, { most: MOST_BYTES }));
    const key = await readKey(keyName(number));
    if (key === undefined) return undefined;
    const text = bytes && openText(bytes, bodyKey(key), Buffer.from(name));
    const { data } = CONTENT.safeParse(text === undefined ? undefined : (parseJson(text) as { value?: unknown }).value);
    if (!data) throw new TamperedError(`the files of release ${number} do not open with their key: they were changed`);
    return { salt: data.salt, files: checkTexts(data.files) };
  };

  const next = async (number: number): Promise<ReleaseNote | undefined> => {
    const text = await readText(nameOf(number, PARTS.next));
    const note = text === undefined ? undefined : readNote(text);
    if (note && note.release.number <= number) throw refused(`the release after ${number} has no higher number`);
    return note;
  };

  const activations = async (): Promise<readonly ReleaseNote[]> => {
    const chain: ReleaseNote[] = [];
    for (let at = 0, note = await next(0); note; note = await next(at)) {
      const before = chain.at(-1)?.release;
      if (note.base?.number !== before?.number || note.base?.digest !== before?.digest)
        throw refused(`release ${note.release.number} was put in force on another base than the one before it`);
      chain.push(note);
      at = note.release.number;
    }
    const there = new Set(await list());
    const missing = chain.find(({ release }) => !there.has(nameOf(release.number, PARTS.manifest)));
    if (missing) throw refused(`release ${missing.release.number} was put in force and is not there`);
    return chain;
  };

  const numbersWith = (part: Part, names: readonly string[]) => {
    const end = `.${PARTS[part]}`;
    const found = names.filter((name) => name.endsWith(end));
    return found.map((name) => Number(name.slice(0, -end.length))).sort((one, other) => one - other);
  };

  const read = async (number: number, names: readonly string[], withContent: boolean): Promise<Release | undefined> => {
    const manifest = await readText(nameOf(number, PARTS.manifest));
    if (manifest === undefined) return undefined;
    const found = names.filter((name) => name.startsWith(nameOf(number, 'note-')));
    const notes = await Promise.all(found.map(async (name) => readNote((await readText(name)) ?? '')));
    const { base } = readManifest(manifest).manifest;
    const activation = await next(base?.number ?? 0);
    return {
      ...{ number, manifest, content: withContent ? await readContent(number) : undefined },
      activation: activation?.release.number === number ? activation : undefined,
      proof: await readText(nameOf(number, PARTS.proof)),
      impact: await readText(nameOf(number, PARTS.impact)),
      notes: notes.sort((one, other) => (one.at < other.at ? -1 : 1)),
    };
  };

  return {
    /** The names of all files: they change whenever anything does. */
    list,
    /** Undefined where none was begun. */
    series: async (): Promise<string | undefined> => {
      const text = await readText('series.json');
      if (text === undefined) return undefined;
      const { data } = SERIES.safeParse((parseJson(text) as { value?: unknown }).value);
      if (!data) throw refused('series.json of the releases is malformed');
      return data.series;
    },
    /** Begins a series, unless there is one; the key signs for people who signed in, and for who activates. */
    begin: async (series: string): Promise<void> => {
      const { privateKey } = generateKeyPairSync('ed25519');
      await makeKey(SIGNING_KEY, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
      await put('series.json', canonicalJson({ format: 1, series }));
    },
    signingKey: async (): Promise<KeyObject> => {
      const pem = await readKey(SIGNING_KEY);
      if (pem === undefined)
        throw unusable(`found no ${SIGNING_KEY} in the key folder: \`verdict release init\` makes it`);
      return createPrivateKey(pem);
    },
    numbers: async (): Promise<readonly number[]> => numbersWith('manifest', await list()),
    /** Higher than every number that was begun. */
    nextNumber: async () => Math.max(0, ...(await list()).map((name) => Number.parseInt(name, 10) || 0)) + 1,
    /** The activation of what replaced a release; 0: of the first. Undefined while nothing did. */
    next,
    /** The activations, from the first: the release of the last one is in force. */
    activations,
    /** The number of the release in force; 0 for none. */
    inForce: async () => (await activations()).at(-1)?.release.number ?? 0,
    /** Keeps the files of a release and then its manifest; false if the number is taken. */
    add: async (number: number, content: Content, manifest: string): Promise<boolean> => {
      const name = nameOf(number, 'rules');
      const key = await makeKey(keyName(number), `${randomBytes(32).toString('hex')}\n`);
      const isOwn = await put(name, sealText(canonicalJson(content), bodyKey(key), Buffer.from(name)));
      return isOwn && put(nameOf(number, PARTS.manifest), manifest);
    },
    /** False if there is one. */
    put: (number: number, part: Exclude<Part, 'manifest'>, text: string) => put(nameOf(number, PARTS[part]), text),
    putNote: (number: number, note: string) => {
      const hash = createHash('sha256').update(note).digest('hex').slice(0, 16);
      return put(nameOf(number, `note-${hash}.txt`), note);
    },
    /** Undefined for a number without a release. `withContent`: whether its files are read. */
    read: async (number: number, withContent = true) => read(number, await list(), withContent),
    /** All releases without their files, the oldest first. */
    readAll: async (): Promise<readonly Release[]> => {
      const names = await list();
      const found: Release[] = [];
      for (const number of numbersWith('manifest', names)) {
        const release = await read(number, names, false);
        if (release) found.push(release);
      }
      return found;
    },
    /** The releases whose activation is in the log. */
    told: async (): Promise<readonly number[]> => numbersWith('told', await list()),
  };
}

const SIGNING_KEY = 'release-signing.pem';
