/** From any IPv4 address to where the simulated service places it: one of some twenty cities of the world. */

import { drawsOf, integerBetween } from './draw.ts';
import { FAILURE_RATE, type IpRecord, type SourceResult } from './records.ts';

interface City extends IpRecord {
  /** What phone numbers there begin with (a US number stands for all of North America but Toronto's). */
  readonly calls: string;
}

/** Cities with their coordinates (rounded to hundredths of a degree) and an invented provider each. */
export const CITIES = {
  auckland: { latitude: -36.87, longitude: 174.76, isp: 'Tasman Fibre Limited', calls: '64' },
  sydney: { latitude: -33.87, longitude: 151.1, isp: 'Wattlewire Broadband', calls: '61' },
  melbourne: { latitude: -37.81, longitude: 145.05, isp: 'Yarrabend Networks', calls: '61' },
  brisbane: { latitude: -27.47, longitude: 153.02, isp: 'Jacaranda Cable', calls: '61' },
  london: { latitude: 51.51, longitude: -0.13, isp: 'Thamesreach Internet', calls: '44' },
  manchester: { latitude: 53.48, longitude: -2.24, isp: 'Pennine Broadband', calls: '44' },
  paris: { latitude: 48.86, longitude: 2.35, isp: 'Réseaux du Marronnier', calls: '33' },
  berlin: { latitude: 52.52, longitude: 13.4, isp: 'Lindenhof Netze', calls: '49' },
  madrid: { latitude: 40.42, longitude: -3.7, isp: 'Redes Alcornoque', calls: '34' },
  milan: { latitude: 45.46, longitude: 9.19, isp: 'Retelombra', calls: '39' },
  warsaw: { latitude: 52.23, longitude: 21.01, isp: 'Wierzba Internet', calls: '48' },
  stockholm: { latitude: 59.33, longitude: 18.03, isp: 'Granskog Fiber', calls: '46' },
  washington: { latitude: 38.93, longitude: -77.0, isp: 'Dogwood Cable', calls: '1' },
  chicago: { latitude: 41.85, longitude: -87.7, isp: 'Prairiewave Communications', calls: '1' },
  denver: { latitude: 39.74, longitude: -104.98, isp: 'Columbine Fiber', calls: '1' },
  atlanta: { latitude: 33.75, longitude: -84.39, isp: 'Peachbranch Internet', calls: '1' },
  toronto: { latitude: 43.7, longitude: -79.42, isp: 'Trilliumnet', calls: '1416' },
  saoPaulo: { latitude: -23.55, longitude: -46.63, isp: 'Rede Jequitibá', calls: '55' },
  mexicoCity: { latitude: 19.43, longitude: -99.13, isp: 'Ahuehuete Conexiones', calls: '52' },
  johannesburg: { latitude: -26.2, longitude: 28.05, isp: 'Proteaveld Networks', calls: '27' },
  nairobi: { latitude: -1.29, longitude: 36.82, isp: 'Jacandale Online', calls: '254' },
  pune: { latitude: 18.52, longitude: 73.86, isp: 'Peepalnet Services', calls: '91' },
  singapore: { latitude: 1.35, longitude: 103.82, isp: 'Rain Tree Broadband', calls: '65' },
  tokyo: { latitude: 35.69, longitude: 139.7, isp: 'Keyaki Hikari', calls: '81' },
} as const satisfies Record<string, City>;

const PLACES: readonly City[] = Object.values(CITIES);

/** Half the width of the square around a city's centre in which addresses lie, in ten-thousandths of a degree. */
const SPREAD = 200;

/** Nineteen of twenty people are in the country of their phone number. */
const ABROAD = 0.05;

/** What the service knows of an IP address. People are mostly where their number is from, so that it tells of both. */
export function lookUpIp(ip: string, phoneNo: string): SourceResult<IpRecord> {
  const draw = drawsOf('ip', ip);
  if (draw('failure') < FAILURE_RATE) return 'timeout';
  const person = drawsOf('ip and phone', `${ip} ${phoneNo}`);
  const homes = person('abroad') < ABROAD ? [] : homesOf(phoneNo);
  const places = homes.length > 0 ? homes : PLACES;
  const city = places[integerBetween(draw('city'), 0, places.length - 1)];
  if (city === undefined) return null;
  return {
    latitude: nearby(city.latitude, draw('latitude')),
    longitude: nearby(city.longitude, draw('longitude')),
    isp: city.isp,
  };
}

/** The cities whose numbers begin like this one, by the longest beginning. */
function homesOf(phoneNo: string): readonly City[] {
  const near = PLACES.filter(({ calls }) => phoneNo.startsWith(calls));
  const longest = Math.max(...near.map(({ calls }) => calls.length));
  return near.filter(({ calls }) => calls.length === longest);
}

function nearby(degrees: number, draw: number): number {
  return Math.round(degrees * 10_000 + integerBetween(draw, -SPREAD, SPREAD)) / 10_000;
}
