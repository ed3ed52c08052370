/** A country code of ISO 3166-1 in any case -> the code in lower case; any other name of a country -> its code. */

import { type FormatReading, fold } from './fold.ts';

/** Codes that CLDR names beside those of ISO 3166-1: reserved parts of countries, unions, and codes for tests. */
const NOT_ISO = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));

/** Reads an alpha-2 code, or XK (Kosovo), which ISO leaves to its users and both libraries use. */
export function readCountry(text: string): FormatReading {
  const value = fold(text) ?? '';
  if (isCode(value)) return { value };
  const corrected = value === '' ? undefined : findCountry(value);
  const correction = corrected !== undefined && isCode(corrected.toLowerCase()) ? { corrected } : {};
  return { problem: 'is not a country code of two letters, such as GB', ...correction };
}

const isCodeByText = new Map<string, boolean>();
let names: Intl.DisplayNames | undefined;

function isCode(folded: string): boolean {
  if (!/^[a-z]{2}$/.test(folded)) return false;
  const cached = isCodeByText.get(folded);
  if (cached !== undefined) return cached;
  names ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const code = folded.toUpperCase();
  // CLDR replaces codes that are withdrawn, and UK.
  const isCurrent = new Intl.Locale(`und-${code}`).region === code;
  const isOne = isCurrent && !NOT_ISO.has(code) && names.of(code) !== undefined;
  isCodeByText.set(folded, isOne);
  return isOne;
}

/**
 * Codes that ISO 3166-1 reserves for parts of a country -> the code of the country. Libraries use them differently;
 * this makes them agree. Ascension, Tristan da Cunha; Ceuta and Melilla.
 */
const RESERVED_CODES: ReadonlyMap<string, string> = new Map([
  ['AC', 'SH'],
  ['TA', 'SH'],
  ['EA', 'ES'],
]);

/** The code of the country that a reserved code belongs to; any other code as it is. */
export function officialCode(code: string | undefined): string | undefined {
  return code === undefined ? undefined : (RESERVED_CODES.get(code) ?? code);
}

/** The alpha-3 codes that do not begin with their alpha-2 code, each with it. */
const ALPHA_3 =
  'ABWAW AGOAO ALAAX ANDAD AREAE ARMAM ATAAQ ATFTF ATGAG AUTAT BDIBI BENBJ BESBQ BGDBD BHSBS BIHBA BLRBY BLZBZ ' +
  'BRBBB BRNBN CAFCF CHLCL CHNCN CODCD COGCG COKCK COMKM CPVCV CUWCW CYMKY DNKDK ESHEH ESTEE FLKFK FROFO FSMFM ' +
  'GINGN GLPGP GNBGW GNQGQ GRDGD GRLGL GUFGF GUYGY IRLIE IRQIQ ISRIL JAMJM KAZKZ KORKR LBRLR LBYLY MACMO MAFMF ' +
  'MDGMG MDVMV MEXMX MLTMT MNEME MNPMP MOZMZ MTQMQ MYTYT NIUNU PAKPK PCNPN PLWPW PNGPG POLPL PRKKP PRTPT PRYPY ' +
  'PYFPF SENSN SGSGS SLBSB SLVSV SPMPM SRBRS SURSR SVKSK SVNSI SWESE SWZSZ SYCSC TCDTD TKMTM TUNTN TURTR TUVTV ' +
  'UKRUA URYUY WLFWF';

/** The alpha-2 code of a country by its alpha-3 or numeric code or its English name, in any case; `UK` is GB. */
export function findCountry(text: string): string | undefined {
  const code = text.toUpperCase();
  if (code === 'UK') return 'GB';
  // CLDR replaces a numeric code with its alpha-2 code.
  if (/^\d{3}$/.test(code)) return new Intl.Locale(`und-${code}`).region;
  if (/^[A-Z]{3}$/.test(code)) return new RegExp(`\\b${code}(..)`).exec(ALPHA_3)?.[1] ?? code.slice(0, 2);
  return codesByName().get(text.toLowerCase());
}

let byName: ReadonlyMap<string, string> | undefined;

function codesByName(): ReadonlyMap<string, string> {
  if (byName) return byName;
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  // A withdrawn code has the name of the country that succeeded it.
  const current = codes.filter((code) => new Intl.Locale(`und-${code}`).region === code);
  byName = new Map(current.map((code) => [names.of(code)?.toLowerCase() ?? code, code]));
  return byName;
}
