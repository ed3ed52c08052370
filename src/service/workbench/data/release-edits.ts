/** An edited file of a release, or one more entry of a list -> a release that is proposed. */

import type { DecisionRecord } from '../../../audit/query/decision-record.ts';
import { isMissing, shownValue } from '../../../facts/fact.ts';
import { placeOfEntry } from '../../../policy/source-map.ts';
import { listsOf } from '../../../policy/usage.ts';
import { propose } from '../../../release/acts.ts';
import { checkElsewhere } from '../../../release/evidence/make.ts';
import type { Texts } from '../../../release/files.ts';
import { stateOf } from '../../../release/listing.ts';
import { isShownAsIs } from '../../../report/html/markup.ts';
import { type Caller, hasRole, type Role } from '../../auth/roles.ts';
import type { Person } from '../../auth/sessions.ts';
import { findVisible, openBody } from '../../handlers/records.ts';
import { ProblemError } from '../../problem.ts';
import type { Service } from '../../service.ts';
import type { EditData } from '../pages/release-pages.ts';
import type { ListEntry } from '../parts/entry.ts';
import { RELEASES } from '../words/releases.ts';
import { judgedOf, orProblem, releasedOf, storeOf } from './release-data.ts';

/** A file of a release, to be edited. */
async function fileOf(id: string, file: string, service: Service) {
  const { release, read } = await judgedOf(id, service);
  const files = release.content?.files ?? {};
  const text = Object.hasOwn(files, file) ? files[file] : undefined;
  if (text === undefined) throw new ProblemError('NOT_FOUND');
  return { files, text, manifest: read.manifest, release };
}

export async function editData(id: string, file: string, service: Service): Promise<EditData> {
  const { text, release } = await fileOf(id, file, service);
  return { ...shownOf(text), number: release.number, file, title: '', findings: undefined };
}

/** The line end of a text; undefined if it has two kinds. */
function lineEndOf(text: string): string | undefined {
  const [all, crlf] = [text.split('\n').length - 1, text.split('\r\n').length - 1];
  if (crlf === 0) return text.includes('\r') ? undefined : '\n';
  return crlf === all ? '\r\n' : undefined;
}

/** A text as a text field shows it: a browser has its own line ends, and no byte order mark. */
function shownOf(text: string): Pick<EditData, 'text' | 'isEditable'> {
  const shown = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  return { text: shown, isEditable: lineEndOf(text) !== undefined && isShownAsIs(shown) };
}

/** What a browser sends of a text field -> the same text with the line ends and the byte order mark of the file. */
function asInFile(sent: string, before: string): string {
  const mark = before.startsWith('\ufeff') ? '\ufeff' : '';
  return mark + sent.replaceAll('\r\n', '\n').replaceAll('\n', lineEndOf(before) ?? '\n');
}

export interface Edit {
  readonly file: string;
  readonly text: string;
  readonly title?: string | undefined;
  readonly do: 'check' | 'propose';
}

/** Checks an edited file among the others, or proposes them; resolves with the page, or the number of the release. */
export async function editFile(id: string, edit: Edit, person: Person, service: Service): Promise<EditData | number> {
  const before = await fileOf(id, edit.file, service);
  if (!shownOf(before.text).isEditable) throw new ProblemError('REQUEST_INVALID', RELEASES.notHere);
  const text = asInFile(edit.text, before.text);
  const files: Texts = { ...before.files, [edit.file]: text };
  const { manifest, release } = before;
  const shown = { ...shownOf(text), number: release.number, file: edit.file, title: edit.title ?? '' };
  if (edit.do === 'check') return { ...shown, findings: await checkElsewhere(files) };
  if (!edit.title) return { ...shown, findings: [], problem: 'Say what it is for.' };
  const state = stateOf(release, await storeOf(releasedOf(service).means).inForce());
  if (state === 'replaced' || state === 'overtaken') throw new ProblemError('REQUEST_INVALID', RELEASES.editOver);
  // Who goes on with a proposal of others is one of its authors.
  const others = state === 'in force' ? [] : manifest.authors;
  const authors = [...new Set([...others, person.subject])];
  return proposeFiles({ files, mapping: manifest.mapping, title: edit.title, authors }, service);
}

async function proposeFiles(proposal: Parameters<typeof propose>[1], service: Service): Promise<number> {
  const { released, means } = releasedOf(service);
  const { manifest } = await orProblem(propose(means, proposal));
  released.evidence.start(manifest.number);
  return manifest.number;
}

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
  const before = await fileOf(String(await storeOf(means).inForce()), file, service);
  const line = entryLine(value, until, file, before.text);
  const end = lineEndOf(before.text) ?? '\n';
  const text = `${before.text}${before.text === '' || before.text.endsWith('\n') ? '' : end}${line}${end}`;
  const { mapping } = before.manifest;
  const title = RELEASES.entryTitle(fact, list);
  const files = { ...before.files, [file]: text };
  return proposeFiles({ files, mapping, title, why, authors: [person.subject] }, service);
}

function entryLine(value: string, until: string | undefined, file: string, text: string): string {
  if (/[\r\n"#]/.test(value))
    throw new ProblemError('REQUEST_INVALID', 'this value cannot be written into a list: edit the file');
  if (!file.endsWith('.csv')) return until === undefined ? value : `${value} until ${until}`;
  const [header = ''] = text.replace(/^\ufeff/, '').split(/\r?\n/, 1);
  const cells = header.split(',').map((name) => ({ value, until: until ?? '' })[name.trim()] ?? '');
  return cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(',');
}
