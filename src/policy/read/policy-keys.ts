/** The keys of a policy and of a rule set: one row a key. */

import {
  CATALOG_TABLE,
  type Computation,
  type FactDefinition,
  type FactTable,
  type Operand,
  rangeWords,
} from '../../facts/catalog.ts';
import { COMPUTATION_NAMES, COMPUTATIONS, factsAmong } from '../../facts/compute.ts';
import { timeZoneNamed } from '../../facts/day.ts';
import { isSameFact, readDeclaredFacts } from '../../facts/declare.ts';
import { declarationsSchema, refer, TEXT } from '../../facts/json-schema.ts';
import { reportAt } from '../../platform/files/source.ts';
import { listOfNamedMeantBy, listOfValuesMeantBy } from '../../platform/syntax/shapes.ts';
import type { Yaml } from '../../platform/yaml.ts';
import {
  readFields,
  readInteger,
  readItems,
  readList,
  readLists,
  readMap,
  readNumber,
  readOneOf,
  readText,
} from '../../platform/yaml-fields.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../../signals/variables.ts';
import { count } from '../../text.ts';
import { isPersonal } from '../identities.ts';
import { type Notice, OUTCOMES, type ScoreBands, WHEN_UNKNOWN } from '../language.ts';
import { withArticle } from './conditions/condition.ts';
import { type Form, NAME, OWN_PATH, VELOCITY_NAME } from './form.ts';
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
  type SchemaNames,
  textKey,
  type UnresolvedNames,
} from './key.ts';
import { noticeKey } from './message.ts';
import { unknownFact } from './mistakes/facts.ts';
import { COMPUTATION_SYNONYMS, SCORE_SYNONYMS, VARIABLE_SYNONYMS } from './mistakes/keys.ts';
import { OUTCOME_SYNONYMS, WHEN_UNKNOWN_SYNONYMS } from './mistakes/values.ts';
import { orParameter, type Parameters, parametersSchema } from './values/parameters.ts';

/** What the keys of a policy are read with. */
export interface PolicyContext {
  readonly unresolved: UnresolvedNames;
  /** The facts that the mapping declares. */
  readonly mapped: FactTable;
  /** The velocities of all files. */
  readonly velocities: FactTable;
  /** The parameters of all files. */
  readonly parameters: Parameters;
}

const mapOf = (node: Yaml, what: string) => readMap(node, what);
const textsOf = (node: Yaml, what: string) => readList(node, what, listOfValuesMeantBy(node));
/** A text can be no item. */
const mapsOf = (node: Yaml, what: string) =>
  readList(node, what, node.kind === 'scalar' ? {} : listOfNamedMeantBy(node));

/** The keys of every file of a policy. Their items are read once all files have been gathered. */
export const RULE_SET_KEYS = {
  velocity: key(
    'What is counted of earlier applications, by name: the facts velocity.NAME, which need a store.',
    namedSchema('velocity', VELOCITY_NAME),
    mapOf,
    ['velocity'],
  ),
  parameters: key(
    'Values by name: $name is the value. A policy may override the parameters of its rule sets.',
    parametersSchema,
    mapOf,
    ['parameter'],
  ),
  conditions: key('Conditions by name, to be used in several places.', namedSchema('condition'), mapOf, ['condition']),
  lists: key('Lists of texts by name, for inList, notInList and inDomainList.', namedSchema('list'), mapOf, ['list']),
  ruleSets: key('Further files with rules. Paths are relative to this file.', { type: 'array', items: TEXT }, textsOf, [
    'velocity',
    'condition',
    'list',
    'parameter',
  ]),
  rules: key('The rules of this file.', { type: 'array', items: refer('rule') }, mapsOf),
  tables: key('Tables of rules, each row a rule.', { type: 'array', items: refer('table') }, mapsOf),
} satisfies KeyTable<unknown>;

const BAND_KEYS = {
  atLeast: required(limitKey('The score from which the band begins.')),
  notice: noticeKey('What the applicant may be told if this band decides: a text, or one for each language.'),
} satisfies KeyTable<PolicyContext>;

const SCORE_KEYS = {
  review: bandKey('The score from which review is asked for.'),
  reject: bandKey('The score from which reject is asked for; more than for review.'),
  notice: noticeKey(
    'What the applicant may be told if the score is a reason, beside one band: a text, or one for each language.',
  ),
} satisfies KeyTable<PolicyContext>;

