/** The digits of any phone number -> its record; most numbers are clean mobiles. */

import { type Draw, drawsOf, integerBetween, pick, pickByShare } from './draw.ts';
import { FAILURE_RATE, type PhoneRecord, type PortRecord, type RiskLevel, type SourceResult } from './records.ts';

// Invented operators.
const MOBILE_OPERATORS = [
  'Harbour Mobile',
  'Northlink Cellular',
  'Solent Wireless',
  'Brightwater Mobile',
  'Larkfield Telecom',
  'Meridale Wireless',
  'Copperline Mobile',
  'Fernhill Cellular',
] as const;

const OPERATORS = {
  mobile: MOBILE_OPERATORS,
  landline: ['Stonebridge Fixed Lines', 'Oakmast Telephone', 'Larkfield Telecom'],
  voip: ['Cloudreed Voice', 'Pebblecall Internet Telephony', 'Tinwhistle Voice'],
} as const;

/** A third of all numbers were never ported; 4 % were ported within the last 90 days. */
const NEVER_PORTED = 1 / 3;
const PORTED_LATELY = 0.04;

/** The record of a phone number. It depends on the digits alone. */
export function lookUpPhone(phoneNo: string): SourceResult<PhoneRecord> {
  const draw = drawsOf('phone', phoneNo);
  if (draw('failure') < FAILURE_RATE) return 'timeout';
  const type = pickByShare(draw('type'), 'mobile', [0.03, 'voip'], [0.02, 'landline']);
  const status = pickByShare(
    draw('status'),
    'active',
    [0.015, 'inactive'],
    [0.01, 'unreachable'],
    [0.005, 'disconnected'],
  );
  const originalOperator = pick<string>(draw('operator'), OPERATORS[type]);
  const ports = drawPorts(draw, OPERATORS[type], originalOperator);
  const portingRisk = portingRiskOf(ports);
  return {
    type,
    status,
    serviceType: draw('serviceType') < 0.35 ? 'prepaid' : 'postpaid',
    originalOperator,
    ports,
    portingRisk,
    score: scoreOf(draw('score'), type, status, portingRisk),
  };
}

function drawPorts(draw: Draw, operators: readonly string[], original: string): PortRecord[] {
  const history = draw('history');
  if (history < NEVER_PORTED) return [];
  const count = pickByShare(draw('portCount'), 3, [0.7, 1], [0.22, 2]);
  // At least a year between two moves; only personas have less.
  let ageDays =
    history > 1 - PORTED_LATELY ? integerBetween(draw('portAge'), 1, 90) : integerBetween(draw('portAge'), 91, 3600);
  const ages = [ageDays];
  while (ages.length < count) {
    ageDays += integerBetween(draw(`portGap ${ages.length}`), 365, 1500);
    ages.unshift(ageDays);
  }
  const ports: PortRecord[] = [];
  let from = original;
  for (const [index, age] of ages.entries()) {
    const others = operators.filter((name) => name !== from);
    from = others[integerBetween(draw(`portTo ${index}`), 0, others.length - 1)] ?? original;
    ports.push({ ageDays: age, to: from });
  }
  return ports;
}

function portingRiskOf(ports: readonly PortRecord[]): RiskLevel {
  const ageDays = ports.at(-1)?.ageDays ?? Number.POSITIVE_INFINITY;
  if (ageDays <= 30) return 'high';
  if (ageDays <= 90) return 'medium';
  return ageDays <= 730 ? 'low' : 'veryLow';
}

function scoreOf(
  draw: number,
  type: PhoneRecord['type'],
  status: PhoneRecord['status'],
  portingRisk: RiskLevel,
): number {
  const ordinary = draw < 0.96 ? integerBetween(draw / 0.96, 2, 36) : integerBetween((draw - 0.96) / 0.04, 40, 66);
  const raised =
    ordinary +
    (type === 'voip' ? 45 : 0) +
    (status === 'active' ? 0 : 25) +
    (portingRisk === 'high' ? 35 : portingRisk === 'medium' ? 20 : 0);
  return Math.min(raised, 98);
}
