/** What people write in place of keys of the language -> the keys, or what to write instead. */

import type { Synonyms } from '../../../text.ts';
import { OUTCOME_SYNONYMS } from './values.ts';

/** Keys that only the policy's own file has. */
const OWN = { hint: "it belongs in the policy's own file, which names this one under `ruleSets`" };

const SWITCH = {
  hint: 'a rule is active unless its days say otherwise: give it `mode: shadow` to try it without effect, or remove it',
};
const ORDER = {
  hint: 'order makes no difference: the strictest outcome wins, and a rule with `final: true` decides alone',
};
const ELSE = { hint: 'a rule says nothing when its condition is false: write a rule with `not`, or set `default`' };
const NAME = { means: 'id', hint: 'a rule has an `id` in kebab-case, and a `description` for people' };
const NAME_OF_GUARANTEE = {
  means: 'id',
  hint: 'a guarantee has an `id` in kebab-case, and a `description` for people',
};
const TRIAL = { hint: 'write `mode: shadow`' };
const SHARE = { hint: 'a rule holds for every applicant: to try it without effect, write `mode: shadow`' };
const EXCEPTION = { hint: 'write `not: { … }` beside the other tests of `when`' };

const CIRCUMSTANCES: Synonyms = {
  enabled: SWITCH,
  disabled: SWITCH,
  active: SWITCH,
  shadow: TRIAL,
  dryrun: TRIAL,
  sample: SHARE,
  share: SHARE,
  percent: SHARE,
  rollout: SHARE,
  priority: ORDER,
  order: ORDER,
  salience: ORDER,
  rank: ORDER,
  start: 'from',
  validfrom: 'from',
  activefrom: 'from',
  end: 'until',
  to: 'until',
  expires: 'until',
  expiry: 'until',
  validto: 'until',
  validuntil: 'until',
  activeuntil: 'until',
  comment: 'description',
  desc: 'description',
  note: 'description',
  title: 'description',
  tag: 'tags',
  labels: 'tags',
};

/** Keys of what a rule does; of columns too. */
const EFFECT_SYNONYMS: Synonyms = {
  action: 'then',
  outcome: 'then',
  decision: 'then',
  result: 'then',
  verdict: 'then',
  score: 'points',
  weight: 'points',
  point: 'points',
  code: 'reason',
  reasoncode: 'reason',
  msg: 'message',
  text: 'message',
};

const TESTS = { hint: 'a column is a fact, and its cells are the tests' };
const OF_ALL_ROWS = { hint: 'it is a key of the table, for all of its rows' };

/** Columns of tables. */
export const COLUMN_SYNONYMS: Synonyms = {
  ...EFFECT_SYNONYMS,
  when: TESTS,
  if: TESTS,
  condition: TESTS,
  id: { hint: 'the rows have the ids <table>/1, <table>/2 …' },
  final: OF_ALL_ROWS,
  mode: OF_ALL_ROWS,
  from: OF_ALL_ROWS,
  until: OF_ALL_ROWS,
  owner: OF_ALL_ROWS,
  tags: OF_ALL_ROWS,
  whenunknown: OF_ALL_ROWS,
  description: OF_ALL_ROWS,
};

/** Keys of rules. */
export const RULE_SYNONYMS: Synonyms = {
  ...CIRCUMSTANCES,
  ...EFFECT_SYNONYMS,
  name: NAME,
  rule: NAME,
  if: 'when',
  condition: 'when',
  conditions: 'when',
  where: 'when',
  criteria: 'when',
  except: EXCEPTION,
  unless: EXCEPTION,
  exceptions: EXCEPTION,
  else: ELSE,
  otherwise: ELSE,
  stop: { hint: 'a rule that is to decide alone has `final: true`' },
};

/** Keys of tables. */
export const TABLE_SYNONYMS: Synonyms = {
  ...CIRCUMSTANCES,
  name: { means: 'id', hint: 'a table has an `id` in kebab-case, and a `description` for people' },
  table: { means: 'id', hint: 'a table has an `id` in kebab-case, and a `description` for people' },
  hitpolicy: { hint: 'every row that matches fires; with `unique: true`, no two rows may match at once' },
  header: 'columns',
  headers: 'columns',
  cols: 'columns',
  rules: 'rows',
  lines: 'rows',
  file: { means: 'rows', hint: 'write `rows: { file: … }`' },
};

