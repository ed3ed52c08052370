/** Cases that were chosen together -> what is about to happen to each, or what happened. */

import type { Page } from '../../../report/html/document.ts';
import { type Child, h1, p } from '../../../report/html/markup.ts';
import { codeValue } from '../../../report/html/parts/phrases.ts';
import { table } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import type { Case } from '../../../stores/state/cases.ts';
import { actionForm, submit } from '../parts/form.ts';
import type { Reader } from '../parts/frame.ts';
import { fromNow } from '../parts/times.ts';
import { type Disposition, TOGETHER } from '../words/together.ts';

export interface TogetherData {
  readonly now: number;
  /** The case whose page has the form. */
  readonly id: string;
  readonly disposition: Disposition;
  readonly reason: string | undefined;
  readonly why: string | undefined;
  /** What is decided, or was. */
  readonly chosen: readonly Case[];
  readonly left: readonly Case[];
  readonly isDone: boolean;
  /** By decision. */
  readonly references: ReadonlyMap<string, string>;
}

export function togetherPage(data: TogetherData, reader: Reader): Page {
  const { id, disposition, reason, why, chosen, left, isDone } = data;
  const title = isDone ? TOGETHER.done(disposition, chosen.length) : TOGETHER.ask(disposition, chosen.length);
  const words = [reason, why].filter((each) => each !== undefined);
  const fields = { disposition, reason, why, confirmed: 'true' };
  const hidden = [...Object.entries(fields), ...[...chosen, ...left].map((each) => [each.id, 'true'] as const)];
  return {
    title,
    head: [
      h1(title),
      isDone ? p(TOGETHER.on) : [p(TOGETHER.does(disposition)), p(TOGETHER.why(words))],
      isDone
        ? p(s.link({ href: '/queue' }, TOGETHER.queue))
        : actionForm(
            reader,
            { action: `/cases/${id}/together`, id: 'together', look: 'line' },
            hidden.map(([name, value]) => (value === undefined ? undefined : s.input({ type: 'hidden', name, value }))),
            submit(TOGETHER.send(disposition, chosen.length), { class: 'main' }),
            s.link({ href: `/cases/${id}` }, TOGETHER.back),
          ),
    ],
    parts: [
      { id: 'chosen', title: TOGETHER.chosen, content: casesTable('chosen-cases', TOGETHER.chosenTitle, chosen, data) },
      {
        id: 'left',
        title: TOGETHER.left,
        content:
          left.length > 0 ? [p(TOGETHER.leftWhy), casesTable('left-cases', TOGETHER.leftTitle, left, data)] : undefined,
      },
    ],
  };
}

function casesTable(id: string, caption: string, cases: readonly Case[], { references, now }: TogetherData): Child {
  if (cases.length === 0) return undefined;
  const name = (each: Case) => codeValue(references.get(each.decision) ?? each.id.slice(-12));
  const rows = cases.map((each) => [
    s.link({ href: `/cases/${each.id}` }, name(each)),
    each.queue,
    fromNow(each.due, now),
  ]);
  return table({ id, caption, columns: TOGETHER.columns, rows, width: 'tight' });
}
