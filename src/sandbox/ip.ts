/** From any IPv4 address to where the simulated service places it: one of some twenty cities of the world. */

import { drawsOf, whole } from './draw.ts';
import { FAILURE_RATE, type IpRecord, type Told } from './records.ts';

/** Cities with their coordinates (rounded to hundredths of a degree) and an invented provider each. */
export const CITIES = {
  auckland: { latitude: -36.87, longitude: 174.76, isp: 'Tasman Fibre Limited' },
  sydney: { latitude: -33.87, longitude: 151.1, isp: 'Wattlewire Broadband' },
  melbourne: { latitude: -37.81, longitude: 145.05, isp: 'Yarrabend Networks' },
  brisbane: { latitude: -27.47, longitude: 153.02, isp: 'Jacaranda Cable' },
  london: { latitude: 51.51, longitude: -0.13, isp: 'Thamesreach Internet' },
  manchester: { latitude: 53.48, longitude: -2.24, isp: 'Pennine Broadband' },
  paris: { latitude: 48.86, longitude: 2.35, isp: 'Réseaux du Marronnier' },
  berlin: { latitude: 52.52, longitude: 13.4, isp: 'Lindenhof Netze' },
  madrid: { latitude: 40.42, longitude: -3.7, isp: 'Redes Alcornoque' },
  milan: { latitude: 45.46, longitude: 9.19, isp: 'Retelombra' },
  warsaw: { latitude: 52.23, longitude: 21.01, isp: 'Wierzba Internet' },
  stockholm: { latitude: 59.33, longitude: 18.03, isp: 'Granskog Fiber' },
  washington: { latitude: 38.93, longitude: -77.0, isp: 'Dogwood Cable' },
  chicago: { latitude: 41.85, longitude: -87.7, isp: 'Prairiewave Communications' },
  denver: { latitude: 39.74, longitude: -104.98, isp: 'Columbine Fiber' },
  atlanta: { latitude: 33.75, longitude: -84.39, isp: 'Peachbranch Internet' },
  toronto: { latitude: 43.7, longitude: -79.42, isp: 'Trilliumnet' },
  saoPaulo: { latitude: -23.55, longitude: -46.63, isp: 'Rede Jequitibá' },
  mexicoCity: { latitude: 19.43, longitude: -99.13, isp: 'Ahuehuete Conexiones' },
  johannesburg: { latitude: -26.2, longitude: 28.05, isp: 'Proteaveld Networks' },
  nairobi: { latitude: -1.29, longitude: 36.82, isp: 'Jacandale Online' },
  pune: { latitude: 18.52, longitude: 73.86, isp: 'Peepalnet Services' },
  singapore: { latitude: 1.35, longitude: 103.82, isp: 'Rain Tree Broadband' },
  tokyo: { latitude: 35.69, longitude: 139.7, isp: 'Keyaki Hikari' },
} as const satisfies Record<string, IpRecord>;

const PLACES: readonly IpRecord[] = Object.values(CITIES);

/** Half the width of the square around a city's centre in which addresses lie, in ten-thousandths of a degree. */
const SPREAD = 200;

/** What the service knows of an IP address. */
export function lookUpIp(ip: string): Told<IpRecord> {
  const draw = drawsOf('ip', ip);
  if (draw('failure') < FAILURE_RATE) return 'timeout';
  const city = PLACES[whole(draw('city'), 0, PLACES.length - 1)];
  if (city === undefined) return null;
  return {
    latitude: nearby(city.latitude, draw('latitude')),
    longitude: nearby(city.longitude, draw('longitude')),
    isp: city.isp,
  };
}

function nearby(degrees: number, draw: number): number {
  return Math.round(degrees * 10_000 + whole(draw, -SPREAD, SPREAD)) / 10_000;
}