const CLAIM = { hint: 'a guarantee says `never`, `always` or `atLeast`, and an outcome' };

/** Keys of guarantees. */
export const GUARANTEE_SYNONYMS: Synonyms = {
  name: NAME_OF_GUARANTEE,
  guarantee: NAME_OF_GUARANTEE,
  must: 'always',
  mustbe: 'always',
  only: 'always',
  mustnot: 'never',
  not: 'never',
  atmost: { hint: 'name the outcomes above it: `never: reject`' },
  maximum: { hint: 'name the outcomes above it: `never: reject`' },
  score: { hint: 'a guarantee is about outcomes, not about points: `never`, `always` or `atLeast`' },
  points: { hint: 'a guarantee is about outcomes, not about points: `never`, `always` or `atLeast`' },
  minimum: 'atLeast',
  least: 'atLeast',
  then: CLAIM,
  outcome: CLAIM,
  expect: CLAIM,
  if: 'when',
  condition: 'when',
  where: 'when',
  comment: 'description',
  desc: 'description',
  note: 'description',
};

/** Keys of every file of a policy. */
const FILE_SYNONYMS: Synonyms = {
  comment: 'description',
  desc: 'description',
  include: 'ruleSets',
  includes: 'ruleSets',
  import: 'ruleSets',
  imports: 'ruleSets',
  rule: 'rules',
  table: 'tables',
  list: 'lists',
  condition: 'conditions',
  params: 'parameters',
  variables: 'parameters',
  constants: 'parameters',
  velocities: 'velocity',
  counts: 'velocity',
};

/** Keys of rule sets. */
export const RULE_SET_SYNONYMS: Synonyms = {
  ...FILE_SYNONYMS,
  policy: { hint: "remove it with `version` and `default`: the policy's own file has them" },
  version: OWN,
  default: OWN,
  facts: OWN,
  score: OWN,
  stages: OWN,
  whenunknown: OWN,
  guarantees: OWN,
};

/** Keys of policies. */
export const POLICY_SYNONYMS: Synonyms = {
  ...FILE_SYNONYMS,
  name: 'policy',
  id: 'policy',
  title: 'description',
  defaultoutcome: 'default',
  thresholds: 'score',
  bands: 'score',
  fact: 'facts',
  inputs: 'facts',
  guarantee: 'guarantees',
  invariants: 'guarantees',
  properties: 'guarantees',
};

const BELOW_BANDS = { hint: 'leave it out: below its bands the score asks for nothing' };
const AGE = { hint: 'an age is not computed, but tested: `yearsSince: { below: 18 }`' };

/** Keys of `score`. */
export const SCORE_SYNONYMS: Synonyms = { accept: BELOW_BANDS, approve: BELOW_BANDS, ...OUTCOME_SYNONYMS };

/** Computations. */
export const COMPUTATION_SYNONYMS: Synonyms = {
  divide: 'ratio',
  quotient: 'ratio',
  multiply: 'product',
  times: 'product',
  add: 'sum',
  total: 'sum',
  subtract: 'difference',
  minus: 'difference',
  max: 'maximum',
  min: 'minimum',
  yearsbetween: AGE,
  yearssince: AGE,
  age: AGE,
  dayssince: { hint: 'the age of a date is not computed, but tested: `withinLast` or `olderThan`' },
};

/** The identity variables of a stage. */
export const VARIABLE_SYNONYMS: Synonyms = {
  phone: 'phoneNo',
  phonenumber: 'phoneNo',
  mobile: 'phoneNo',
  mail: 'email',
  emailaddress: 'email',
  ipaddress: 'ip',
  context: { hint: 'leave it out: facts of `context` come with the applicant, and are not fetched' },
};

/** Keys of a velocity. */
export const VELOCITY_SYNONYMS: Synonyms = {
  groupby: 'by',
  key: 'by',
  per: { hint: 'write `by` for what they have in common, `within` for how long ago they may be' },
  of: 'count',
  what: 'count',
  distinct: { means: 'count', hint: 'write `count: distinct email`' },
  sum: { means: 'count', hint: 'write `count: sum context.amount`' },
  window: 'within',
  withinlast: 'within',
  timeframe: 'within',
  period: 'within',
  last: 'within',
  interval: 'within',
  filter: 'where',
  when: 'where',
  only: 'where',
  comment: 'description',
};

