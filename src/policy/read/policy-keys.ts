/** The keys of a policy and of a rule set: one row a key. */

import type { FactTable } from '../../facts/catalog.ts';
import { declarationsSchema } from '../../facts/declare-schema.ts';
import { refer, TEXT } from '../../facts/json-schema.ts';
import { reportAt } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import {
  readFields,
  readInteger,
  readItems,
  readList,
  readLists,
  readMap,
  readOneOf,
} from '../../platform/yaml-fields.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../../signals/variables.ts';
import { type Notice, OUTCOMES, type ScoreBands, WHEN_UNKNOWN } from '../language.ts';
import { NAME, OWN_PATH } from './form.ts';
import {
  DESCRIPTION,
  formKey,
  type Key,
  type KeyTable,
  key,
  keySetOf,
  mapSchema,
  oneOfKey,
  readValues,
  required,
  textKey,
} from './key.ts';
import { noticeKey } from './notice.ts';
import { readOwnFacts } from './own-facts.ts';
import { OUTCOME_SLIPS } from './slips/values.ts';
import type { UnresolvedNames } from './unresolved-names.ts';
import { orParameter, parametersSchema } from './values/parameter-schema.ts';
import type { Parameters } from './values/parameters.ts';

/** What the keys of a policy are read with. */
export interface PolicyContext {
  readonly unresolved: UnresolvedNames;
  /** The facts that the mapping declares. */
  readonly mapped: FactTable;
  /** The parameters of all files. */
  readonly parameters: Parameters;
}

const mapOf = (node: Yaml, what: string) => readMap(node, what);
const textsOf = (node: Yaml, what: string) => readList(node, what);
/** A text can be no item. */
const mapsOf = (node: Yaml, what: string) => readList(node, what, node.kind === 'scalar' ? {} : undefined);

/** The keys of every file of a policy. Their items are read once all files have been gathered. */
export const RULE_SET_KEYS = {
  parameters: key(
    'Values by name: $name is the value. A policy may set the parameters of its rule sets anew.',
    parametersSchema,
    mapOf,
    ['parameter'],
  ),
  conditions: key('Conditions by name, to be used in several places.', namedSchema('condition'), mapOf, ['condition']),
  lists: key('Lists of texts by name, for inList, notInList and inDomainList.', namedSchema('list'), mapOf, ['list']),
  ruleSets: key('Further files with rules. Paths are relative to this file.', { type: 'array', items: TEXT }, textsOf, [
    'condition',
    'list',
    'parameter',
  ]),
  rules: key('The rules of this file.', { type: 'array', items: refer('rule') }, mapsOf),
  tables: key('Tables of rules, each row a rule.', { type: 'array', items: refer('table') }, mapsOf),
} satisfies KeyTable<unknown>;

const SCORE_KEYS = {
  review: bandKey('The score from which review is asked for.'),
  reject: bandKey('The score from which reject is asked for; more than for review.'),
  notice: noticeKey('What the applicant may be told if the score is a reason: a text, or one for each language.'),
} satisfies KeyTable<PolicyContext>;

/** The keys of `score` of which it needs one. */
const BANDS = ['review', 'reject'] as const satisfies readonly (keyof typeof SCORE_KEYS)[];

/** The keys that only the policy's own file has. They are read once all files have been gathered. */
export const OWN_KEYS = {
  policy: required(formKey('The name of the policy.', NAME)),
  version: required(textKey('The version that decisions record, in quotes.')),
  description: DESCRIPTION,
  default: required(oneOfKey('The outcome if no rule asks for one.', OUTCOMES, OUTCOME_SLIPS)),
  defaultNotice: noticeKey('What the applicant may be told if the default decides: a text, or one for each language.'),
  whenUnknown: oneOfKey(
    'What a rule asks for if its condition is unknown: review, or ignore for nothing. By default review.',
    WHEN_UNKNOWN,
  ),
  facts: key(
    'Facts of your own: context.… is given with the applicant, identity.… by a further service.',
    declarationsSchema(OWN_PATH.schema, { canCompute: true }),
    (node, _, context: PolicyContext) => readOwnFacts(node, context),
    ['fact'],
  ),
  score: key(
    'The score is the sum of the points of all rules that fire; here are the limits from which it asks for an outcome.',
    (names) => ({ ...mapSchema(SCORE_KEYS, names), anyOf: BANDS.map((band) => ({ required: [band] })) }),
    readScore,
  ),
  stages: key(
    'What to ask the service for, call by call, cheapest first. A call that can change nothing is skipped.',
    {
      type: 'array',
      minItems: 1,
      items: {
        description: 'The identity variables of one call; phoneNo is one of them.',
        type: 'array',
        uniqueItems: true,
        items: { type: 'string', enum: IDENTITY_VARIABLES },
        contains: { const: 'phoneNo' },
      },
    },
    readStages,
  ),
  guarantees: key(
    'What decisions have to keep to. It changes none of them: `verdict prove` proves it, or shows who breaks it.',
    { type: 'array', items: refer('guarantee') },
    mapsOf,
  ),
} satisfies KeyTable<PolicyContext>;

/** The keys of a policy's own file. */
export const POLICY_KEYS = { ...OWN_KEYS, ...RULE_SET_KEYS } satisfies KeyTable<PolicyContext>;

function namedSchema(definition: string) {
  return { type: 'object', minProperties: 1, propertyNames: NAME.schema, additionalProperties: refer(definition) };
}

function bandKey(description: string): Key<number, PolicyContext> {
  return key(description, orParameter({ type: 'integer' }), (node, what, { parameters }) => {
    const band = parameters.resolve(node);
    return band && readInteger(band, what);
  });
}

/** Reads the identity variables to ask for, call by call; each call needs the phone number. */
function readStages(node: Yaml): readonly (readonly IdentityVariable[])[] | undefined {
  return readLists(node, '`stages`')?.map((item) => {
    const stage: IdentityVariable[] = [];
    const entries = readItems(item, 'a stage');
    let isSound = entries !== undefined;
    for (const entry of entries ?? []) {
      const variable = readOneOf(entry, 'an entry of a stage', IDENTITY_VARIABLES);
      if (variable === undefined) isSound = false;
      else if (stage.includes(variable))
        reportAt(entry, 'duplicate-name', `"${variable}" is listed twice in this stage`);
      else stage.push(variable);
    }
    // An entry that could not be read may be a misspelt phoneNo.
    if (isSound && !stage.includes('phoneNo')) {
      reportAt(item, 'wrong-value', 'found a stage without phoneNo; the service needs it in every call');
    }
    return stage;
  });
}

function readScore(
  node: Yaml,
  _: string,
  context: PolicyContext,
): (ScoreBands & { readonly notice: Notice | undefined }) | undefined {
  const fields = readFields(node, '`score`', keySetOf(SCORE_KEYS));
  if (!fields) return undefined;
  const { review, reject, notice } = readValues(fields, SCORE_KEYS, context);
  if (fields.size > 0 && !BANDS.some((band) => fields.isMeant(band))) {
    reportAt(node, 'missing-key', '`score` needs "review", "reject" or both');
  }
  if (review !== undefined && reject !== undefined && review >= reject) {
    const message = `review from ${review}, reject from ${reject}; the review band must be below the reject band`;
    reportAt(node, 'score-bands', message);
  }
  return { review, reject, notice };
}
