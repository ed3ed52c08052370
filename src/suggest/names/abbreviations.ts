/** TABLE: words that are shortened in so few ways, and mean so much one thing, that they are read as the whole word. */

const WHOLE_WORDS: Readonly<Record<string, string>> = {
  account: 'acct',
  activity: 'actv actvty actvy',
  address: 'addr adr',
  behaviour: 'bhv bhvr behav',
  breach: 'brch',
  count: 'cnt ct',
  country: 'ctry cntry',
  current: 'curr cur crnt crt',
  date: 'dt dte',
  device: 'dev dvc',
  domain: 'dom dmn',
  email: 'em eml',
  first: 'fst frst',
  fraud: 'frd',
  history: 'hist hst',
  last: 'lst',
  latest: 'ltst',
  level: 'lvl lev levl',
  location: 'loc locn',
  mobile: 'mob mbl',
  network: 'ntwk nw ntw netw',
  name: 'nm',
  number: 'nb nbr num nr nmbr',
  operator: 'opr oper optr',
  original: 'orig orgnl orgl',
  phone: 'ph phn phne fone',
  ported: 'prtd',
  porting: 'prtg',
  previous: 'prev prv',
  provider: 'prov prvdr',
  rating: 'rtg rtng',
  registered: 'regd',
  report: 'rpt rprt',
  result: 'rslt',
  risk: 'rsk',
  score: 'scr',
  service: 'svc srv serv srvc',
  status: 'sts stts stat stus',
  telephone: 'tel',
  tumbling: 'tumb tmbl tumbl tmblg',
  type: 'typ tp',
};

const BY_SHORT_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(WHOLE_WORDS).flatMap(([whole, shorts]) => shorts.split(' ').map((short) => [short, whole] as const)),
);

/** The whole word, also of a plural, or the same. */
export function wholeWord(word: string): string {
  return BY_SHORT_WORD.get(word) ?? BY_SHORT_WORD.get(word.replace(/(?<=..)s$/, '')) ?? word;
}
