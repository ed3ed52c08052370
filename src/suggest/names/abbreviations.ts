/** TABLE: abbreviations with one meaning -> the whole word. */

import { indexWords } from './word-list.ts';

const ABBREVIATIONS = {
  account: 'acct',
  activity: 'actv, actvty, actvy',
  address: 'addr, adr',
  behaviour: 'bhv, bhvr, behav',
  breach: 'brch',
  count: 'cnt, ct',
  country: 'ctry, cntry',
  current: 'curr, cur, crnt, crt',
  date: 'dt, dte',
  device: 'dev, dvc',
  domain: 'dom, dmn',
  email: 'em, eml',
  first: 'fst, frst',
  fraud: 'frd',
  history: 'hist, hst',
  last: 'lst',
  latest: 'ltst',
  level: 'lvl, lev, levl',
  location: 'loc, locn',
  mobile: 'mob, mbl',
  network: 'ntwk, nw, ntw, netw',
  name: 'nm',
  number: 'nb, nbr, num, nr, nmbr',
  operator: 'opr, oper, optr',
  original: 'orig, orgnl, orgl',
  phone: 'ph, phn, phne, fone',
  ported: 'prtd',
  porting: 'prtg',
  previous: 'prev, prv',
  provider: 'prov, prvdr',
  rating: 'rtg, rtng',
  registered: 'regd',
  report: 'rpt, rprt',
  result: 'rslt',
  risk: 'rsk',
  score: 'scr',
  service: 'svc, srv, serv, srvc',
  status: 'sts, stts, stat, stus',
  telephone: 'tel',
  tumbling: 'tumb, tmbl, tumbl, tmblg',
  type: 'typ, tp',
};

const WHOLE_WORD_OF: ReadonlyMap<string, string> = indexWords(ABBREVIATIONS);

/** The whole word of an abbreviation, plural or not; any other word as it is. */
export function wholeWord(word: string): string {
  return WHOLE_WORD_OF.get(word) ?? WHOLE_WORD_OF.get(word.replace(/(?<=..)s$/, '')) ?? word;
}