/** The keys of `score`; it needs one of them. */
const BANDS = ['review', 'reject'] as const satisfies readonly (keyof typeof SCORE_KEYS)[];

/** The keys that only the policy's own file has. They are read once all files have been gathered. */
export const OWN_KEYS = {
  policy: required(formKey('The name of the policy.', NAME)),
  version: required(textKey('The version that decisions record, in quotes.')),
  description: DESCRIPTION,
  default: required(oneOfKey('The outcome if no rule asks for one.', OUTCOMES, OUTCOME_SYNONYMS)),
  defaultNotice: noticeKey('What the applicant may be told if the default decides: a text, or one for each language.'),
  whenUnknown: oneOfKey(
    'What a rule asks for if its condition is unknown: review, or ignore for nothing. By default review.',
    WHEN_UNKNOWN,
    WHEN_UNKNOWN_SYNONYMS,
  ),
  timeZone: key(
    'The time zone that decides which day it is, for ages, active days and ends of entries. By default UTC.',
    { type: 'string', examples: ['America/New_York'] },
    readTimeZone,
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
    'What every decision must keep to. It changes none: `verdict prove` proves it, or shows who breaks it.',
    { type: 'array', items: refer('guarantee') },
    mapsOf,
  ),
} satisfies KeyTable<PolicyContext>;

/** The keys of a policy's own file. */
export const POLICY_KEYS = { ...OWN_KEYS, ...RULE_SET_KEYS } satisfies KeyTable<PolicyContext>;

function namedSchema(definition: string, { schema }: Form = NAME) {
  return { type: 'object', minProperties: 1, propertyNames: schema, additionalProperties: refer(definition) };
}

function limitKey(description: string): Key<number, PolicyContext> {
  return key(description, orParameter({ type: 'integer' }), (node, what, { parameters }) => {
    const limit = parameters.resolve(node);
    const [least] = limit?.kind === 'list' ? limit.items : [limit];
    const [number] = (least?.kind === 'scalar' && /^\d+(?=$|\s*[-–.])/.exec(least.written)) || [];
    const isRange = limit?.kind === 'list' || (limit?.kind === 'scalar' && typeof limit.value === 'string');
    const answer = isRange && number ? { hint: `write the score from which it begins: ${number}` } : undefined;
    return limit && readInteger(limit, what, answer);
  });
}

/** A band of the score, with a notice of its own or not. */
interface ReadBand {
  readonly atLeast: number | undefined;
  readonly notice: Notice | undefined;
}

/** `review: 40`, or `review: { atLeast: 40, notice: … }`. */
function bandKey(description: string): Key<ReadBand, PolicyContext> {
  const schema = (names: SchemaNames) => ({ anyOf: [orParameter({ type: 'integer' }), mapSchema(BAND_KEYS, names)] });
  return key(description, schema, (node, what, context: PolicyContext) => {
    if (node.kind !== 'map') return { atLeast: BAND_KEYS.atLeast.read(node, what, context), notice: undefined };
    const fields = readFields(node, what, keySetOf(BAND_KEYS));
    return fields && readValues(fields, BAND_KEYS, context);
  });
}

function readTimeZone(node: Yaml): string | undefined {
  const text = readText(node, '`timeZone`');
  const name = text === undefined ? undefined : timeZoneNamed(text);
  if (text === undefined || name === text) return text;
  const known = Intl.supportedValuesOf('timeZone');
  const city = text.trim().replaceAll(/\s+/g, '_').toLowerCase();
  const meant = name ?? known.find((zone) => zone.toLowerCase().endsWith(`/${city}`));
  const message = `found ${JSON.stringify(text)}; expected the IANA name of a time zone, such as America/New_York`;
  const help = meant === undefined ? { unknown: { word: text, known } } : { hint: `write ${meant}` };
  reportAt(node, 'wrong-value', message, help);
  return undefined;
}

/** Reads the identity variables to ask for, call by call; each call needs the phone number. */
function readStages(node: Yaml): readonly (readonly IdentityVariable[])[] | undefined {
  return readLists(node, '`stages`')?.map((item) => {
    const stage: IdentityVariable[] = [];
    const entries = readItems(item, 'a stage');
    let isSound = entries !== undefined;
    for (const entry of entries ?? []) {
      const variable = readOneOf(entry, 'an entry of a stage', IDENTITY_VARIABLES, { synonyms: VARIABLE_SYNONYMS });
      if (variable === undefined) isSound = false;
      else if (stage.includes(variable))
        reportAt(entry, 'duplicate-name', `"${variable}" is listed twice in this stage`);
      else stage.push(variable);
    }
    // An entry that could not be read may be a misspelt phoneNo.
    if (isSound && !stage.includes('phoneNo')) {
      const hint = `write \`[${['phoneNo', ...stage].join(', ')}]\``;
      reportAt(item, 'wrong-value', 'found a stage without phoneNo; the service needs it in every call', { hint });
    }
    return stage;
  });
}

