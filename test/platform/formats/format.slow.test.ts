import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold } from '../../../src/platform/formats/fold.ts';
import { FORM_PATTERNS, FORMATS, type Format, readFormat } from '../../../src/platform/formats/format.ts';
import { readIpBlock } from '../../../src/platform/formats/ip.ts';
import { sampled } from '../../support/sampled.ts';

/** Spellings of each format, with their form. */
const SPELLINGS: Readonly<Record<Format, readonly (readonly [text: string, form: string])[]>> = {
  phone: [
    ['+44 7400 123456', '447400123456'],
    ['0044 (0)7400-123456', '447400123456'],
    ['4407400123456', '447400123456'],
    ['440007400123456', '447400123456'],
    ['9991234567', '9991234567'],
  ],
  email: [
    ['Ann.Other+tag@Example.COM', 'ann.other+tag@example.com'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['ann@example.com.', 'ann@example.com'],
    ['JÖRG@example.com', 'jörg@example.com'],
    ["a!#$%&'+-/=?^_`{|}~@b", "a!#$%&'+-/=?^_`{|}~@b"],
  ],
  domain: [
    ['Spam.Example', 'spam.example'],
    ['spam.example.', 'spam.example'],
    ['sp\uff41m\uff0eexample', 'spam.example'],
    ['spam\u3002example', 'spam.example'],
    ['sp\u00ad\u200b\u2060am.example', 'spam.example'],
    ['sp\u24d0m.example', 'spam.example'],
    ['sp\u0430m.example', 'xn--spm-7cd.example'],
    ['XN--SPM-7CD.example', 'xn--spm-7cd.example'],
    ['ru', 'ru'],
    ['faß.example', 'xn--fa-hia.example'],
    ['1.2.3.4.example', '1.2.3.4.example'],
  ],
  ip: [
    ['203.0.113.9', '203.0.113.9'],
    [' ::FFFF:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['0:0:0:0:0:FFFF:203.0.113.9', '203.0.113.9'],
    ['0000:0000:0000:0000:0000:ffff:cb00:7109', '203.0.113.9'],
    ['::203.0.113.9', '203.0.113.9'],
    ['::ffff:0:203.0.113.9', '203.0.113.9'],
    ['64:ff9b::cb00:7109', '203.0.113.9'],
    ['2002:cb00:7109:1::9', '203.0.113.9'],
    // RFC 4380, section 4: UDP port 40000 at 192.0.2.45, which is here 198.18.0.1.
    ['2001:0:4136:e378:8000:63bf:39ed:fffe', '198.18.0.1'],
  ],
  country: [
    ['GB', 'gb'],
    [' gb\n', 'gb'],
    ['XK', 'xk'],
  ],
};

/** Texts that each format refuses, with the form that was meant. */
const REFUSED: Readonly<Record<Format, readonly (readonly [text: string, corrected?: string])[]>> = {
  phone: [
    ['07400123456'],
    ['+44 7400 123456 ext. 5'],
    ['٤٤٧٤٠٠١٢٣٤٥٦'],
    ['+44\u200b7400123456'],
    ['1'.repeat(101)],
    ['491701234567.0', '491701234567'],
    ['+491701234567.00', '+491701234567'],
    [' 00491701234567.000000 ', '00491701234567'],
    ['491701234567,0', '491701234567'],
    ['49 170 1234567 .0'],
    ['1 000 000.00'],
    ['1 000 000.0'],
    ['4917012345.67'],
    ['491701234567.', '491701234567'],
    ['1.000.000,00'],
    ['-2147483648/-1'],
    ['-491701234567'],
    ['2147483648/1'],
    ['4.474E+11'],
    ['4474e8'],
    ['4,474E+11'],
    ['44--7400123456'],
  ],
  email: [
    ['bar.example'],
    ['@bar.example'],
    ['*@bar.example'],
    ['a@b@c'],
    ['<a@b.example>'],
    ['mailto:a@b.example'],
    ['"a b"@c.example'],
    ['"a"@b.example'],
    ['a..b@c.example'],
    ['.a@c.example'],
    ['a.@c.example'],
    ['a@b.example,'],
    ['a@b.example(hi)'],
    ['a@b..example'],
    ['a@b.example..'],
    ['a@[192.0.2.1]'],
    ['a@192.0.2.1'],
    ['\uff41@b.example'],
    ['a\u200b@b.example'],
    [`${'a'.repeat(65)}@b.example`],
  ],
  domain: [
    ['@spam.example', 'spam.example'],
    ['*.spam.example', 'spam.example'],
    ['.spam.example', 'spam.example'],
    ['https://user:password@Spam.example:443/path?query', 'spam.example'],
    ['ann@spam.example'],
    ['spam.example..'],
    ['spam..example'],
    ['sp am.example'],
    ['sp%61m.example'],
    ['sp_am.example'],
    ['-spam.example'],
    ['spam\u200d.example'],
    ['\u202espam.example'],
    ['<spam.example>'],
    ['10.1'],
    ['192.0.2.1'],
    ['spam.0x1'],
    ['xn--a'],
    ['xn--spam-.example'],
    [`${'a'.repeat(64)}.example`],
    [`${'a.'.repeat(124)}example`],
  ],
  ip: [
    ...['10.0.0.1', '2001:db8::1', '203.0.113', '203.0.113.09', '3405803785', '203.0.113.9\u200b'].map((ip) => [ip]),
    // Each embeds an address that is private, in octal or in another form, or has a zone.
    ...['::ffff:a00:1', '2002:a00:1::1', '64:ff9b::10.0.0.1', '::1', '::', '::ffff:203.0.113.09'].map((ip) => [ip]),
    ...['::ffff:0xcb.0.113.9', '::ffff:203.0.113.9%eth0', '[::ffff:203.0.113.9]'].map((ip) => [ip]),
  ] as [string][],
  country: [
    ['UK', 'GB'],
    ['GBR', 'GB'],
    ['United Kingdom', 'GB'],
    ['EU'],
    ['SU'],
    ['AC'],
    ['ZZ'],
    ['g'],
    ['x'.repeat(5000)],
  ],
};

describe.each(FORMATS)('the format %s', (format) => {
  test.each(SPELLINGS[format])('reads %j as %j', (text, value) => {
    expect(readFormat(format, text)).toEqual({ value });
  });

  test.each(SPELLINGS[format])('reads the form of %j as itself, and folding does not change it', (_, value) => {
    expect(readFormat(format, value)).toEqual({ value });
    expect(fold(value)).toBe(value);
    expect(value).toMatch(new RegExp(`^(${FORM_PATTERNS[format]})$`));
  });

  test.each(REFUSED[format])('refuses %j without repeating it', (text = '', corrected) => {
    const read = readFormat(format, text);
    expect(read).toEqual({ problem: expect.any(String), ...(corrected === undefined ? {} : { corrected }) });
    expect('problem' in read && read.problem).not.toContain(text);
  });

  test('reads every form as itself', () => {
    const near = fc.constantFrom(...SPELLINGS[format].map(([text]) => text), ...REFUSED[format].map(([text]) => text));
    const piece = fc.oneof(
      near,
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom('.', '-', '0', '@', '\u00ad'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
        const read = readFormat(format, pieces.join(''));
        if ('problem' in read) return;
        expect(readFormat(format, read.value)).toEqual(read);
        expect(fold(read.value)).toBe(read.value);
        expect(read.value).toMatch(new RegExp(`^(${FORM_PATTERNS[format]})$`));
      }),
      { numRuns: sampled(14, 50_000) },
    );
  });
});

test('reads the form of every phone number as itself', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 4, maxLength: 11 });
  const code = fc.constantFrom('44', '1', '39', '49', '52', '54', '55', '61', '91', '7', '225', '290', '995', '855');
  const prefix = fc.constantFrom('', '0', '00', '1', '8', '15', '045', '(0)');
  fc.assert(
    fc.property(code, prefix, digits, (...parts) => {
      const read = readFormat('phone', parts.join(''));
      if ('value' in read) expect(readFormat('phone', read.value)).toEqual(read);
    }),
    { numRuns: sampled(27, 100_000) },
  );
});

describe('a block of IP addresses', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9', 0xcb007109, 0xcb007109],
    ['203.0.113.0/24', '203.0.113.0/24', 0xcb007100, 0xcb0071ff],
    ['255.255.255.254/31', '255.255.255.254/31', 0xfffffffe, 0xffffffff],
    ['0.0.0.0/0', '0.0.0.0/0', 0, 0xffffffff],
  ])('%s is read', (text, value, first, last) => {
    expect(readIpBlock(text)).toEqual({ value, first, last });
  });

  test('whose address is not its first is refused, and corrected', () => {
    expect(readIpBlock('203.0.113.9/24')).toEqual({ problem: expect.any(String), corrected: '203.0.113.0/24' });
  });

  test.each([
    '203.0.113.0/33',
    '203.0.113.0/024',
    '203.0.113.0/',
    '203.0.113.0/24/8',
    '2001:db8::/32',
    '10.0.0.0/8',
    '::ffff:203.0.113.0/24',
  ])('%s is refused', (text) => expect(readIpBlock(text)).toEqual({ problem: expect.any(String) }));
});
