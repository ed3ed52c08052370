/** A case, others that were chosen with it, and one decision -> a question how many, then each resolved by itself. */

import * as z from 'zod';
import { readReferences } from '../../../audit/query/read-references.ts';
import type { Case } from '../../../stores/state/cases.ts';
import { reasonsOf } from '../../cases/queues.ts';
import { whyOf } from '../../handlers/cases.ts';
import { indexedOf } from '../../handlers/records.ts';
import { ProblemError } from '../../problem.ts';
import { API } from '../../routes.ts';
import { RESOLVE_REQUEST } from '../../schemas.ts';
import type { Service } from '../../service.ts';
import { type PageAnswer, type PageRequest, perform } from '../page.ts';
import { togetherPage } from '../pages/together-page.ts';
import { TOGETHER } from '../words/together.ts';

/** Each further case is a field by its id: forms with a field twice are refused. */
export const TOGETHER_FORM = RESOLVE_REQUEST.omit({ token: true })
  .extend({ confirmed: z.literal('true').optional() })
  .catchall(z.literal('true'));

type Request = PageRequest<z.ZodType, typeof TOGETHER_FORM>;

/** A case that is taken or resolved by somebody meanwhile stays as it is, and is listed. */
export async function decideTogether(request: Request, service: Service): Promise<PageAnswer> {
  const { disposition, reason, why, confirmed, ...boxes } = request.form;
  const { cases, place, index, actorsOf } = indexedOf(service);
  const now = Date.now();
  const { name } = request.person;
  const found = await Promise.all([...new Set([request.id, ...Object.keys(boxes)])].map((id) => cases.get(id)));
  if (found.includes(undefined)) throw new ProblemError('NOT_FOUND');
  const open = found.filter((each) => each !== undefined && each.state !== 'resolved') as readonly Case[];
  const mayTake = new Set(await cases.free({ person: name, actors: actorsOf(name), ids: open.map(({ id }) => id) }));
  const chosen = open.filter(({ id }) => mayTake.has(id));
  if (chosen.length === 0) throw new ProblemError('REQUEST_INVALID', TOGETHER.nothing);
  whyOf({ disposition, reason, why }, reasonsOf(service.config.queues, chosen[0]?.queue ?? ''));
  const references = await readReferences(
    place,
    open.map(({ decision }) => decision),
    index,
  );
  const said = { now, id: request.id, disposition, reason, why, references };
  const done = new Set<string>();
  for (const each of confirmed ? chosen : []) if (await resolveOne(each, request, service)) done.add(each.id);
  const isChosen = ({ id }: Case) => (confirmed ? done : mayTake).has(id);
  const lists = { chosen: open.filter(isChosen), left: open.filter((each) => !isChosen(each)) };
  return { page: togetherPage({ ...said, ...lists, isDone: confirmed !== undefined }, request.reader) };
}

/** Whether it was. */
async function resolveOne({ id, queue }: Case, request: Request, service: Service): Promise<boolean> {
  const { disposition, reason, why } = request.form;
  // A reason of one queue is in own words in another.
  const isOwn = reason !== undefined && reasonsOf(service.config.queues, queue)[disposition].includes(reason);
  const words = [reason, why].filter((each) => each !== undefined).join(': ');
  try {
    const { token = 0 } = await perform(API.takeOne, { ...request, id, form: undefined }, service);
    const form = { token, disposition, ...(isOwn ? { reason, why } : { why: words }) };
    await perform(API.resolveCase, { ...request, id, form }, service);
    return true;
  } catch (error) {
    const { code } = error instanceof ProblemError ? error.problem : { code: undefined };
    if (code === 'LEASE_LOST' || code === 'ALREADY_RESOLVED') return false;
    throw error;
  }
}
