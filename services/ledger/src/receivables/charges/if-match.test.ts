/** Conditional requests with If-Match (RFC 9110). */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aTenancy } from "../../../../../test/support/tenancy.ts";

let office: Office;
let chargeId: string;
beforeAll(async () => {
  office = await anOffice();
  chargeId = await aCharge(office, (await aTenancy(office)).leaseId, 100);
});

describe("If-Match of RFC 9110 accepts", () => {
  const change = async (ifMatch: (etag: string) => string) => {
    const { headers } = await office.attempt("getCharge", { params: { id: chargeId } });
    const request = { params: { id: chargeId }, body: { name: "Rent" }, headers: { "If-Match": ifMatch(headers.get("etag")!) } };
    return (await office.attempt("updateCharge", request)).status;
  };
  test("control: the current version, and no other one", async () => {
    expect([await change((etag) => etag), await change(() => '"999"')]).toEqual([200, 412]);
  });
  test("any version with *", async () => {
    expect(await change(() => "*")).toBe(200);
  });
  test("a list that contains the current version", async () => {
    expect(await change((etag) => `"999", ${etag}`)).toBe(200);
  });
});
