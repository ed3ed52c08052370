/** Releases -> a list of them, one with what a checker should doubt first, and a file of one to be edited. */

import type { Draft } from '../../../release/draft/drafts.ts';
import type { Impact } from '../../../release/evidence/impact.ts';
import { changeLines, doubtLines } from '../../../release/evidence/words.ts';
import { evidenceOf, type Judged } from '../../../release/judge.ts';
import type { ListedRelease, ReleaseState } from '../../../release/listing.ts';
import { type Child, h1, p } from '../../../report/html/markup.ts';
import { codeValue } from '../../../report/html/parts/phrases.ts';
import { bullets, folded, NONE, pairs, table } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import { grouped } from '../../../text.ts';
import { percent } from '../parts/chart.ts';
import { differencePart, type TextDifference } from '../parts/difference.ts';
import { actionForm, submit, whyField } from '../parts/form.ts';
import type { Reader, ServedPage } from '../parts/frame.ts';
import { minute } from '../parts/times.ts';
import { CHANGES } from '../words/changes.ts';
import { RELEASES } from '../words/releases.ts';

export interface ReleasesData {
  /** The drafts, for who may edit them. */
  readonly drafts: readonly Pick<Draft, 'id' | 'title' | 'base' | 'by' | 'at'>[];
  readonly mayEdit: boolean;
  /** `refused`: why a later one is not in force. */
  readonly inForce: { readonly number: number; readonly title: string; readonly refused: string | undefined };
  readonly releases: readonly ListedRelease[];
  /** What was decided while a release was in force, by its number. */
  readonly decided: ReadonlyMap<number, { readonly decisions: number; readonly reviews: number }>;
}

export function releasesPage(data: ReleasesData, reader: Reader): ServedPage {
  const { inForce, releases, drafts, mayEdit, decided } = data;
  const { number, title, refused } = inForce;
  return {
    title: RELEASES.title,
    head: [
      h1(RELEASES.title),
      p({ class: 'lead' }, RELEASES.lead(number, title)),
      refused === undefined ? undefined : p({ class: 'warning' }, RELEASES.refused(refused)),
      mayEdit ? changeForm(number, reader) : undefined,
    ],
    parts: [
      {
        id: 'drafts',
        title: CHANGES.drafts,
        content:
          drafts.length > 0
            ? table({
                ...{ id: 'all-drafts', caption: CHANGES.allDrafts, columns: CHANGES.draftColumns },
                rows: drafts.map(({ id, title, base, by, at }) => [
                  s.link({ href: `/changes/${id}` }, CHANGES.title(title, base)),
                  ...[base, by, minute(Date.parse(at))],
                ]),
              })
            : undefined,
      },
      {
        id: 'releases',
        title: RELEASES.title,
        content: table({
          ...{ id: 'all', caption: RELEASES.all, columns: RELEASES.columns },
          rows: releases.map((each) => [
            s.link({ href: pathOf(each.number) }, each.number),
            each.state,
            each.title,
            each.authors.join(', '),
            each.approvals.join(', ') || NONE,
            each.activatedAt === undefined ? NONE : minute(Date.parse(each.activatedAt)),
            ...decidedCells(decided.get(each.number)),
          ]),
        }),
      },
    ],
  };
}

function decidedCells(decided: { readonly decisions: number; readonly reviews: number } | undefined): readonly Child[] {
  if (!decided) return [NONE, NONE];
  const { decisions, reviews } = decided;
  return [grouped(decisions), decisions === 0 ? NONE : percent(reviews / decisions)];
}

export interface ReleaseData {
  readonly judged: Judged;
  readonly state: ReleaseState;
  /** Why this machine does not load it, although it is in force. */
  readonly refused: string | undefined;
  /** `making`, or why the evidence could not be made; undefined for neither. */
  readonly evidence: string | undefined;
  /** The files that differ from those of what it replaces; how, for who may see it. */
  readonly edited: readonly { readonly path: string; readonly difference: TextDifference | undefined }[];
  readonly may: {
    readonly edit: boolean;
    readonly approve: boolean;
    readonly tighten: boolean;
    readonly confirm: boolean;
  };
  /** Whether the reader wrote it, or was invited. */
  readonly isOwn: boolean;
  readonly hasApproved: boolean;
  /** Whether the reader has just signed in. */
  readonly isFresh: boolean;
  /** Decisions since it was proposed, as they were counted last; `state`: `making`, or why they could not be. */
  readonly watched: { readonly state: string | undefined; readonly impact: Impact | undefined };
}

