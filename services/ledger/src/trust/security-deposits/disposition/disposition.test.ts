import { describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { pageTexts } from "../../../pdf/page-texts.fixtures.ts";
import { aDepositOffice, aLetter, depositOf } from "../security-deposits.fixtures.ts";

describe("a move-out", () => {
  test("by the termination of the lease starts the period of the state, after which the disposition is due", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, id } = deposit;
    await office.call("terminateLease", { params: { id: tenancy.leaseId }, body: { terminationDate: "2026-02-20" } });
    await eventually("move-out of the deposit", async () => (await depositOf(deposit)).moveOutDate !== null);
    // New York gives 14 days.
    expect(await depositOf(deposit)).toMatchObject({ moveOutDate: "2026-02-20", dispositionDueOn: "2026-03-06", status: "disposition_due" });
    const due = (dueBefore: string) => office.call("listSecurityDeposits", { query: { dueBefore, status: "disposition_due" } });
    expect((await due("2026-03-06")).securityDeposits.map((each) => each.id)).toEqual([id]);
    expect((await due("2026-03-05")).securityDeposits).toEqual([]);
  });

  test("can be corrected, and the deadline with it or apart from it", async () => {
    const { office, tenancy, id } = await aDepositOffice();
    const update = async (body: object) => (await office.call("updateSecurityDeposit", { params: { id }, body })).securityDeposit;
    expect(await update({ moveOutDate: "2026-02-20" })).toMatchObject({ dispositionDueOn: "2026-03-06" });
    expect(await update({ dispositionDueOn: "2026-03-10" })).toMatchObject({ moveOutDate: "2026-02-20", dispositionDueOn: "2026-03-10" });
    expect(await update({ moveOutDate: null })).toMatchObject({ moveOutDate: null, dispositionDueOn: null, status: "held" });
    await office.call("updateOrganization", { body: { policies: { defaultDepositDeadlineDays: 10 } } });
    await eventually("deadline of the policy", async () => (await update({ moveOutDate: "2026-02-20" })).dispositionDueOn === "2026-03-02");
    await office.call("updateProperty", { params: { id: tenancy.propertyId }, body: { depositDeadlineDays: 21 } });
    await eventually("deadline of the property", async () => (await update({ moveOutDate: "2026-02-20" })).dispositionDueOn === "2026-03-13");
  });
});

describe("getSecurityDepositDisposition", () => {
  test("itemizes the deductions with the deadline and its source, first as a draft, and prints the letter", async () => {
    const { office, id } = await aDepositOffice();
    const params = { id };
    await office.call("updateSecurityDeposit", { params, body: { moveOutDate: "2026-02-20" } });
    await office.call("createSecurityDepositDeduction", {
      params,
      body: { category: "cleaning", description: "Cleaning of the kitchen", amountCents: 12_000 },
    });
    const { disposition } = await office.call("getSecurityDepositDisposition", { params });
    expect(disposition).toMatchObject({
      organizationName: "Elm Street Management",
      tenantName: "Tess Tenant",
      moveOutDate: "2026-02-20",
      dispositionDueOn: "2026-03-06",
      remainingDays: expect.any(Number),
      deadline: { days: 14, isUnverified: true, source: expect.stringContaining("NY") },
      heldCents: 150_000,
      deductionsCents: 12_000,
      refundCents: 138_000,
      isFinal: false,
      sentAt: null,
    });
    await office.call("finalizeSecurityDeposit", { params, body: aLetter });
    expect((await office.call("getSecurityDepositDisposition", { params })).disposition).toMatchObject({
      heldCents: 150_000,
      refundCents: 138_000,
      isFinal: true,
      sentAt: aLetter.sentAt,
      forwardingAddress: aLetter.forwardingAddress,
    });
    const response = await office.raw("GET", `/api/trust/security-deposits/${id}/disposition?format=pdf`);
    expect(response.headers.get("Content-Type")).toBe("application/pdf");
    const [page] = pageTexts(Buffer.from(await response.arrayBuffer()));
    for (const text of ["Tess Tenant", "Cleaning of the kitchen", "-$120.00", "$1,380.00", "03/06/2026"]) expect(page).toContain(text);
  });
});
