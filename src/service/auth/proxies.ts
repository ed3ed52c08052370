/** The networks of proxies -> whether an address is in one of them, and which part of all addresses they have. */

import { BlockList, isIP } from 'node:net';

/** Where IPv6 has the addresses of IPv4 (RFC 4291, section 2.5.5.2). */
const [MAPPED, MAPPED_BITS] = ['::ffff:0:0', 96];

function read(network: string) {
  const [address = '', prefix] = network.split('/');
  const [family, most] = isIP(address) === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
  return { address, family, bits: Number(prefix ?? most) };
}

/** Whether an address is in one of some networks, such as 10.0.0.0/8. */
export function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const { address, bits, family } of networks.map(read)) list.addSubnet(address, bits, family);
  return (address) => {
    if (isIP(address) === 4) return list.check(address) || list.check(`::ffff:${address}`, 'ipv6');
    return isIP(address) === 6 && list.check(address, 'ipv6');
  };
}

const isMapped = inNetworks([`${MAPPED}/${MAPPED_BITS}`]);

/** From 0 to 1: the part of all addresses, of IPv4 or of IPv6, that networks have, each counted for itself. */
export function partOf(networks: readonly string[]): number {
  let [ipv4, ipv6] = [0, 0];
  for (const network of networks) {
    const { address, bits, family } = read(network);
    if (family === 'ipv4') ipv4 += 2 ** -bits;
    else if (bits > MAPPED_BITS && isMapped(address)) ipv4 += 2 ** (MAPPED_BITS - bits);
    else if (bits <= MAPPED_BITS && inNetworks([network])(MAPPED)) ipv4 = 1;
    else ipv6 += 2 ** -bits;
  }
  return Math.max(ipv4, ipv6);
}
