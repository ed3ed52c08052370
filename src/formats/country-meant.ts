/** A country by another name than its alpha-2 code -> the code that was probably meant, for hints. */

/** The alpha-3 codes that do not begin with their alpha-2 code, each with it. */
const ALPHA_3 =
  'ABWAW AGOAO ALAAX ANDAD AREAE ARMAM ATAAQ ATFTF ATGAG AUTAT BDIBI BENBJ BESBQ BGDBD BHSBS BIHBA BLRBY BLZBZ ' +
  'BRBBB BRNBN CAFCF CHLCL CHNCN CODCD COGCG COKCK COMKM CPVCV CUWCW CYMKY DNKDK ESHEH ESTEE FLKFK FROFO FSMFM ' +
  'GINGN GLPGP GNBGW GNQGQ GRDGD GRLGL GUFGF GUYGY IRLIE IRQIQ ISRIL JAMJM KAZKZ KORKR LBRLR LBYLY MACMO MAFMF ' +
  'MDGMG MDVMV MEXMX MLTMT MNEME MNPMP MOZMZ MTQMQ MYTYT NIUNU PAKPK PCNPN PLWPW PNGPG POLPL PRKKP PRTPT PRYPY ' +
  'PYFPF SENSN SGSGS SLBSB SLVSV SPMPM SRBRS SURSR SVKSK SVNSI SWESE SWZSZ SYCSC TCDTD TKMTM TUNTN TURTR TUVTV ' +
  'UKRUA URYUY WLFWF';

/** The alpha-2 code of a country by its alpha-3 or numeric code or its English name, in any case; `UK` is GB. */
export function countryMeant(text: string): string | undefined {
  const code = text.toUpperCase();
  if (code === 'UK') return 'GB';
  // CLDR has the codes of the numeric ones.
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
  // A withdrawn code has the name of the country that succeeded.
  const current = codes.filter((code) => new Intl.Locale(`und-${code}`).region === code);
  byName = new Map(current.map((code) => [names.of(code)?.toLowerCase() ?? code, code]));
  return byName;
}