function readScore(
  node: Yaml,
  _: string,
  context: PolicyContext,
): Readonly<Record<keyof ScoreBands, ReadBand | undefined>> | undefined {
  const isNumber = node.kind === 'scalar' && typeof node.value === 'number';
  const answer = isNumber
    ? { hint: `say from where which outcome is asked for: \`{ review: ${node.written} }\`` }
    : undefined;
  const fields = readFields(node, '`score`', keySetOf(SCORE_KEYS, { synonyms: SCORE_SYNONYMS }), answer);
  if (!fields) return undefined;
  const { review, reject, notice } = readValues(fields, SCORE_KEYS, context);
  if (fields.size > 0 && !BANDS.some((band) => fields.isMeant(band))) {
    reportAt(node, 'missing-key', '`score` needs "review", "reject" or both');
  }
  const [from, above] = [review?.atLeast, reject?.atLeast];
  if (from !== undefined && above !== undefined && from >= above) {
    const message = `review from ${from}, reject from ${above}; the review band must be below the reject band`;
    reportAt(node, 'score-bands', message);
  }
  if (notice === undefined) return { review, reject };
  const given = fields.get('notice')?.value ?? node;
  if (review && reject) {
    const hint = `write it to the band that it is for: review: { atLeast: ${from ?? 40}, notice: … }`;
    reportAt(given, 'wrong-value', 'one notice beside two bands of the score: who is rejected would read it too', {
      hint,
    });
  }
  if (review?.notice ?? reject?.notice) {
    reportAt(given, 'wrong-value', 'a notice beside a band that has one', { hint: 'leave one of them out' });
  }
  return { review: review && { ...review, notice }, reject: reject && { ...reject, notice } };
}

/** The facts of `facts:`, by path. A fact of the mapping may be declared again in the same way. */
function readOwnFacts(
  node: Yaml,
  { unresolved, mapped, velocities, parameters }: PolicyContext,
): Map<string, FactDefinition> {
  const declared = readDeclaredFacts(node, {
    path: OWN_PATH.pattern,
    canCompute: true,
    hint: `write ${OWN_PATH.words}`,
    onUnread: (path) => (path === undefined ? unresolved.addKinds('fact') : unresolved.addName('fact', path)),
  });
  const given = [...declared].filter(([, { compute }]) => compute === undefined);
  const facts = new Map(given.map(([path, { definition }]) => [path, definition]));
  const scope: OperandScope = {
    facts: new Map([...CATALOG_TABLE, ...mapped, ...velocities, ...facts]),
    computed: new Set([...declared.keys()].filter((path) => !facts.has(path))),
    ...{ unresolved, parameters },
  };
  for (const [path, { key, definition: base, compute: node }] of declared) {
    const compute = node && readComputation(node, path, scope);
    // INVARIANT: computed facts come after all others, so after their operands.
    const definition = compute ? computedFact(base, compute, scope.facts) : base;
    facts.set(path, definition);
    const other = mapped.get(path);
    if (!other || isSameFact(definition, other)) continue;
    reportAt(key, 'duplicate-name', `the mapping declares ${path} differently: ${describe(other)}`, {
      hint: 'remove it here, or make the two declarations equal',
    });
  }
  return facts;
}

/** It is personal if an operand is. */
function computedFact(base: FactDefinition, compute: Computation, facts: FactTable): FactDefinition {
  const inputs = factsAmong(compute.operands);
  const personal = base.personal || inputs.some((path) => isPersonal(path, facts));
  return { ...base, origin: 'derived', inputs, compute, ...(personal ? { personal: true } : {}) };
}

function describe({ type, format, values, range, past, personal }: FactDefinition): string {
  const about = [format && `format ${format}`, values && `values ${values.join(', ')}`, range && rangeWords(range)];
  const parts = [`type ${type}`, ...about, past && 'past', personal && 'personal'];
  return parts.filter(Boolean).join('; ');
}

