/** Any IPv4 address -> its record: one of about twenty cities of the world, and a provider. */

import { drawsOf, integerBetween } from './draw.ts';
import { FAILURE_RATE, type IpRecord, type SourceResult } from './records.ts';

interface City extends IpRecord {
  /** The prefix of phone numbers there; the prefix 1 covers all of North America except Toronto. */
  readonly prefix: string;
}

/** Cities with their coordinates (rounded to hundredths of a degree) and an invented provider each. */
export const CITIES = {
  auckland: { latitude: -36.87, longitude: 174.76, isp: 'Tasman Fibre Limited', prefix: '64' },
  sydney: { latitude: -33.87, longitude: 151.1, isp: 'Wattlewire Broadband', prefix: '61' },
  melbourne: { latitude: -37.81, longitude: 145.05, isp: 'Yarrabend Networks', prefix: '61' },
  brisbane: { latitude: -27.47, longitude: 153.02, isp: 'Jacaranda Cable', prefix: '61' },
  london: { latitude: 51.51, longitude: -0.13, isp: 'Thamesreach Internet', prefix: '44' },
  manchester: { latitude: 53.48, longitude: -2.24, isp: 'Pennine Broadband', prefix: '44' },
  paris: { latitude: 48.86, longitude: 2.35, isp: 'Réseaux du Marronnier', prefix: '33' },
  berlin: { latitude: 52.52, longitude: 13.4, isp: 'Lindenhof Netze', prefix: '49' },
  madrid: { latitude: 40.42, longitude: -3.7, isp: 'Redes Alcornoque', prefix: '34' },
  milan: { latitude: 45.46, longitude: 9.19, isp: 'Retelombra', prefix: '39' },
  warsaw: { latitude: 52.23, longitude: 21.01, isp: 'Wierzba Internet', prefix: '48' },
  stockholm: { latitude: 59.33, longitude: 18.03, isp: 'Granskog Fiber', prefix: '46' },
  washington: { latitude: 38.93, longitude: -77.0, isp: 'Dogwood Cable', prefix: '1' },
  chicago: { latitude: 41.85, longitude: -87.7, isp: 'Prairiewave Communications', prefix: '1' },
  denver: { latitude: 39.74, longitude: -104.98, isp: 'Columbine Fiber', prefix: '1' },
  atlanta: { latitude: 33.75, longitude: -84.39, isp: 'Peachbranch Internet', prefix: '1' },
  toronto: { latitude: 43.7, longitude: -79.42, isp: 'Trilliumnet', prefix: '1416' },
  saoPaulo: { latitude: -23.55, longitude: -46.63, isp: 'Rede Jequitibá', prefix: '55' },
  mexicoCity: { latitude: 19.43, longitude: -99.13, isp: 'Ahuehuete Conexiones', prefix: '52' },
  johannesburg: { latitude: -26.2, longitude: 28.05, isp: 'Proteaveld Networks', prefix: '27' },
  nairobi: { latitude: -1.29, longitude: 36.82, isp: 'Jacandale Online', prefix: '254' },
  pune: { latitude: 18.52, longitude: 73.86, isp: 'Peepalnet Services', prefix: '91' },
  singapore: { latitude: 1.35, longitude: 103.82, isp: 'Rain Tree Broadband', prefix: '65' },
  tokyo: { latitude: 35.69, longitude: 139.7, isp: 'Keyaki Hikari', prefix: '81' },
} as const satisfies Record<string, City>;

const ALL_CITIES: readonly City[] = Object.values(CITIES);

/** Half the width of the square around a city's centre in which addresses lie, in ten-thousandths of a degree. */
const SPREAD = 200;

/** One in twenty people is outside the country of their phone number. */
const ABROAD = 0.05;

/** The record of an IP address. The phone number counts too: most people are in their number's country. */
export function lookUpIp(ip: string, phoneNo: string): SourceResult<IpRecord> {
  const draw = drawsOf('ip', ip);
  if (draw('failure') < FAILURE_RATE) return 'timeout';
  const person = drawsOf('ip and phone', `${ip} ${phoneNo}`);
  const homes = person('abroad') < ABROAD ? [] : homesOf(phoneNo);
  const cities = homes.length > 0 ? homes : ALL_CITIES;
  const city = cities[integerBetween(draw('city'), 0, cities.length - 1)];
  if (city === undefined) return null;
  return {
    latitude: nearby(city.latitude, draw('latitude')),
    longitude: nearby(city.longitude, draw('longitude')),
    isp: city.isp,
  };
}

/** The cities with the longest prefix that this number begins with. */
function homesOf(phoneNo: string): readonly City[] {
  const matching = ALL_CITIES.filter(({ prefix }) => phoneNo.startsWith(prefix));
  const longest = Math.max(...matching.map(({ prefix }) => prefix.length));
  return matching.filter(({ prefix }) => prefix.length === longest);
}

function nearby(degrees: number, draw: number): number {
  return Math.round(degrees * 10_000 + integerBetween(draw, -SPREAD, SPREAD)) / 10_000;
}
