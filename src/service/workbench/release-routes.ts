/** The rows of the table of pages for releases and drafts. */

import * as z from 'zod';
import { MAX_FILE_BYTES } from '../../platform/files/source.ts';
import { editorWords } from '../../policy/editor/words.ts';
import type { Role } from '../auth/roles.ts';
import { beginChange, CHANGE_ACTS, changeData, discardChange, doChange } from './data/releases/change-data.ts';
import { addEntry, OF_ENTRIES } from './data/releases/list-entries.ts';
import {
  numberOf,
  proposeAgain,
  putInForce,
  releaseData,
  releasedOf,
  releasesData,
  say,
} from './data/releases/release-data.ts';
import { line, type PageRoute, page } from './page.ts';
import { changeAnswer, changePage } from './pages/change-page.ts';
import { releasePage, releasesPage } from './pages/release-pages.ts';

export const OF_RELEASES = ['read', 'edit', 'approve', 'tighten', 'audit'] as const satisfies readonly Role[];

const SAY = z.strictObject({
  verdict: z.enum(['approve', 'reject', 'tighten', 'confirm']),
  read: z.literal('yes').optional(),
  why: z.string().max(2000).optional(),
});
const CHANGE = z.strictObject({
  file: line,
  text: z.string().default(''),
  version: z.coerce.number().int().positive(),
  title: line.optional(),
  facts: z.string().max(10_000).optional(),
  do: z.enum(CHANGE_ACTS),
  as: z.literal('data').optional(),
});
export const RELEASE_PAGES: readonly PageRoute[] = [
  page('GET', '/releases', {
    roles: OF_RELEASES,
    handle: async ({ person, reader }, service) => ({
      page: releasesPage(await releasesData(person, service), reader),
    }),
  }),
  page('GET', '/releases/{number}', {
    roles: OF_RELEASES,
    handle: async ({ id, person, reader }, service) => ({
      page: releasePage(await releaseData(id, person, service), reader),
    }),
  }),
  page('POST', '/releases/{number}/evidence', {
    roles: ['edit', 'approve'],
    handle: ({ id }, service) => {
      releasedOf(service).released.evidence.start(numberOf(id));
      return { to: `/releases/${id}` };
    },
  }),
  page('POST', '/releases/{number}/watch', {
    roles: ['edit', 'approve'],
    handle: ({ id }, service) => {
      releasedOf(service).released.evidence.watch(numberOf(id));
      return { to: `/releases/${id}` };
    },
  }),
  page('POST', '/releases/{number}/say', {
    roles: ['approve', 'tighten'],
    form: SAY,
    handle: async ({ id, form: said, person }, service) => {
      await say(id, said, person, service);
      return { to: `/releases/${id}`, done: 'said' };
    },
  }),
  page('POST', '/releases/{number}/activate', {
    roles: ['approve'],
    handle: async ({ id, person }, service) => {
      await putInForce(id, person, service);
      return { to: `/releases/${id}`, done: 'activated' };
    },
  }),
  page('POST', '/releases/{number}/restore', {
    roles: ['edit'],
    handle: async ({ id, person }, service) => ({
      to: `/releases/${await proposeAgain(id, person, service)}`,
      done: 'proposed',
    }),
  }),
  page('POST', '/releases/{number}/change', {
    roles: ['edit'],
    handle: async ({ id, person }, service) => ({ to: `/changes/${await beginChange(id, person, service)}` }),
  }),
  page('GET', '/changes/{id}', {
    roles: ['edit'],
    query: z.strictObject({ file: line.optional() }),
    handle: async ({ id, query: { file }, reader }, service) => ({
      page: changePage(await changeData(id, file, service), reader),
    }),
  }),
  page('GET', '/changes/{id}/words', {
    roles: ['edit'],
    handle: (_request, { policies }) => ({
      data: editorWords(Array.from(policies.values(), ({ watched }) => watched.policy)),
    }),
  }),
  page('POST', '/changes/{id}/edit', {
    roles: ['edit'],
    form: CHANGE,
    fileBytes: MAX_FILE_BYTES,
    handle: async ({ id, form: { as, ...change }, person, reader }, service) => {
      const done = await doChange(id, change, person, service);
      if ('to' in done) return { to: done.to, ...(done.isProposed ? { done: 'proposed' } : {}) };
      const status = done.conflict ? 412 : done.problem === undefined ? 200 : 400;
      return as === 'data' ? { data: changeAnswer(done), status } : { page: changePage(done, reader), status };
    },
  }),
  page('POST', '/changes/{id}/discard', {
    roles: ['edit'],
    form: z.strictObject({ version: z.coerce.number().int().positive() }),
    handle: async ({ id, form: { version } }, service) => {
      await discardChange(id, version, service);
      return { to: '/releases' };
    },
  }),
  page('POST', '/decisions/{id}/list', {
    roles: OF_ENTRIES,
    form: z.strictObject({ entry: line, until: z.iso.date().optional(), why: z.string().min(1).max(2000) }),
    handle: async ({ id, form: entry, person }, service) => ({
      to: `/releases/${await addEntry(id, entry, person, service)}`,
      done: 'proposed',
    }),
  }),
];
