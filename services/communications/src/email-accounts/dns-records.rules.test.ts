import { describe, expect, test } from "@jest/globals";
import { checkRecord, requiredRecords, statusAfterCheck } from "./dns-records.rules.ts";

const records = requiredRecords("elm.example", { selector: "fh1", publicKey: "MIIB", systemDomain: "mail.freehold.example" });
const [spf, dkim, dmarc, returnPath] = records as [(typeof records)[0], (typeof records)[0], (typeof records)[0], (typeof records)[0]];

describe("requiredRecords", () => {
  test("names the four records of a domain", () =>
    expect(records.map(({ type, name, value }) => [type, name, value])).toEqual([
      ["TXT", "elm.example", "v=spf1 include:mail.freehold.example ~all"],
      ["TXT", "fh1._domainkey.elm.example", "v=DKIM1; k=rsa; p=MIIB"],
      ["TXT", "_dmarc.elm.example", "v=DMARC1; p=none"],
      ["CNAME", "bounce.elm.example", "mail.freehold.example"],
    ]));
});

describe("checkRecord", () => {
  test.each([
    ["an SPF record with other senders", spf, ["site=1", "v=spf1 include:_spf.google.com include:Mail.Freehold.example -all"], "verified"],
    ["an SPF record without the include", spf, ["v=spf1 include:_spf.google.com -all"], "mismatch"],
    ["two SPF records", spf, [spf.value, "v=spf1 -all"], "mismatch"],
    ["no SPF record among others", spf, ["site=1"], "missing"],
    ["a DKIM key with spaces", dkim, ["v=DKIM1;k=rsa; p=MI IB"], "verified"],
    ["another DKIM key", dkim, ["v=DKIM1; k=rsa; p=MIIC"], "mismatch"],
    ["a stricter DMARC policy", dmarc, ["v=DMARC1; p=reject; rua=mailto:a@elm.example"], "verified"],
    ["two DMARC records", dmarc, ["v=DMARC1; p=none", "v=DMARC1; p=reject"], "mismatch"],
    ["a return path with a dot", returnPath, ["MAIL.freehold.example."], "verified"],
    ["another return path", returnPath, ["other.example"], "mismatch"],
    ["no values", returnPath, [], "missing"],
    ["no response", dkim, null, "unreachable"],
  ] as const)("of %s", (_, record, values, status) => expect(checkRecord(record, values).status).toBe(status));

  test("names what was found", () => expect(checkRecord(dkim, ["v=DKIM1; p=other"]).found).toEqual(["v=DKIM1; p=other"]));
});

describe("statusAfterCheck", () => {
  const all = (status: "verified" | "missing" | "unreachable") => records.map((record) => ({ ...record, status }));
  test.each([
    ["pending", all("verified"), "verified"],
    ["failed", all("verified"), "verified"],
    ["pending", all("missing"), "pending"],
    ["verified", all("missing"), "failed"],
    ["verified", all("unreachable"), "verified"],
    ["failed", all("unreachable"), "failed"],
    ["verified", [...all("verified").slice(1), { ...spf, status: "mismatch" as const }], "failed"],
  ])("of a %s account", (current, checked, expected) => expect(statusAfterCheck(current, checked)).toBe(expected));
});
