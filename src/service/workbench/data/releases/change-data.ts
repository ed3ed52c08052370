/** A draft of a release and what is asked of it -> what its page shows, the draft saved, or a release proposed. */

import { VerdictError } from '../../../../errors.ts';
import { dayOfInstant } from '../../../../facts/day.ts';
import { canonicalJson } from '../../../../platform/digest.ts';
import { propose } from '../../../../release/acts.ts';
import type { Draft } from '../../../../release/draft/drafts.ts';
import { makeEvidenceElsewhere } from '../../../../release/evidence/make.ts';
import { type Proof, readProof } from '../../../../release/evidence/proof.ts';
import { changeLines, doubtLines } from '../../../../release/evidence/words.ts';
import type { Texts } from '../../../../release/files.ts';
import { stateOf } from '../../../../release/listing.ts';
import { readManifest } from '../../../../release/manifest.ts';
import type { Person } from '../../../auth/sessions.ts';
import { ProblemError } from '../../../problem.ts';
import type { Service } from '../../../service.ts';
import type { ChangeData, Compared } from '../../pages/change-page.ts';
import { CHANGES } from '../../words/changes.ts';
import { RELEASES } from '../../words/releases.ts';
import { asInFile, shownOf } from './file-text.ts';
import { numberOf, orProblem, releasedOf, storeOf } from './release-data.ts';

/** A form of the page. */
export interface ChangeForm {
  readonly file: string;
  readonly text: string;
  /** Of the draft that the page showed: nobody may have saved another. */
  readonly version: number;
  readonly title?: string | undefined;
  /** To be tried, as a test writes them. */
  readonly facts?: string | undefined;
  readonly do: (typeof CHANGE_ACTS)[number];
}

export const CHANGE_ACTS = [
  'save',
  'check',
  'test',
  'try',
  'compare',
  'suggest',
  'accept',
  'propose',
  'rebase',
] as const;

/** Begins a draft of a release that is in force, or that could be; resolves with its id. */
export async function beginChange(id: string, { subject }: Person, service: Service): Promise<string> {
  const { release, manifest, state } = await releaseToEdit(numberOf(id), service);
  if (state === 'replaced' || state === 'overtaken') throw new ProblemError('REQUEST_INVALID', RELEASES.editOver);
  const { drafts } = releasedOf(service).released;
  const all = await orProblem(drafts.readAll());
  const own = all.find(({ base, by, edited }) => base === release.number && by === subject && isEmpty(edited));
  if (own) return own.id;
  // Who goes on with a proposal of others is one of its authors.
  const [others, title] = state === 'in force' ? [[], ''] : [manifest.authors, manifest.title];
  const authors = [...new Set([...others, subject])];
  const save = { base: release.number, title, authors, edited: {}, by: subject, at: new Date().toISOString() };
  return orProblem(drafts.begin(save));
}

function isEmpty(files: Texts): boolean {
  return Object.keys(files).length === 0;
}

async function releaseToEdit(number: number, service: Service) {
  const store = storeOf(releasedOf(service).means);
  const [release, inForce] = [await store.read(number), await store.inForce()];
  if (!release) throw new ProblemError('NOT_FOUND');
  const { manifest } = readManifest(release.manifest);
  return { release, manifest, files: release.content?.files ?? {}, state: stateOf(release, inForce), inForce };
}

/** A draft, and the files of the release that it changes. */
async function openChange(id: string, service: Service) {
  const draft = await releasedOf(service).released.drafts.read(id);
  if (!draft) throw new ProblemError('NOT_FOUND', CHANGES.gone);
  const { manifest, files: before, state, inForce } = await releaseToEdit(draft.base, service);
  const isOver = state === 'replaced' || state === 'overtaken';
  // What the draft would replace, or would have replaced: a proposal replaces its own base.
  const replaces = state === 'in force' || state === 'replaced' || !manifest.base ? draft.base : manifest.base.number;
  const files = { ...before, ...draft.edited };
  return { draft, mapping: manifest.mapping, before, files, replaces, over: isOver ? inForce : undefined };
}

