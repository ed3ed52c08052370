/** One more entry of a list, taken from a decision -> a release that is proposed. */

import type { DecisionRecord } from '../../../../audit/query/decision-record.ts';
import { isMissing, shownValue } from '../../../../facts/fact.ts';
import { placeOfEntry } from '../../../../policy/source-map.ts';
import { listsOf } from '../../../../policy/usage.ts';
import { readManifest } from '../../../../release/manifest.ts';
import { type Caller, hasRole, type Role } from '../../../auth/roles.ts';
import type { Person } from '../../../auth/sessions.ts';
import { findVisible, openBody } from '../../../handlers/records.ts';
import { ProblemError } from '../../../problem.ts';
import type { Service } from '../../../service.ts';
import type { ListEntry } from '../../parts/entry.ts';
import { RELEASES } from '../../words/releases.ts';
import { proposeFiles } from './change-data.ts';
import { lineEndOf } from './file-text.ts';
import { releasedOf, storeOf } from './release-data.ts';

/** What of a decision can be added to which list of a policy in force: what its rules look up there. */
export function entriesOf({ body }: DecisionRecord, person: Caller, service: Service): readonly ListEntry[] {
  if (!service.released || !hasRole(person, OF_ENTRIES) || 'closed' in body) return [];
  const found = new Map<string, ListEntry>();
  for (const { watched } of service.policies.values()) {
    const { rules, lists } = watched.policy;
    for (const [name, paths] of rules.flatMap((rule) => [...listsOf(rule)])) {
      const list = lists.get(name);
      const file = list && placeOfEntry(list, 0)?.file;
      if (file === undefined || !/\.(?:txt|csv)$/.test(file)) continue;
      for (const fact of paths) {
        const known = body.facts.get(fact);
        if (known && !isMissing(known)) found.set(`${fact} ${name}`, { fact, list: name, file });
      }
    }
  }
  return [...found.values()];
}

export const OF_ENTRIES = ['review', 'edit'] as const satisfies readonly Role[];

/** Proposes one more entry of a list; resolves with the number of the release. */
export async function addEntry(
  id: string,
  { entry, until, why }: { readonly entry: string; readonly until?: string | undefined; readonly why: string },
  person: Person,
  service: Service,
): Promise<number> {
  const { means } = releasedOf(service);
  const { record } = await findVisible(id, person, service);
  const chosen = entriesOf(record, person, service).find(({ fact, list }) => `${fact} ${list}` === entry);
  if (!chosen) throw new ProblemError('REQUEST_INVALID', 'the decision has no such value, or no list takes it');
  const { fact, list, file } = chosen;
  const known = openBody(record).facts.get(fact);
  const value = known && !isMissing(known) ? String(shownValue(known)) : '';
  const store = storeOf(means);
  const inForce = await store.read(await store.inForce());
  const before = inForce?.content?.files[file];
  if (!inForce || before === undefined) throw new ProblemError('NOT_FOUND');
  const line = entryLine(value, until, file, before);
  const end = lineEndOf(before) ?? '\n';
  const text = `${before}${before === '' || before.endsWith('\n') ? '' : end}${line}${end}`;
  const { mapping } = readManifest(inForce.manifest).manifest;
  const title = RELEASES.entryTitle(fact, list);
  const files = { ...inForce.content?.files, [file]: text };
  const { number: replaces } = inForce;
  return proposeFiles({ files, mapping, title, why, authors: [person.subject], replaces }, service);
}

function entryLine(value: string, until: string | undefined, file: string, text: string): string {
  if (/[\r\n"#]/.test(value))
    throw new ProblemError('REQUEST_INVALID', 'this value cannot be written into a list: edit the file');
  if (!file.endsWith('.csv')) return until === undefined ? value : `${value} until ${until}`;
  const [header = ''] = text.replace(/^\ufeff/, '').split(/\r?\n/, 1);
  const cells = header.split(',').map((name) => ({ value, until: until ?? '' })[name.trim()] ?? '');
  return cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(',');
}
