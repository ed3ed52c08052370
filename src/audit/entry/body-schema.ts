/** What a decision's body says, as it was parsed -> whether it is of the form of a verdict, and of what stands around one: whoever can write can write anything. */

import { CAUSES } from '../../facts/fact.ts';
import { OUTCOMES } from '../../policy/language.ts';

/** Whether data is of a form. */
type Form = (data: unknown) => boolean;

/** An object's keys; one that ends in `?` may be left out. Further keys are taken: another version of the engine may write more. */
type Fields = Readonly<Record<string, Form>>;

const text: Form = (data) => typeof data === 'string';
const number: Form = (data) => typeof data === 'number';
const truth: Form = (data) => typeof data === 'boolean';
const anything: Form = () => true;

const one = (...values: readonly unknown[]): Form => {
  const known = new Set(values);
  return (data) => known.has(data);
};

const either =
  (...forms: readonly Form[]): Form =>
  (data) =>
    forms.some((form) => form(data));

const list =
  (form: Form): Form =>
  (data) =>
    Array.isArray(data) && data.every(form);

function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function object(fields: Fields): Form {
  const keys = Object.entries(fields).map(([name, form]) => ({
    name: name.replace(/\?$/, ''),
    isOptional: name.endsWith('?'),
    form,
  }));
  return (data) =>
    isObject(data) &&
    keys.every(({ name, isOptional, form }) => (Object.hasOwn(data, name) ? form(data[name]) : isOptional));
}

/** Objects by what stands under one key of theirs. */
function union(key: string, forms: Fields): Form {
  return (data) => {
    const kind = isObject(data) && Object.hasOwn(data, key) ? data[key] : undefined;
    return typeof kind === 'string' && Object.hasOwn(forms, kind) && forms[kind]?.(data) === true;
  };
}

const outcome = one(...OUTCOMES);
const asked = either(outcome, one(null));
const value = either(text, number, truth);
const stage = { stage: number, asked: list(text) };
const reason = { code: text, decisive: truth };

const evidence = object({
  fact: text,
  operator: text,
  expected: anything,
  'value?': value,
  'negated?': one(true),
  'other?': object({ fact: text, 'value?': value }),
});

const VERDICT = object({
  outcome,
  reasons: list(
    union('because', {
      fired: object({
        ...{ ...reason, rule: text, outcome: asked, evidence: list(evidence) },
        ...{ 'points?': number, 'message?': text, 'notice?': text },
      }),
      undetermined: object({ ...reason, rule: text, outcome }),
      score: object({ ...reason, outcome }),
      default: object({ ...reason, outcome }),
    }),
  ),
  undetermined: list(
    object({
      rule: text,
      asks: one('review', null),
      missing: list(object({ fact: text, cause: one(...CAUSES, 'error') })),
    }),
  ),
  score: object({ least: number, most: number, band: asked }),
  shadow: list(object({ rule: text, result: one('fires', 'undetermined'), outcome: asked })),
});

const CONTEXT = object({
  clientReference: text,
  language: number,
  signals: object({
    requested: list(text),
    calls: list(
      object({ ...stage, result: one('answered', 'failed', 'unknown'), 'error?': text, 'attempts?': number }),
    ),
    spared: list(object(stage)),
    missing: (data) => isObject(data) && Object.values(data).every(one(...CAUSES)),
    warnings: list(text),
  }),
});

/** Whether data is a verdict. */
export function isVerdict(data: unknown): boolean {
  return VERDICT(data);
}

/** Whether data is what stands around a verdict: the reference, the language of the policy, the signals. */
export function isContext(data: unknown): boolean {
  return CONTEXT(data);
}
