import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFiles } from '../../../src/policy/check/check-files.ts';
import { fixFiles, fixOnce } from '../../../src/policy/check/fix-files.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const MISTAKE = `${HEAD}rules:\n  - { id: a, when: { phone.score: { above: 1 } }, then: Review } # kept\n`;
const RIGHT = MISTAKE.replace('Review', 'review');

describe('fixing files', () => {
  it('fixes policies, rule sets, list files and CSV files, and leaves the rest of them as it is', () => {
    const rules = [
      '{ id: a, when: { phone.risk_level: { "at-least": High } }, then: reject }',
      '{ id: b, when: { ip.country: { inList: countries } }, then: reject }',
      "{ id: c, when: { phone.country: 'UK' }, then: reject }",
      '{ id: d, when: { applicant.emailDomain: { inDomainList: domains } }, then: reject }',
    ];
    const folder = temporaryFolder({
      'a.yaml': `\ufeff${HEAD.replace('accept', 'Accept')}# ours\r\nlists:\n  countries: { file: n.txt }\n  domains: { file: d.csv }\nruleSets: [r.yaml]\n`,
      'r.yaml': `rules:\n${rules.map((rule) => `  - ${rule}\n`).join('')}tables:\n  - id: t\n    rows: { file: t.csv }\n`,
      'n.txt': '# countries\nUK   # the first\nFR\n',
      'd.csv': 'note,value\r\n"a, b","*.spam.example"\r\nc,@foo.example\r\n',
      't.csv':
        'phone.score,phone.riskLevel,phone.country,then\n"{ ""at-least"": 5, below: 50 }","{ is: ""very low"" }",DE;FR,Review\n',
    });
    const { diagnostics, fixed } = fixFiles([folder], {});
    expect(diagnostics).toEqual([]);
    expect(fixed).toHaveLength(12);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(read('a.yaml')).toMatch(/^\ufeffpolicy: test\n[\s\S]*# ours\r\n/);
    expect(read('r.yaml')).toContain('{ phone.riskLevel: { "atLeast": high } }');
    expect(read('r.yaml')).toContain("{ phone.country: 'GB' }");
    expect(read('n.txt')).toBe('# countries\nGB   # the first\nFR\n');
    expect(read('d.csv')).toBe('note,value\r\n"a, b","spam.example"\r\nc,foo.example\r\n');
    expect(read('t.csv')).toContain('"{ ""atLeast"": 5, below: 50 }","{ is: ""veryLow"" }","[DE, FR]",review\n');
  });

  it('fixes no guess: a misspelt word is left to somebody who knows what was meant', () => {
    const folder = temporaryFolder({ 'a.yaml': RIGHT.replace('phone.score', 'phone.scor') });
    const { diagnostics, fixed } = fixFiles([folder], {});
    expect(fixed).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: 'unknown-fact', hint: 'did you mean "phone.score"?' }]);
  });

  it('fixes nothing that may be meant in two ways: an address for a domain, a list for a text or in a list', () => {
    const lists = 'lists: { fraudsters: [x.miller@gmail.com], isps: [[acme hosting, solent]] }\n';
    const rules = [
      '{ id: a, when: { applicant.emailDomain: { inList: fraudsters } }, then: reject, owner: [fraud, kim] }',
      '{ id: b, when: { phone.operator.current: { inList: isps } }, then: reject }',
    ];
    const text = `${HEAD}${lists}rules:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`;
    const folder = temporaryFolder({ 'a.yaml': text });
    const { diagnostics, fixed } = fixFiles([folder], {});
    expect(fixed).toEqual([]);
    expect(readFileSync(join(folder, 'a.yaml'), 'utf8')).toBe(text);
    expect(diagnostics.map(({ hint }) => hint)).toEqual(
      expect.arrayContaining([
        'to ask about one address, test applicant.email; for everybody of the domain, write "gmail.com"',
        'write its entries without brackets of their own',
        'write one text, such as `"fraud, kim"`',
      ]),
    );
  });

  it('does not touch a file that changed after it was checked', () => {
    const folder = temporaryFolder({ 'a.yaml': MISTAKE, 'b.yaml': MISTAKE });
    const { diagnostics } = checkFiles([folder]);
    const edited = `${MISTAKE}# somebody is typing\n`;
    writeFileSync(join(folder, 'b.yaml'), edited);
    expect(fixOnce(diagnostics).map(({ diagnostic }) => diagnostic.file)).toEqual([join(folder, 'a.yaml')]);
    expect(readFileSync(join(folder, 'a.yaml'), 'utf8')).toBe(RIGHT);
    expect(readFileSync(join(folder, 'b.yaml'), 'utf8')).toBe(edited);
  });

  it.each(['project', 'project/link.yaml'])('does not write through a link out of the project: %s', (path) => {
    const folder = temporaryFolder({ 'project/package.json': '{}', 'a.yaml': MISTAKE });
    symlinkSync('../a.yaml', join(folder, 'project/link.yaml'));
    const { diagnostics, fixed } = fixFiles([join(folder, path)], {});
    expect({ errors: diagnostics.length, fixed }).toEqual({ errors: 1, fixed: [] });
    expect(readFileSync(join(folder, 'a.yaml'), 'utf8')).toBe(MISTAKE);
  });

  it('keeps the mode of a file and the link that leads to it, and leaves no other file', () => {
    const folder = temporaryFolder({ 'real/a.yaml': MISTAKE });
    const [real, link] = [join(folder, 'real/a.yaml'), join(folder, 'link.yaml')];
    chmodSync(real, 0o664);
    symlinkSync(real, link);
    fixFiles([link], {});
    expect(readFileSync(real, 'utf8')).toBe(RIGHT);
    expect(statSync(real).mode & 0o777).toBe(0o664);
    expect(readdirSync(folder).sort()).toEqual(['link.yaml', 'real']);
    expect(readdirSync(join(folder, 'real'))).toEqual(['a.yaml']);
  });
});
