/** What a release is -> its manifest: one canonical text, whose digest names the release; and back. */

import { z } from 'zod';
import { canonicalJson, digestOfCanonical } from '../platform/digest.ts';
import { parseJson } from '../platform/json.ts';
import { LANGUAGE_VERSION } from '../policy/language.ts';
import { ENGINE_VERSION } from '../version.ts';
import { digestOfText, refused, type Texts } from './files.ts';

const DIGEST = z.string().regex(/^sha256:[0-9a-f]{64}$/);
/** The number of a release. */
const NUMBER = z.int().min(1).max(999_999);
/** Who somebody is to the issuer, or in `trust.yaml`: one line, without the blanks that end it in a note. */
export const SUBJECT = z.string().regex(/^[^\s\p{C}](?:[^\p{C}]{0,198}[^\s\p{C}])?$/u);
const TITLE = z.string().regex(/^[^\s\p{C}](?:[^\p{C}]{0,198}[^\s\p{C}])?$/u);

const REFERENCE = z.strictObject({ number: NUMBER, digest: DIGEST });

const MANIFEST = z.strictObject({
  format: z.literal(1),
  series: z.uuid(),
  number: NUMBER,
  /** The release that it replaces; null for the first. */
  base: REFERENCE.nullable(),
  /** The release whose content it has again. */
  restores: NUMBER.optional(),
  title: TITLE,
  /** The subjects of all who saved a file of it. */
  authors: z.array(SUBJECT).min(1).max(40),
  createdAt: z.iso.datetime({ precision: 3 }),
  engine: z.string().max(40),
  language: z.int(),
  mapping: z.string(),
  /** By the name in the API. */
  policies: z.record(z.string(), z.strictObject({ file: z.string(), version: z.string() })),
  /** The salted digest of each file. */
  files: z.record(z.string(), DIGEST),
});

export type Manifest = Readonly<z.infer<typeof MANIFEST>>;

/** A release by its number and the digest of its manifest. */
export type Reference = Readonly<z.infer<typeof REFERENCE>>;

/** What a release has, and the salt of the digests of its files. */
export interface Content {
  readonly salt: string;
  readonly files: Texts;
}

/** A manifest and the text that its digest is of. */
export interface ReadManifest {
  readonly manifest: Manifest;
  readonly text: string;
  readonly digest: string;
}

/** Makes the manifest of a content. Throws RELEASE_REFUSED for a title or a subject that is not one line of text. */
export function makeManifest(
  { salt, files }: Content,
  given: Omit<Manifest, 'format' | 'engine' | 'language' | 'files'>,
): ReadManifest {
  const digests = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, digestOfText(path, text, salt)]),
  );
  const engine = { engine: ENGINE_VERSION, language: LANGUAGE_VERSION };
  return readManifest(canonicalJson({ format: 1, ...given, ...engine, files: digests }));
}

/** Throws RELEASE_REFUSED unless the text is the canonical one of a manifest. */
export function readManifest(text: string): ReadManifest {
  const { value } = { value: undefined, ...parseJson(text) };
  const { data: manifest, error } = MANIFEST.safeParse(value);
  if (!manifest) throw refused(`the manifest is malformed at ${error?.issues[0]?.path.join('.') || 'its beginning'}`);
  if (canonicalJson(manifest) !== text) throw refused('the manifest is not in its canonical form');
  const files = [manifest.mapping, ...Object.values(manifest.policies).map(({ file }) => file)];
  if (!files.every((path) => Object.hasOwn(manifest.files, path)))
    throw refused('the manifest names a mapping or a policy that is not one of its files');
  return { manifest, text, digest: digestOfCanonical(text) };
}

/** Throws RELEASE_REFUSED unless the files are those of the manifest, to the byte. */
export function checkContent({ manifest }: ReadManifest, { salt, files }: Content): void {
  const [named, given] = [Object.keys(manifest.files), new Set(Object.keys(files))];
  const missing = named.find((path) => !given.has(path));
  if (missing !== undefined) throw refused(`the file ${missing} of the manifest is missing`);
  const more = [...given].find((path) => !Object.hasOwn(manifest.files, path));
  if (more !== undefined) throw refused(`the file ${more} is not one of the manifest`);
  const changed = named.find((path) => digestOfText(path, files[path] ?? '', salt) !== manifest.files[path]);
  if (changed !== undefined) throw refused(`the file ${changed} is not the one of the manifest: it was changed`);
}
