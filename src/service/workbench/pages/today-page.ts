/** What decisions of today have most in common -> its page. */

import type { Page } from '../../../report/html/document.ts';
import { h1, p } from '../../../report/html/markup.ts';
import { codeValue } from '../../../report/html/parts/phrases.ts';
import { table } from '../../../report/html/parts/table.ts';
import { link } from '../../../report/html/served.ts';
import { grouped } from '../../../text.ts';
import { percent } from '../parts/chart.ts';
import { minute } from '../parts/times.ts';
import { TODAY } from '../words/today.ts';

export interface TodayData {
  readonly decisions: number;
  /** Whether these are all of today. */
  readonly isAll: boolean;
  /** By what applications are counted by; only those that two decisions share. */
  readonly names: readonly { readonly name: string; readonly values: readonly SharedValue[] }[];
}

export interface SharedValue {
  /** Masked, or the beginning of its hash. */
  readonly text: string;
  readonly decisions: number;
  readonly reviews: number;
  readonly rejects: number;
  /** The newest decision that has it. */
  readonly last: { readonly id: string; readonly at: number };
}

export function todayPage({ decisions, isAll, names }: TodayData): Page {
  return {
    title: TODAY.title,
    head: [
      h1(TODAY.title),
      p({ class: 'lead' }, TODAY.lead(decisions, isAll), names.length === 0 ? ` ${TODAY.nothing}` : ''),
    ],
    parts: names.map(({ name, values }, i) => {
      const title = TODAY.names[name] ?? TODAY.other(name);
      return {
        id: `shared-${i}`,
        title,
        content: table({
          ...{ id: `shared-values-${i}`, caption: TODAY.title2(title), columns: TODAY.columns },
          kinds: ['', 'number', 'number', 'number', ''],
          rows: values.map(({ text, decisions: n, reviews, rejects, last }) => [
            codeValue(text),
            grouped(n),
            percent(reviews / n),
            percent(rejects / n),
            link({ href: `/decisions/${last.id}` }, minute(last.at)),
          ]),
        }),
      };
    }),
  };
}