type Opened = Awaited<ReturnType<typeof openChange>>;

function shown({ draft, files, over }: Opened, file?: string): ChangeData {
  const paths = Object.keys(files);
  const first = Object.keys(draft.edited)[0] ?? paths.find((path) => /\.ya?ml$/.test(path)) ?? paths[0] ?? '';
  const chosen = file ?? first;
  if (!Object.hasOwn(files, chosen)) throw new ProblemError('NOT_FOUND');
  return { draft, file: chosen, files: paths, over, ...shownOf(files[chosen] ?? '') };
}

export async function changeData(id: string, file: string | undefined, service: Service): Promise<ChangeData> {
  return shown(await openChange(id, service), file);
}

/** Where to go on. */
export interface GoOn {
  readonly to: string;
  readonly isProposed?: boolean;
}

/** Does what a form asks for: resolves with what its page shows then, or where to go on. */
export async function doChange(
  id: string,
  form: ChangeForm,
  person: Person,
  service: Service,
): Promise<ChangeData | GoOn> {
  const was = await openChange(id, service);
  const before = was.files[form.file] ?? '';
  if (!shown(was, form.file).isEditable) throw new ProblemError('REQUEST_INVALID', CHANGES.notHere);
  const now = withEdits(was, { [form.file]: asInFile(form.text, before) }, form.title);
  const page = { ...shown(now, form.file), facts: form.facts };
  const { worker } = releasedOf(service).released;
  switch (form.do) {
    case 'check':
      return orFlaw(page, async () => ({ ...page, found: await worker.ask('check', now.files) }));
    case 'test':
      return orFlaw(page, async () => ({ ...page, tests: await worker.ask('test', now.files) }));
    case 'try':
      return orFlaw(page, async () => {
        const tried = await worker.ask('try', now.files, now.mapping, form.facts ?? '');
        return { ...page, tried };
      });
    case 'compare':
      return orFlaw(page, async () => ({ ...page, compared: await compare(now, service) }));
    default: {
      const saved = form.version === was.draft.version ? await saveAs(now, was.draft, person, service) : undefined;
      return saved ? goOn(saved, form, person, service) : inConflict(page, service);
    }
  }
}

/** What is done with a draft once it is saved. */
async function goOn(saved: Opened, { do: act, file, facts }: ChangeForm, person: Person, service: Service) {
  const page = { ...shown(saved, file), facts };
  const { draft, files } = saved;
  const { worker } = releasedOf(service).released;
  if (act === 'save') return page;
  if (act === 'rebase') return rebase(saved, page, person, service);
  if (act === 'propose') return orFlaw(page, () => proposeChange(saved, page, person, service));
  return orFlaw(page, async () => {
    const isMissing = act === 'suggest';
    const written = await (isMissing ? worker.ask('suggest', files, SUGGEST_STEPS) : worker.ask('accept', files));
    const [first] = Object.keys(written);
    if (first === undefined) return { ...page, problem: isMissing ? CHANGES.nothingMissing : CHANGES.nothingFails };
    const next = await saveAs(withEdits(saved, written), draft, person, service);
    return next ? { to: `/changes/${draft.id}?${new URLSearchParams({ file: first })}` } : inConflict(page, service);
  });
}

async function proposeChange(
  { draft, files, mapping, replaces, over }: Opened,
  page: ChangeData,
  { subject }: Person,
  service: Service,
): Promise<ChangeData | GoOn> {
  const { id, version, title } = draft;
  if (!title) return { ...page, problem: CHANGES.noTitle };
  if (over !== undefined) return { ...page, problem: CHANGES.over(over) };
  const authors = [...new Set([subject, ...draft.authors])];
  const number = await proposeFiles({ files, mapping, title, authors, replaces }, service);
  await releasedOf(service).released.drafts.end(id, version);
  return { to: `/releases/${number}`, isProposed: true };
}

/** Tests that are missing are sought in so many steps of the solver. */
const SUGGEST_STEPS = 3_000_000;