function pathOf(number: number): string {
  return `/releases/${number}`;
}

function changeForm(number: number, reader: Reader): Child {
  return actionForm(reader, { action: `${pathOf(number)}/change` }, submit(CHANGES.begin));
}

export function releasePage(data: ReleaseData, reader: Reader): ServedPage {
  const { judged, state, refused, edited } = data;
  const { release, read, proof, impact } = judged;
  const { number, title, authors, base } = read.manifest;
  const doubts = proof ? doubtLines(proof) : [];
  const said = [...release.notes, ...(release.activation ? [release.activation] : [])];
  const others = Object.keys(read.manifest.files).filter((file) => !edited.some(({ path }) => path === file));
  return {
    title: `${title}, release ${number}`,
    isFilling: data.evidence === 'making' || data.watched.state === 'making',
    head: [
      p({ class: 'kind' }, RELEASES.kind(state)),
      h1(`${number} `, title),
      p({ class: 'lead' }, RELEASES.by(authors, base?.number)),
      refused === undefined ? undefined : p({ class: 'warning' }, RELEASES.refused(refused)),
    ],
    parts: [
      {
        id: 'doubts',
        title: RELEASES.doubts,
        content: proof && (doubts.length > 0 ? bullets(doubts) : p(RELEASES.noDoubts)),
      },
      {
        id: 'impact',
        title: RELEASES.impact,
        content: impact?.policies.length ? impactTable('flows', RELEASES.byPolicy, impact) : undefined,
      },
      { id: 'watched', title: RELEASES.watched, content: watchedPart(data, reader) },
      { id: 'changes', title: RELEASES.changes, content: proof && bullets(changeLines(proof, undefined)) },
      {
        id: 'files',
        title: RELEASES.files,
        content: [
          p(RELEASES.edited(edited.length)),
          ...edited.map(({ path, difference }, i) =>
            difference ? folded(path, differencePart(`edit-${i + 1}`, path, difference)) : p(path),
          ),
          others.length > 0 ? folded(RELEASES.others, bullets(others)) : undefined,
        ],
      },
      {
        id: 'said',
        title: RELEASES.said,
        content:
          said.length > 0
            ? table({
                ...{ id: 'notes', caption: RELEASES.inTime, columns: RELEASES.saidColumns },
                rows: said.map(({ at, by, verdict, keyId }) => [
                  minute(Date.parse(at)),
                  by,
                  RELEASES.verdicts[verdict],
                  codeValue(keyId),
                ]),
              })
            : undefined,
      },
    ],
    aside: {
      id: 'todo',
      title: RELEASES.todo,
      content: [
        ...[stateWords(data), forms(data, reader)],
        data.may.edit && state !== 'replaced' ? changeForm(number, reader) : undefined,
        digests(judged),
      ],
    },
  };
}

/** What it would have decided since it was proposed. */
function watchedPart({ judged, state, may, watched }: ReleaseData, reader: Reader): Child {
  const { number } = judged.read.manifest;
  const { impact, state: counting } = watched;
  if (state !== 'proposed' || !(may.edit || may.approve)) return undefined;
  return [
    impact && [
      p(
        RELEASES.watchedFrom,
        minute(Date.parse(impact.from)),
        RELEASES.watchedUntil,
        minute(Date.parse(impact.until)),
        '.',
      ),
      impactTable('watched-flows', RELEASES.watchedByPolicy, impact),
    ],
    counting === 'making' ? p(RELEASES.counting) : undefined,
    counting !== undefined && counting !== 'making'
      ? p({ class: 'warning' }, RELEASES.notCounted(counting))
      : undefined,
    p(RELEASES.watchedWhat),
    actionForm(reader, { action: `${pathOf(number)}/watch` }, submit(RELEASES.watch)),
  ];
}

