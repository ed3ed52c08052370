/** Which status vouches for a fact, and which statuses of an answer a mapping does not look at. */

import { describe, expect, it, test } from 'vitest';
import { loadMapping } from '../../../src/facts/mapping/mapping.ts';
import { findGaps, vouchersOf } from '../../../src/facts/mapping/status-gaps.ts';
import { suggestMapping } from '../../../src/lab/suggest/suggest.ts';
import { mappingOf } from '../../support/facts/mapping-file.ts';
import { readSample } from '../../support/facts/shape-1.ts';
import { FACTS_OF, foreignAnswer, LOOKS } from '../../support/lab/suggest/foreign-shapes.ts';
import { sampled } from '../../support/sampled.ts';

/** `code: facts` of each gap. */
function gapsOf(yaml: string, answer: unknown): readonly string[] {
  return findGaps(answer, mappingOf(yaml)).map(({ code, facts }) => `${code}: ${facts.join(', ')}`);
}

describe.each(LOOKS.filter((_, index) => index % sampled(7, 1) === 0))('$shape, with $status', (look) => {
  const answer = foreignAnswer(look);
  const proposed = suggestMapping([answer]);

  it('a proposed mapping looks at every status', () => {
    expect(findGaps(answer, mappingOf(proposed))).toEqual([]);
  });

  it('without its sources, each fact is one that no source vouches for', () => {
    const without = mappingOf(proposed.replace(/\nsources:\n.*?\n\nsignals/s, '\n\nsignals'));
    const unread = findGaps(answer, without).flatMap(({ code, facts }) => (code === 'unread-status' ? facts : []));
    expect(unread).toEqual(
      expect.arrayContaining(
        Object.values(FACTS_OF)
          .flat()
          .filter((path) => without.signals.has(path)),
      ),
    );
  });
});

const SECTIONS = { phone: { status: 'ok', score: 1 }, email: { status: 'ok', score: 2, darkWeb: { hits: 0 } } };
const SIGNALS =
  'signals: { phone.score: phone.score, email.address.score: email.score, email.darkWeb.hitCount: email.darkWeb.hits }\n';
const source = (name: string, signals: string) =>
  `  ${name}: { at: ${name}.status, answered: [ok], signals: [${signals}] }\n`;

describe('a part whose status no source looks at', () => {
  it('is reported with the signals that are read from it', () => {
    expect(gapsOf(SIGNALS, SECTIONS)).toEqual([
      'unread-status: phone.score',
      'unread-status: email.address.score, email.darkWeb.hitCount',
    ]);
    expect(gapsOf(`sources:\n${source('phone', 'phone.*')}${SIGNALS}`, SECTIONS)).toHaveLength(1);
  });

  it('is reported for the signals alone that its source does not name', () => {
    const sources = `sources:\n${source('phone', 'phone.*')}${source('email', 'email.address.*')}`;
    expect(gapsOf(sources + SIGNALS, SECTIONS)).toEqual(['unread-status: email.darkWeb.hitCount']);
  });

  it('is not one that holds everything, if the answer has a status', () => {
    const answer = { outcome: 'OK', body: { status: 'OK', phone: { score: 1 } } };
    const signals = 'signals: { phone.score: body.phone.score }\n';
    expect(gapsOf(signals, answer)).toHaveLength(2);
    expect(gapsOf(`answer: { at: outcome, answered: [OK] }\n${signals}`, answer)).toEqual([]);
  });

  it('is not an event of a history, nor one whose status is a fact', () => {
    const answer = { phone: { status: 'unavailable', ports: [{ on: '2019-03-14', status: 'completed' }] } };
    const signals = 'phone.status: phone.status, phone.porting.portedDate: { at: "phone.ports[*].on", take: latest }';
    expect(gapsOf(`signals: { ${signals} }`, answer)).toEqual([]);
  });

  it('is named without what may be personal', () => {
    const answer = { '+1 202 555 0102': { status: 'ok', score: 1 } };
    const [gap] = findGaps(answer, mappingOf(`signals: { phone.score: '$["+1 202 555 0102"].score' }`));
    expect(gap?.message).toMatch(/^phone\.score is read from /);
    expect(gap?.message).not.toMatch(/0102|555/);
  });
});

describe('a source that covers signals of another part', () => {
  it('is reported with these signals', () => {
    const sources = `sources:\n${source('phone', 'phone.*, email.darkWeb.*')}${source('email', 'email.*')}`;
    expect(gapsOf(sources + SIGNALS, SECTIONS)).toEqual(['source-elsewhere: email.darkWeb.hitCount']);
  });

  it('is not one of a part further in', () => {
    const answer = { email: { status: 'ok', score: 2, darkWeb: { state: 'ok', hits: 0 } } };
    const signals = 'signals: { email.address.score: email.score, email.darkWeb.hitCount: email.darkWeb.hits }\n';
    const darkWeb = '  darkWeb: { at: email.darkWeb.state, answered: [ok], signals: [email.darkWeb.*] }\n';
    expect(gapsOf(`sources:\n${source('email', 'email.*')}${darkWeb}${signals}`, answer)).toEqual([]);
  });
});

test('the shipped mapping has no gap, and its facts are vouched for by the service and their source', () => {
  const shipped = loadMapping();
  for (const name of ['shape-1', 'shape-1-failed']) expect(findGaps(readSample(name), shipped)).toEqual([]);
  expect(vouchersOf('email.darkWeb.hitCount', shipped)).toEqual(['service', 'darkWeb']);
  expect(vouchersOf('ip.country', shipped)).toEqual(['service', 'ip']);
  expect(vouchersOf('phone.score', mappingOf('answer: { at: a, answered: [ok] }\nsignals: {}'))).toEqual(['answer']);
  expect(vouchersOf('phone.score', mappingOf('signals: {}'))).toEqual([]);
});