function withEdits(of: Opened, edits: Texts, title = of.draft.title): Opened {
  const all = Object.entries({ ...of.draft.edited, ...edits });
  const edited = Object.fromEntries(all.filter(([path, text]) => of.before[path] !== text));
  return { ...of, draft: { ...of.draft, edited, title }, files: { ...of.before, ...edited } };
}

/** Saves the next version of a draft; undefined if somebody else saved first. Nothing is saved without a change. */
async function saveAs(
  now: Opened,
  { id, version, ...was }: Draft,
  { subject: by }: Person,
  service: Service,
): Promise<Opened | undefined> {
  const { base, title, edited } = now.draft;
  const asIs = canonicalJson([base, title, edited]) === canonicalJson([was.base, was.title, was.edited]);
  if (asIs) return now;
  const save = { base, title, edited, by, authors: [...new Set([...was.authors, by])], at: new Date().toISOString() };
  const saved = await orProblem(releasedOf(service).released.drafts.save(id, version, save));
  return saved === undefined ? undefined : { ...now, draft: { id, version: saved, ...save } };
}

/** What was written, beside what somebody else saved. */
async function inConflict(mine: ChangeData, service: Service): Promise<ChangeData> {
  const { draft, text } = await changeData(mine.draft.id, mine.file, service);
  return { ...mine, draft, conflict: { by: draft.by, text } };
}

/** What cannot be asked, because of an error in the files or because that takes too much, is said on the page. */
async function orFlaw<Result>(page: ChangeData, ask: () => Promise<Result>): Promise<Result | ChangeData> {
  try {
    return await orProblem(ask());
  } catch (error) {
    if (!VerdictError.is(error)) throw error;
    if (/^(?:POLICY|MAPPING|TESTS)_INVALID$/.test(error.code)) return { ...page, problem: CHANGES.hasErrors };
    if (error.code === 'SOLVER_FAILED') return { ...page, problem: CHANGES.tooMuch(error.message) };
    throw error;
  }
}

/** What is proved of a draft, against what it would replace. */
async function compare({ files, mapping, replaces }: Opened, service: Service): Promise<Compared> {
  const old = await releaseToEdit(replaces, service);
  const day = dayOfInstant(Date.now());
  const of = { files, mapping, base: old.files, baseMapping: old.manifest.mapping, day };
  const proof = readProof((await makeEvidenceElsewhere(of)).proof) as Proof;
  return { doubts: doubtLines(proof), changes: changeLines(proof, undefined) };
}

/** Takes the edits over to the release in force, where that has the texts that were edited. */
async function rebase(saved: Opened, page: ChangeData, person: Person, service: Service): Promise<ChangeData> {
  const { draft, files, over, replaces } = saved;
  if (over === undefined) return page;
  const [{ files: old }, { files: now }] = [await releaseToEdit(replaces, service), await releaseToEdit(over, service)];
  const edits = Object.fromEntries(Object.entries(files).filter(([path, text]) => old[path] !== text));
  const removed = Object.keys(old).filter((path) => !Object.hasOwn(files, path));
  const both = [...Object.keys(edits), ...removed].filter((path) => now[path] !== old[path]);
  if (both.length + removed.length > 0)
    return { ...page, problem: CHANGES.bothEdited([...new Set([...both, ...removed])]) };
  const moved = { ...saved, before: now, draft: { ...draft, base: over, edited: {} } };
  const next = await saveAs(withEdits(moved, edits), draft, person, service);
  return next ? changeData(draft.id, page.file, service) : inConflict(page, service);
}

/** Throws a draft away, unless somebody saved it since its page was read. */
export async function discardChange(id: string, version: number, service: Service): Promise<void> {
  const { draft } = await openChange(id, service);
  if (draft.version !== version) throw new ProblemError('REQUEST_INVALID', CHANGES.savedSince(draft.by));
  await releasedOf(service).released.drafts.end(id, version);
}

/** Proposes files; resolves with the number of the release. */
export async function proposeFiles(proposal: Parameters<typeof propose>[1], service: Service): Promise<number> {
  const { released, means } = releasedOf(service);
  const { manifest } = await orProblem(propose(means, proposal));
  released.evidence.start(manifest.number);
  return manifest.number;
}