function impactTable(id: string, caption: string, { policies }: Impact): Child {
  return table({
    ...{ id, caption, columns: RELEASES.impactColumns, kinds: ['', 'number', 'number'] },
    rows: policies.map(({ name, counted }) => {
      if (!counted) return [name, NONE, NONE, NONE, NONE, NONE, NONE];
      const { decided, changed, flows, reviewsADay, notJudged, labels } = counted;
      const which = flows.filter(({ from, to }) => from !== to);
      return [
        ...[name, grouped(decided), grouped(changed)],
        which.map(({ from, to, applicants }) => RELEASES.flow(from, to, applicants)).join(', ') || RELEASES.none,
        RELEASES.perDay(reviewsADay.before, reviewsADay.after),
        labels ? RELEASES.caught(labels.before.caught, labels.after.caught, labels.fraud) : RELEASES.noLabels,
        grouped(Object.values(notJudged).reduce((sum, n) => sum + n, 0)),
      ];
    }),
  });
}

function stateWords({ judged: { against }, state, evidence }: ReleaseData): Child {
  if (state === 'in force') return p(RELEASES.inForce);
  if (state === 'replaced') return undefined;
  if (state === 'overtaken') return p(RELEASES.over);
  if (evidence === 'making') return p(RELEASES.making);
  if (evidence !== undefined) return p({ class: 'warning' }, RELEASES.failed(evidence));
  return against.length === 0 ? p(RELEASES.ready) : bullets(against.map(RELEASES.against));
}

/** What the reader may do now. */
function forms(data: ReleaseData, reader: Reader): Child {
  const { judged, state, may, isOwn, hasApproved, isFresh, evidence } = data;
  const { read, against, proof, impact } = judged;
  const path = pathOf(read.manifest.number);
  const say = (verdict: string, words: string, ...fields: readonly Child[]) =>
    actionForm(
      reader,
      { action: `${path}/say` },
      ...[s.input({ type: 'hidden', name: 'verdict', value: verdict }), ...fields, submit(words)],
    );
  const signIn = [
    p(RELEASES.signInWhy),
    p(s.link({ href: `/sign-in?${new URLSearchParams({ to: path, again: '1' })}` }, RELEASES.signIn)),
  ];
  if (state === 'in force') {
    if (!may.confirm) return undefined;
    return isFresh ? [p(RELEASES.confirmWhy), say('confirm', RELEASES.confirm)] : signIn;
  }
  if (state === 'replaced')
    return may.edit ? actionForm(reader, { action: `${path}/restore` }, submit(RELEASES.restore)) : undefined;
  if (state === 'overtaken' || evidence === 'making') return undefined;
  if (!proof || !impact) {
    const making = actionForm(reader, { action: `${path}/evidence` }, submit(RELEASES.make));
    return may.edit || may.approve ? [p(RELEASES.noEvidence), making] : p(RELEASES.noEvidence);
  }
  const box = s.input({ type: 'checkbox', id: 'read', name: 'read', value: 'yes', required: true });
  const isRead = p(box, ' ', s.label({ for: 'read' }, RELEASES.read));
  const approving = isOwn
    ? p(RELEASES.own)
    : isFresh
      ? [say('approve', RELEASES.approve, isRead), say('reject', RELEASES.reject, whyField('reject-why', RELEASES.why))]
      : signIn;
  return [
    may.approve && !hasApproved ? approving : undefined,
    may.approve && against.length === 0
      ? actionForm(reader, { action: `${path}/activate` }, submit(RELEASES.activate))
      : undefined,
    may.tighten ? (isFresh ? [p(RELEASES.tightenWhy), say('tighten', RELEASES.tighten)] : signIn) : undefined,
  ];
}

function digests({ read, release, proof }: Judged): Child {
  const short = (digest: string | null | undefined) => (digest ? codeValue(`${digest.slice(0, 19)}…`) : NONE);
  const evidence = evidenceOf(release);
  return folded(
    RELEASES.digests,
    pairs([
      ['Release', short(read.digest)],
      ['Base', short(read.manifest.base?.digest)],
      ['Proof', short(evidence.proof)],
      ['Impact', short(evidence.impact)],
      ['Day', proof?.day ?? NONE],
    ]),
  );
}
