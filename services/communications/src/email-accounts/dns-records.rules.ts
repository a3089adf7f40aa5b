/** DNS records of a domain that sends e-mails, and the comparison with what DNS has. */
import type { DnsRecord } from "@freehold/contract/communications/email-accounts";

/** Values of a name in DNS, or null when DNS did not respond. */
export type FoundValues = readonly string[] | null;

export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/** Host of returned e-mails of a domain. */
export const returnPathHost = (domain: string): string => `bounce.${domain}`;

/** Returns the records that a domain needs to send through the system, whose own domain is that of its sender address. */
export function requiredRecords(
  domain: string,
  { selector, publicKey, systemDomain }: { selector: string; publicKey: string; systemDomain: string },
): DnsRecord[] {
  const unchecked = { status: "pending" as const, found: [] };
  return [
    { purpose: "spf", type: "TXT", name: domain, value: `v=spf1 include:${systemDomain} ~all`, ...unchecked },
    { purpose: "dkim", type: "TXT", name: `${selector}._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${publicKey}`, ...unchecked },
    { purpose: "dmarc", type: "TXT", name: `_dmarc.${domain}`, value: "v=DMARC1; p=none", ...unchecked },
    { purpose: "return_path", type: "CNAME", name: returnPathHost(domain), value: systemDomain, ...unchecked },
  ];
}

const MAX_FOUND = 10;
const MAX_FOUND_LENGTH = 1_000;
const host = (name: string): string => name.toLowerCase().replace(/\.$/, "");
/** Tags of a DKIM record without spaces, which DNS editors add. */
const tagsOf = (record: string): Map<string, string> =>
  new Map(record.split(";").map((tag) => [tag.split("=")[0]!.trim(), tag.slice(tag.indexOf("=") + 1).replaceAll(/\s+/g, "")]));

/** Values among those of a name that belong to a record: a domain may have TXT records for other purposes. */
const relevant: Record<DnsRecord["purpose"], (value: string) => boolean> = {
  spf: (value) => /^v=spf1(\s|$)/i.test(value),
  dkim: () => true,
  dmarc: (value) => /^v=DMARC1\s*(;|$)/i.test(value),
  return_path: () => true,
};

const matches: Record<DnsRecord["purpose"], (found: string, expected: string) => boolean> = {
  spf: (found, expected) => found.toLowerCase().split(/\s+/).includes(expected.split(" ")[1]!.toLowerCase()),
  dkim: (found, expected) => tagsOf(found).get("p") === tagsOf(expected).get("p"),
  dmarc: () => true,
  return_path: (found, expected) => host(found) === host(expected),
};

/** Returns a record with its status. Several SPF or DMARC records of a domain are invalid, so that none of them counts. */
export function checkRecord(record: DnsRecord, values: FoundValues): DnsRecord {
  if (values === null) return { ...record, status: "unreachable" };
  const found = values.filter(relevant[record.purpose]);
  const isMatch = found.length === 1 && matches[record.purpose](found[0]!, record.value);
  const status = found.length === 0 ? "missing" : isMatch ? "verified" : "mismatch";
  return { ...record, status, found: found.slice(0, MAX_FOUND).map((value) => value.slice(0, MAX_FOUND_LENGTH)) };
}

/**
 * Returns the status of a domain after a check: verified once all records are, failed when a verified one lost a record. While DNS does not respond,
 * and before the first verification, the status stays.
 */
export function statusAfterCheck<S extends string>(current: S, records: readonly DnsRecord[]): S | "verified" | "failed" {
  if (records.every(({ status }) => status === "verified")) return "verified";
  const isWrong = records.some(({ status }) => status === "missing" || status === "mismatch");
  return current === "verified" && isWrong ? "failed" : current;
}
