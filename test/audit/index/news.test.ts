/** News of a log: all entries, or of decisions only those with an outcome; the position is the same. */

import { expect, test } from 'vitest';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { localVerifier, logFolder } from '../../support/audit/decisions.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}facts: { context.old: { type: boolean } }
rules: [{ id: old, when: { context.old: true }, then: review }]
`;

test('decisions with another outcome are left out, and nothing else is', async () => {
  const folder = await logFolder();
  const log = await folder.open({});
  const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit: log });
  const decide = (old: boolean) => decider.decide({}, { context: { old } });
  const [accepted, reviewed] = [await decide(false), await decide(true)];
  await addNote({ log, decision: accepted.id, disposition: 'fraud', by: 'R', why: 'w' });
  await log.close();
  await using index = await openLogIndex({ dir: folder.dir });
  const all = await index.readNews({}, 100);
  const some = await index.readNews({}, 100, 'review');
  const kinds = ({ entries }: typeof all) =>
    entries.map(({ entry }) => (entry.kind === 'decision' ? entry.id : entry.kind));
  expect(kinds(all)).toEqual([accepted.id, reviewed.id, 'note']);
  expect(kinds(some)).toEqual([reviewed.id, 'note']);
  expect(some.next).toEqual(all.next);
  // The limit counts what is given.
  expect(kinds(await index.readNews({}, 1, 'review'))).toEqual([reviewed.id]);
});

test('what comes after the end of a log is what is written from then on', async () => {
  const folder = await logFolder();
  const log = await folder.open({});
  const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit: log });
  await decider.decide({}, { context: { old: true } });
  await using index = await openLogIndex({ dir: folder.dir });
  const end = await index.newsEnd();
  expect(await index.readNews(end, 100)).toEqual({ entries: [], next: end });
  const { id } = await decider.decide({}, { context: { old: true } });
  await log.close();
  const { entries } = await index.readNews(end, 100);
  expect(entries).toMatchObject([{ entry: { id } }]);
  expect((await index.readNews(await index.newsEnd(), 100)).entries).toEqual([]);
});
