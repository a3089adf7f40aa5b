/** Payments that the bank returns after their money was used: what is missing, where, and who owes it. */
import { describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../../test/support/eventually.ts";
import type { Office } from "../../../../../test/support/office.ts";
import { aCharge, aTenancy } from "../../../../../test/support/tenancy.ts";
import { raisedKeys } from "../../../test/ledger.fixtures.ts";
import { approvePayouts, aPayingOffice, draftPayouts, payPayout } from "../../owners/owners.fixtures.ts";
import {
  aDepositOffice,
  aLetter,
  aReceivedDeposit,
  aRefund,
  depositOf,
  expectNoViolations,
  type DepositOffice,
} from "../../trust/security-deposits/security-deposits.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../../trust/trust.fixtures.ts";

/** Returns the only payment of a lease by the bank, on March 6 by default. */
async function bounce(office: Office, leaseId: string, reversedAt = "2026-03-06T17:00:00.000Z") {
  const [payment] = (await office.call("listPayments", { query: { leaseId } })).payments;
  return office.call("reversePayment", { params: { id: payment!.id }, body: { reason: "nsf", reversedAt } });
}

async function finalize({ office, id }: DepositOffice): Promise<void> {
  await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-02-20" } });
  await office.call("finalizeSecurityDeposit", { params: { id }, body: aLetter });
}

/** Uses of a deposit of 150,000 cents that was received on January 7. */
const uses: Record<string, (deposit: DepositOffice) => Promise<unknown>> = {
  "refunded to the tenant": async (deposit) => {
    await finalize(deposit);
    await deposit.office.call("refundSecurityDeposit", { params: { id: deposit.id }, body: aRefund(150_000, deposit.escrow) });
  },
  "applied to rent": async ({ office, tenancy, id }) => {
    const chargeId = await aCharge(office, tenancy.leaseId, 150_000, "2026-02-01");
    await office.call("applySecurityDeposit", { params: { id }, body: { allocations: [{ chargeId, amountCents: 150_000 }], occurredOn: "2026-02-10" } });
  },
  "transferred to another lease": async ({ office, tenancy, id }) => {
    const next = await aTenancy(office, { tenantId: tenancy.tenantId });
    await office.call("transferSecurityDeposit", { params: { id }, body: { toLeaseId: next.leaseId, occurredOn: "2026-02-01" } });
  },
  "kept for damage": async (deposit) => {
    const body = { category: "damage" as const, description: "Door", amountCents: 150_000 };
    await deposit.office.call("createSecurityDepositDeduction", { params: { id: deposit.id }, body });
    await finalize(deposit);
  },
};

describe("a security deposit whose payment is returned after the deposit was", () => {
  test.each(Object.keys(uses))("%s lacks the amount from the return on, and the tenant owes it again", async (use) => {
    const deposit = await aDepositOffice();
    const { office, tenancy, escrow, id } = deposit;
    await aReceivedDeposit(office, await aTenancy(office), escrow);
    await uses[use]!(deposit);
    const { warnings, charges } = await bounce(office, tenancy.leaseId);
    const label = `the deposit of Tess Tenant at the property Elm Street 1 (${tenancy.propertyId})`;
    expect(warnings).toEqual([
      `The bank account security_deposit account lacks 150000 cents of ${label}, because the money of the payment was already used. Deposit the missing money in the account, or transfer it there.`,
    ]);
    expect(charges).toMatchObject([{ chargeType: "deposit", balanceCents: 150_000, leaseId: tenancy.leaseId }]);
    expect((await depositOf(deposit)).heldCents).toBe(-150_000);
    // On the day before the return, nobody's money is missing.
    for (const [asOf, lacking] of [
      ["2026-03-05", []],
      ["2026-03-06", [["deposit", tenancy.propertyId, tenancy.tenantId, -150_000]]],
    ] as const) {
      const { rows, totals } = await subLedgersOf(office, escrow, asOf);
      expect([asOf, rows.filter(([, , , cents]) => Number(cents) < 0), totals[2]]).toEqual([asOf, lacking, 0]);
    }
    const { diagnostics } = await office.call("listDiagnostics", { query: { key: "deposit_mismatch" } });
    expect(diagnostics[0]!.items).toContainEqual(expect.objectContaining({ entityType: "tenant", entityId: tenancy.tenantId, amountCents: -150_000 }));
    await eventually("the diagnostic", async () => (await raisedKeys(office)).includes("deposit_mismatch"));
    await expectNoViolations(office);
    // The tenant pays again.
    const body = { amountCents: 150_000, paymentMethod: "check" as const, receivedAt: "2026-03-10T17:00:00.000Z", idempotencyKey: id };
    const allocations = [{ chargeId: charges[0]!.id, amountCents: 150_000 }];
    const { payment } = await office.call("recordPayment", { body: { tenantId: tenancy.tenantId, leaseId: tenancy.leaseId, ...body, allocations } });
    await office.call("createDeposit", { body: { bankAccountId: escrow, depositedOn: "2026-03-10", paymentIds: [payment.id] } });
    expect((await depositOf(deposit)).heldCents).toBe(0);
    expect((await subLedgersOf(office, escrow)).rows.filter(([, , , cents]) => Number(cents) < 0)).toEqual([]);
    await expectNoViolations(office);
  });
});

describe("the return of rent", () => {
  test("that was paid out to the owner names the bank account and the property, and its diagnostic is raised at once", async () => {
    const { office, leaseId, propertyId } = await aPayingOffice({ annBps: 10_000 });
    const payouts = await draftPayouts(office);
    await approvePayouts(office, payouts);
    await payPayout(office, payouts[0]!);
    const { warnings } = await bounce(office, leaseId);
    expect(warnings).toEqual([
      expect.stringContaining(`The bank account operating account lacks 100000 cents of the owners of the property Elm Street 1 (${propertyId})`),
    ]);
    await eventually("the diagnostic", async () => (await raisedKeys(office)).includes("negative_owner_ledger"));
  });

  test("that is still in the account warns of nothing", async () => {
    const { office, leaseId } = await aPayingOffice();
    expect((await bounce(office, leaseId)).warnings).toEqual([]);
  });

  test("whose credit was refunded names the owners of the property, whose money the refund was", async () => {
    const { office, bankAccountId } = await aPayingOffice();
    const { tenantId, leaseId, propertyId } = await aTenancy(office);
    const { payment } = await office.call("recordPayment", {
      body: { tenantId, leaseId, amountCents: 700, paymentMethod: "check", receivedAt: "2026-02-05T15:00:00.000Z", idempotencyKey: propertyId },
    });
    await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-02-06", paymentIds: [payment.id] } });
    const refund = { amountCents: 700, method: "check" as const, bankAccountId, refundedAt: "2026-02-07T15:00:00.000Z" };
    await office.call("refundPayment", { params: { id: payment.id }, body: refund });
    const { warnings, charges } = await bounce(office, leaseId);
    expect(warnings).toEqual([expect.stringContaining(`lacks 700 cents of the owners of the property Elm Street 1 (${propertyId})`)]);
    expect(charges).toMatchObject([{ name: "Refund of a returned payment", balanceCents: 700 }]);
  });

  test("that never reached a bank warns of nothing", async () => {
    const deposit = await aDepositOffice();
    const { office } = deposit;
    const { leaseId, tenantId } = await aTenancy(office);
    await aBankAccount(office);
    const receipt = { paymentMethod: "check" as const, receivedAt: "2026-02-05T15:00:00.000Z", idempotencyKey: leaseId };
    await office.call("recordPayment", { body: { tenantId, leaseId, amountCents: 700, ...receipt } });
    expect((await bounce(office, leaseId)).warnings).toEqual([]);
  });
});
