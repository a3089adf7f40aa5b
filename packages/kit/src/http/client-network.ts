import { isIPv6 } from "node:net";

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/** Returns the network whose addresses one client controls: an IPv4 address, or the /64 of an IPv6 address. */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const mappedIpv4 = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mappedIpv4) return mappedIpv4;
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const groupsOf = (part: string | undefined) => (part ? part.split(":") : []);
  const [left, right] = [groupsOf(head), groupsOf(tail)];
  const zeros = tail === undefined ? [] : Array.from({ length: IPV6_GROUPS - left.length - right.length }, () => "0");
  const network = [...left, ...zeros, ...right].slice(0, NETWORK_GROUPS);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