/** What operands can name. */
interface OperandScope {
  /** All facts but the computed ones. */
  readonly facts: FactTable;
  /** The paths of the computed facts. */
  readonly computed: ReadonlySet<string>;
  readonly unresolved: UnresolvedNames;
  readonly parameters: Parameters;
}

/** Reads `{ ratio: [context.creditLimit, context.income] }`, the computation of the fact `path`. */
function readComputation(node: Yaml, path: string, scope: OperandScope): Computation | undefined {
  const keys = { optional: COMPUTATION_NAMES, synonyms: COMPUTATION_SYNONYMS };
  const fields = readFields(node, `the computation of ${path}`, keys, formulaMeant(node));
  const [found, ...others] = COMPUTATION_NAMES.filter((name) => fields?.has(name));
  const entry = found && fields?.get(found);
  if (!found || !entry) return undefined;
  if (others.length > 0) {
    const message = `found ${[found, ...others].join(' and ')}; a fact has one computation`;
    return reportAt(node, 'wrong-value', message, { hint: 'declare a fact for each' });
  }
  const items = readItems(entry.value, `\`${found}\``);
  if (!items) return undefined;
  const [least, most] = COMPUTATIONS[found].operands;
  if (items.length < least || items.length > most) {
    const expected = least === most ? `exactly ${least}` : `from ${least} to ${most}`;
    const message = `found ${count(items.length, 'operand')}; \`${found}\` must have ${expected}`;
    return reportAt(entry.value, 'wrong-value', message);
  }
  const operands = items.map((item) => readOperand(item, found, scope));
  if (!operands.every((operand) => operand !== undefined)) return undefined;
  if (operands.some((operand) => typeof operand !== 'number')) return { name: found, operands };
  const message = 'found numbers alone; at least one operand must be a fact';
  return reportAt(entry.value, 'wrong-value', message);
}

/** The computation that each sign of a formula means. */
const SIGNS: Readonly<Record<string, Computation['name']>> = {
  ...{ '/': 'ratio', '*': 'product', '+': 'sum', '-': 'difference' },
};

/** `context.debts / context.income` as its computation. */
function formulaMeant(node: Yaml): { readonly hint: string } | undefined {
  const formula = node.kind === 'scalar' ? /^([\w.]+)\s*([*/+-])\s*([\w.]+)$/.exec(node.written) : null;
  const [, first, sign = '', second] = formula ?? [];
  return formula ? { hint: `write \`{ ${SIGNS[sign]}: [${first}, ${second}] }\`` } : undefined;
}

/** A fact by its path; where numbers are computed, a number or a parameter too. */
function readOperand(written: Yaml, name: Computation['name'], scope: OperandScope): Operand | undefined {
  const { types } = COMPUTATIONS[name];
  const isOfDates = types.includes('date');
  const node = scope.parameters.resolve(written);
  if (!node) return undefined;
  const text = node === written && node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
  if (text === undefined) {
    const answer =
      node.kind === 'map' ? { hint: 'computations do not nest: an operand is a fact or a number' } : undefined;
    if (!isOfDates) return readNumber(node, `an operand of \`${name}\` that is not the path of a fact`, answer);
    return reportAt(written, 'wrong-type', `an operand of \`${name}\` must be the path of a date`);
  }
  const { facts, computed, unresolved } = scope;
  if (computed.has(text)) {
    return reportAt(node, 'fact-types', `${text} is computed itself, so it cannot be an operand`, {
      hint: 'name the facts that it is computed from',
    });
  }
  const definition = facts.get(text);
  if (!definition) {
    if (unresolved.mayInclude('fact', text)) return undefined;
    if (/^(today|now)$/i.test(text)) {
      const hint = 'how long ago a date is, a rule tests: `withinLast`, `olderThan` or `yearsSince`';
      return reportAt(node, 'unknown-fact', `there is no fact "${text}"`, { hint });
    }
    const fitting = new Map([...facts].filter(([, { type }]) => types.includes(type)));
    return reportAt(node, 'unknown-fact', `there is no fact "${text}"`, unknownFact(text, fitting));
  }
  if (types.includes(definition.type)) return { fact: text };
  const expected = isOfDates ? 'dates' : 'numbers and integers';
  const message = `${text} is ${withArticle(definition.type)}; \`${name}\` computes with ${expected}`;
  const isDate = name === 'difference' && definition.type === 'date';
  const hint = isDate ? 'for two dates write `daysBetween: [earlier, later]`' : undefined;
  return reportAt(node, 'fact-types', message, { hint });
}