/** What a velocity counts. */
export const COUNT_SYNONYMS: Synonyms = {
  application: 'applications',
  applicants: 'applications',
  requests: 'applications',
  decisions: 'applications',
  phoneno: 'distinct phoneNo',
  phone: 'distinct phoneNo',
  phones: 'distinct phoneNo',
  email: 'distinct email',
  emails: 'distinct email',
  ip: 'distinct ip',
  ips: 'distinct ip',
  ...{ uniquephoneno: 'distinct phoneNo', uniquephone: 'distinct phoneNo', uniquephones: 'distinct phoneNo' },
  ...{ uniqueemail: 'distinct email', uniqueemails: 'distinct email', uniqueip: 'distinct ip' },
  ...{ uniqueips: 'distinct ip', uniquedomains: 'distinct emailDomain', uniquemailboxes: 'distinct mailbox' },
};

/** Keys of `where`. */
export const WHERE_SYNONYMS: Synonyms = { label: 'disposition', decision: 'outcome', result: 'outcome' };

/** What a velocity is counted by. */
export const VELOCITY_VALUE_SYNONYMS: Synonyms = {
  ...{ phone: 'phoneNo', phonenumber: 'phoneNo', mobile: 'phoneNo', 'applicant.phoneno': 'phoneNo' },
  ...{ mail: 'email', emailaddress: 'email', 'applicant.email': 'email' },
  ...{ ipaddress: 'ip', 'applicant.ip': 'ip' },
  ...{ domain: 'emailDomain', 'applicant.emaildomain': 'emailDomain' },
  ...{ mailboxes: 'mailbox', 'applicant.mailbox': 'mailbox' },
  device: { hint: 'write `context.device`, and declare it under `facts`' },
  subnet: { hint: 'write a network with its bits, like ip/24' },
};

/** What people write for the last day of an entry, in English and German. */
const LAST_DAY: Synonyms = {
  expires: 'until',
  expireson: 'until',
  expiry: 'until',
  expirydate: 'until',
  expiration: 'until',
  expirationdate: 'until',
  validuntil: 'until',
  validtill: 'until',
  validto: 'until',
  till: 'until',
  to: 'until',
  end: 'until',
  ends: 'until',
  enddate: 'until',
  lastday: 'until',
  bis: 'until',
  gültigbis: 'until',
  gueltigbis: 'until',
  ablauf: 'until',
  ablaufdatum: 'until',
};

/** Keys of lists, and of their entries. */
export const LIST_SYNONYMS: Synonyms = { path: 'file', values: 'entries', items: 'entries', comment: 'description' };
export const ENTRY_SYNONYMS: Synonyms = {
  ...LAST_DAY,
  comment: 'note',
  reason: 'note',
  description: 'note',
  entry: 'value',
};

/** Words of columns that end, begin or switch off an entry of a list, in English, German, French and Spanish. */
const IN_FORCE = new Set(
  `active inactive activated deactivated activation activate enable enabled disable disabled status state valid
  invalid deleted delete removed remove archived revoked suspended retired cancelled canceled closed obsolete void
  live current blocked unblocked allowed lifted released expired expire expires expiry expiration until till end ends
  ended ending stop from since start starts started starting begin begins beginning effective validity ttl lifetime
  startdate enddate begindate startson validfrom validto fromdate todate isactive isenabled isdisabled isdeleted
  isvalid deletedat aktiv inaktiv aktiviert deaktiviert gelöscht geloescht entfernt gesperrt gültig gueltig bis ab
  von seit beginn ende gültigab gueltigab actif inactif statut supprimé supprime début debut depuis fin activo
  inactivo estado eliminado desde inicio hasta`.split(/\s+/),
);

/** Words after which such a word says who, why or how: `removed by`, `status note`. */
const ABOUT = new Set(['by', 'reason', 'note', 'notes', 'comment', 'why', 'user']);

/** Whether the name of a column looks as if it said when or whether an entry counts. */
export function meansInForce(name: string): boolean {
  const words = name
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  return words.some((word) => IN_FORCE.has(word)) && !words.some((word) => ABOUT.has(word));
}

/** Columns of lists in CSV. A column with a meaning of its own, such as a comment, is ignored like any other. */
export const LIST_COLUMN_SYNONYMS: Synonyms = { ...LAST_DAY, entry: 'value', entries: 'value' };
