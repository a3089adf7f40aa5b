/** Look-up of DNS records. */
import type { DnsRecord } from "@freehold/contract/communications/email-accounts";
import { Resolver } from "node:dns/promises";
import type { FoundValues } from "./dns-records.rules.ts";

/** Returns the values of a record's name and type: none if it does not exist, null if DNS does not respond. */
export type LookUpDns = (record: Pick<DnsRecord, "type" | "name">) => Promise<FoundValues>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Errors of a name without records of the type. */
const NOT_FOUND = new Set(["ENODATA", "ENOTFOUND"]);

/** Creates the look-up at the given servers, `address` or `address:port`, or at those of the system. Never throws. */
export function dnsLookUp(servers: readonly string[] = [], timeoutMs = TIMEOUT_MS): LookUpDns {
  return async ({ type, name }) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      return type === "TXT" ? (await resolver.resolveTxt(name)).map((chunks) => chunks.join("")) : await resolver.resolveCname(name);
    } catch (error) {
      return NOT_FOUND.has((error as NodeJS.ErrnoException).code ?? "") ? [] : null;
    }
  };
}
