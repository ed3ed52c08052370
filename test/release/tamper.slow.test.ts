/** One byte of a release that is changed, wherever: it is refused, for the right reason. */

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogPlace } from '../../src/audit/place.ts';
import { verifyLog } from '../../src/audit/verify/verify.ts';
import { canonicalJson } from '../../src/platform/digest.ts';
import { sayOf } from '../../src/release/acts.ts';
import { formatBundle, readBundle } from '../../src/release/bundle.ts';
import { readManifest } from '../../src/release/manifest.ts';
import type { Release } from '../../src/release/store.ts';
import { verifyLogReleases, verifyReleases } from '../../src/release/verify.ts';
import {
  BEN,
  DAN,
  newLogPlace,
  openReleasesIn,
  type TestReleases,
  TINY,
  withDebt,
} from '../support/release/releases.ts';
import { sampled } from '../support/sampled.ts';

/** A release that replaces another, with all parts: tightened by its author, and confirmed. */
async function small(): Promise<TestReleases> {
  const releases = await openReleasesIn(await newLogPlace(), { tighten: { atMost: 0.1, confirmWithinMs: 1000 } });
  const { means, trust } = releases;
  await releases.released();
  const number = await releases.proposed(withDebt(70));
  await sayOf(means, number, trust, { by: DAN.by, key: DAN.key, verdict: 'tighten' });
  await releases.activate(number);
  await sayOf(means, number, trust, { by: BEN.by, key: BEN.key, verdict: 'confirm' });
  return releases;
}

const problemOf = async (text: string, { trust }: TestReleases): Promise<string> => {
  try {
    const [found] = await verifyReleases([readBundle(text)], trust);
    return found?.problem ?? 'sound';
  } catch (error) {
    return (error as Error).message;
  }
};

/** Each so manieth byte in `npm test`, each one in `npm run test:soak`. */
const EVERY = sampled(61, 1);

/** The bytes with another one at a place. */
function changed(bytes: Buffer, at: number): Buffer {
  const other = Buffer.from(bytes);
  other[at] = (bytes[at] ?? 0) ^ 1;
  return other;
}

test('a byte of a bundle that is changed is refused, with the part that it is of', async () => {
  const releases = await small();
  const release = (await releases.store.read(2)) as Release;
  expect(await problemOf(formatBundle(release), releases)).toBe('sound');
  const { content, manifest, proof, impact, notes, activation } = release;
  const text = (path: string) => content?.files[path] ?? '';
  const bundle = JSON.parse(formatBundle(release));
  const file = (path: string) => ({
    of: text(path),
    to: (value: string) => ({ ...bundle, files: { ...bundle.files, [path]: value } }),
    because: new RegExp(`^the file ${path} is not the one of the manifest: it was changed$`),
  });
  const note =
    /^(?:the note \w+ of release 2: (?:signed with key|the signature does not match)|the text of a note|a note )/;
  const parts: Readonly<Record<string, { of: string; to(value: string): object; because: RegExp }>> = {
    ...Object.fromEntries(Object.keys(TINY).map((path) => [path, file(path)])),
    manifest: {
      of: manifest,
      to: (value) => ({ ...bundle, manifest: value }),
      because:
        /^the (?:manifest (?:is|has|names) |note \w+ of release \d+ is about another manifest|file .* (?:manifest|one of the manifest)|release is of another series)/,
    },
    proof: {
      of: proof ?? '',
      to: (value) => ({ ...bundle, proof: value }),
      because: /^the note \w+ of release 2 is about other evidence$/,
    },
    impact: {
      of: impact ?? '',
      to: (value) => ({ ...bundle, impact: value }),
      because: /^the note \w+ of release 2 is about other evidence$/,
    },
    salt: {
      of: content?.salt ?? '',
      to: (value) => ({ ...bundle, salt: value }),
      because: /^(?:this is not the bundle of a release|the file .* is not the one of the manifest: it was changed)$/,
    },
    ...Object.fromEntries(
      notes.map(({ verdict, text: of }, i) => [
        verdict,
        { of, to: (value: string) => ({ ...bundle, notes: bundle.notes.with(i, value) }), because: note },
      ]),
    ),
    activation: {
      of: activation?.text ?? '',
      to: (value) => ({ ...bundle, activation: value }),
      because: note,
    },
  };
  expect(Object.keys(parts)).toHaveLength(12);
  for (const [name, { of, to, because }] of Object.entries(parts)) {
    expect(of.length).toBeGreaterThan(30);
    for (let at = 0; at < Buffer.byteLength(of); at += EVERY) {
      const other = `${canonicalJson(to(changed(Buffer.from(of), at).toString('utf8')))}\n`;
      expect(await problemOf(other, releases), `${name}, byte ${at}`).toMatch(because);
    }
  }
});

