/** A decision -> what the applicant may be told, what to ask for, and what to keep to oneself. */

import { factAt } from '../../../decision/meaning/truth.ts';
import type { Reason, Verdict } from '../../../decision/meaning/verdict.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { type Facts, isMissing } from '../../../facts/fact.ts';
import { type Notice, noticeTexts, type Policy } from '../../../policy/language.ts';
import { count } from '../../../text.ts';
import { type Child, div, h3, type Markup, p, span } from '../markup.ts';
import { codeName, factName, ruleLink, soft } from './phrases.ts';
import { bullets, folded } from './table.ts';

/** The part; undefined where an applicant was accepted and the policy has nothing to tell. */
export function toldPart({ outcome, reasons, undetermined }: Verdict, facts: Facts, policy: Policy): Child {
  const notices = noticesOf(reasons, true);
  if (outcome === 'accept' && notices.size === 0) return undefined;
  const others = new Map([...noticesOf(reasons, false)].filter(([key]) => !notices.has(key)));
  const missing = undetermined.flatMap((rule) => rule.missing);
  const wanted = new Set(missing.flatMap(({ fact }) => givenBy(fact, facts, policy.facts)));
  return [
    notices.size === 0
      ? p('The policy has no text about this decision for the applicant: say the outcome, and no reason.')
      : blocks(notices, policy),
    wanted.size === 0
      ? undefined
      : [
          h3('What to ask for'),
          p('The applicant or your own systems can still give:'),
          bullets([...wanted].map((path) => factName(path, policy.facts))),
        ],
    h3('What not to say'),
    p(
      'Nothing else on this page is for the applicant: no score, rule, code or source, and not what would lead to ',
      'another outcome. It would tell a fraudster what to change.',
    ),
    others.size === 0
      ? undefined
      : folded(
          `${count(others.size, 'notice')} of rules that did not decide, not for this applicant`,
          blocks(others, policy),
        ),
  ];
}

/** The facts that would have to be given, in place of a missing fact that follows from them. */
function givenBy(path: string, facts: Facts, table: FactTable): readonly string[] {
  const { origin, inputs, variable } = table.get(path) ?? {};
  const fact = factAt(facts, path);
  if (!isMissing(fact)) return [];
  if (inputs) return inputs.flatMap((input) => givenBy(input, facts, table));
  if (origin === 'service') {
    // The service is asked about what was sent.
    const isAskable = fact.missing === 'notRequested' && variable !== undefined;
    return isAskable ? givenBy(`applicant.${variable}`, facts, table) : [];
  }
  return fact.missing === 'invalid' ? [] : [path];
}

type Noticed = Exclude<Reason, { readonly because: 'undetermined' }> & { readonly notice: Notice };

/** The reasons with a notice, by the notice: several rules often have the same. */
function noticesOf(reasons: readonly Reason[], decisive: boolean): ReadonlyMap<string, readonly Noticed[]> {
  const noticed = reasons.filter((reason): reason is Noticed => 'notice' in reason && reason.notice !== undefined);
  return Map.groupBy(
    noticed.filter((reason) => reason.decisive === decisive),
    ({ notice }) => JSON.stringify(notice),
  );
}

function blocks(notices: ReadonlyMap<string, readonly Noticed[]>, policy: Policy): Child {
  return [...notices.values()].map((reasons) =>
    div(
      { class: 'notice' },
      reasons.slice(0, 1).map(({ notice }) => noticeTexts(notice).map(textOf)),
      p(
        { class: 'from' },
        reasons.map((reason, i) => [i === 0 ? '' : ', ', originOf(reason, policy)]),
      ),
    ),
  );
}

function textOf({ language, text }: ReturnType<typeof noticeTexts>[number]): Markup {
  return language === undefined ? p(text) : p(soft(`${language}: `), span({ lang: language }, text));
}

function originOf(reason: Noticed, policy: Policy): Child {
  return reason.because === 'fired' ? ['rule ', ruleLink(reason.rule, policy)] : codeName(reason.code);
}
