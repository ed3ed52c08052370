/** A release with all its parts <-> one JSON text, to be kept and verified elsewhere. It has lists, and so people. */

import { z } from 'zod';
import { canonicalJson } from '../platform/digest.ts';
import { readCanonical } from './evidence/canonical-text.ts';
import { checkTexts, refused } from './files.ts';
import { readManifest } from './manifest.ts';
import { readNote } from './note.ts';
import type { Release } from './store.ts';

const BUNDLE = z.strictObject({
  format: z.literal('verdict-release/1'),
  manifest: z.string(),
  salt: z.string().regex(/^[0-9a-f]{64}$/),
  files: z.record(z.string(), z.string()),
  proof: z.string().nullable(),
  impact: z.string().nullable(),
  notes: z.array(z.string()),
  activation: z.string().nullable(),
});

/** Throws RELEASE_REFUSED if the files are gone. */
export function formatBundle({ manifest, content, proof, impact, notes, activation }: Release): string {
  if (!content) throw refused('the files of the release are gone: their key was removed');
  const bundle: z.infer<typeof BUNDLE> = {
    ...{ format: 'verdict-release/1', manifest, salt: content.salt, files: { ...content.files } },
    ...{ proof: proof ?? null, impact: impact ?? null, notes: notes.map(({ text }) => text) },
    activation: activation?.text ?? null,
  };
  return `${canonicalJson(bundle)}\n`;
}

/** Reads a bundle, and does not judge what it has. Throws RELEASE_REFUSED for another text. */
export function readBundle(text: string): Release {
  const data = text.endsWith('\n') ? readCanonical(BUNDLE, text.slice(0, -1)) : undefined;
  if (!data) throw refused('this is not the bundle of a release');
  const { manifest, salt, files, proof, impact, notes, activation } = data;
  return {
    ...{ number: readManifest(manifest).manifest.number, manifest, content: { salt, files: checkTexts(files) } },
    ...{ proof: proof ?? undefined, impact: impact ?? undefined, notes: notes.map(readNote) },
    activation: activation === null ? undefined : readNote(activation),
  };
}
