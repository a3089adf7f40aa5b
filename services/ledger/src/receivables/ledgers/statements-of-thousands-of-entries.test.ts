/**
 * Statements with thousands of entries, below the limit of 5,000 (`getLeaseStatement`). The lease has `CHARGES` charges of 1 cent and one
 * payment that settles all of them, so debits and credits are `CHARGES` cents each, and the balance is 0.
 */
import { expect, test } from "@jest/globals";
import { sized } from "../../../../../test/support/proof.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";

const CHARGES = sized(1_500, 4_500);
const year = { from: "2026-01-01", to: "2026-12-31" };

async function chargedLease() {
  const office = await anOffice();
  const tenancy = await aTenancy(office);
  const charge = { leaseId: tenancy.leaseId, amountCents: 1, dueDate: "2026-01-02", chargeType: "fee" as const };
  for (let posted = 0; posted < CHARGES; posted += 500)
    await office.call("createCharges", { body: { charges: Array.from({ length: 500 }, () => charge) } as never });
  return { office, tenancy };
}

test("a lease whose thousands of charges were settled by one payment has a statement", async () => {
  const { office, tenancy } = await chargedLease();
  await office.call("recordPayment", { body: { ...aPayment(tenancy, CHARGES), autoAllocate: true } });
  const { status, body } = await office.attempt("getLeaseStatement", { params: { id: tenancy.leaseId }, query: year });
  expect(status).toBe(200);
  expect(body.statement).toMatchObject({ debitTotalCents: CHARGES, creditTotalCents: CHARGES, closingBalanceCents: 0 });
});
