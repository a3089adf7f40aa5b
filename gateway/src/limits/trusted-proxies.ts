/** Proxies in front of the gateway whose `X-Forwarded-For` header is trusted. */
import { BlockList, isIP } from "node:net";
import { z } from "zod";

const MAX_PROXIES = 10;
/** An address, or an address and the length of a prefix. */
const NETWORK = /^([^/]+)(?:\/(\d{1,3}))?$/;

/** Number of trusted proxies, or a predicate of their addresses. Both are values of Express's `trust proxy`. */
export type TrustedProxies = number | ((address: string) => boolean);

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** Setting `TRUSTED_PROXIES`: a number, or addresses and networks separated by commas. */
export const trustedProxies = z.string().transform((text, context): TrustedProxies => {
  if (/^\d+$/.test(text)) {
    if (Number(text) <= MAX_PROXIES) return Number(text);
    context.addIssue({ code: "custom", message: `at most ${MAX_PROXIES} proxies` });
    return z.NEVER;
  }
  const proxies = new BlockList();
  for (const network of text.split(",").map((each) => each.trim())) {
    const [, address = "", prefix] = NETWORK.exec(network) ?? [];
    try {
      if (prefix === undefined) proxies.addAddress(address, familyOf(address));
      else proxies.addSubnet(address, Number(prefix), familyOf(address));
    } catch {
      context.addIssue({ code: "custom", message: `${network} is not an address or a network` });
      return z.NEVER;
    }
  }
  return (address) => isIP(address) !== 0 && proxies.check(address, familyOf(address));
});

/** Returns true if a connection from this address comes from a trusted proxy. With a number above 0, every connection does. */
export const isTrustedProxy = (proxies: TrustedProxies, address: string): boolean => (typeof proxies === "number" ? proxies > 0 : proxies(address));