test('a manifest is read in its canonical form alone', async () => {
  const { manifest } = (await (await small()).store.read(2)) as Release;
  expect(readManifest(manifest).text).toBe(manifest);
  expect(() => readManifest(`${manifest}\n`)).toThrow('the manifest is not in its canonical form');
});

test('a byte of the file of a bundle that is changed is refused', async () => {
  const releases = await small();
  const bytes = Buffer.from(formatBundle((await releases.store.read(2)) as Release));
  for (let at = 0; at < bytes.length; at += EVERY) {
    expect(await problemOf(changed(bytes, at).toString('utf8'), releases), `byte ${at}`).not.toBe('sound');
  }
});

test('a byte of a part where releases are kept is refused, with the release that it is of', async () => {
  const releases = await small();
  const { place, means, trust } = releases;
  const folder = join(place.dir ?? '', 'releases');
  const verify = async () => {
    const found = await verifyLogReleases(means, trust);
    return found.flatMap(({ number, problem }) => (problem === undefined ? [] : [`${number}: ${problem}`]));
  };
  expect(await verify()).toEqual([]);
  const parts: readonly (readonly [end: RegExp, because: RegExp])[] = [
    [/2\.rules$/, /^2: the files of release 2 do not open with their key: they were changed$/],
    [/2\.manifest\.json$/, /^2: the (?:manifest|note|file|release)/],
    [/2\.(?:proof|impact)\.json$/, /^2: the note \w+ of release 2 is about other evidence$/],
    [/2\.note-\w+\.txt$/, /^2: (?:the note \w+ of release 2|the text of a note|a note)/],
    [
      /1\.next\.txt$/,
      /^\d: (?:the note activate of release 2|the text of a note|a note|the release after|release \d was put in force)/,
    ],
    [/series\.json$/, /^\d: (?:series\.json of the releases|these are the releases of another series)/],
  ];
  for (const [end, because] of parts) {
    const names = readdirSync(folder).filter((name) => end.test(name));
    expect(names.length, `${end}`).toBeGreaterThan(0);
    for (const name of names) {
      const bytes = readFileSync(join(folder, name));
      for (let at = 0; at < bytes.length; at += EVERY) {
        writeFileSync(join(folder, name), changed(bytes, at));
        expect((await verify()).at(-1), `${name}, byte ${at}`).toMatch(because);
      }
      writeFileSync(join(folder, name), bytes);
    }
  }
  expect(await verify()).toEqual([]);
});

test('files that are removed are missed, unless their key is gone too', async () => {
  const { place, means, trust, released } = await openReleasesIn(await newLogPlace());
  await released();
  rmSync(join(place.dir ?? '', 'releases/000001.rules'));
  const said = async () => (await verifyLogReleases(means, trust))[0];
  expect((await said())?.problem).toBe('the files of release 1 do not open with their key: they were changed');
  rmSync(join(String(place.keys), 'release-000001.key'));
  expect((await said())?.words).toMatch(/^sound, put in force .*; its files are gone$/);
});

test('the activation of a release stands for no other base than its own', async () => {
  const { place, means, trust, released } = await openReleasesIn(await newLogPlace());
  for (const least of [80, 70, 60]) await released(withDebt(least));
  const folder = join(place.dir ?? '', 'releases');
  renameSync(join(folder, '000002.next.txt'), join(folder, '000001.next.txt'));
  const found = await verifyLogReleases(means, trust);
  expect(found.map(({ problem }) => problem)).toEqual(
    Array(3).fill('release 3 was put in force on another base than the one before it'),
  );
});

test('the verification of a log says of releases that it does not look at them, where there are some', async () => {
  const unseen = async (place: LogPlace) => (await verifyLog(place)).unseen.filter((each) => each.includes('releases'));
  const { place } = await small();
  expect(await unseen(place)).toEqual([expect.stringContaining('`verdict release verify` checks them')]);
  expect(await unseen(await newLogPlace())).toEqual([]);
});
