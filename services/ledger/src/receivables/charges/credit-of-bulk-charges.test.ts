/** Automatic allocation of credit to charges that one request creates. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";

// Credit of 1,000.00, and one request with charges of 1,000.00 due on March 1 and on February 1, in this order. The oldest due date is
// settled first: the charge of February 1 is paid, that of March 1 is open.
test("credit settles the oldest charge of a bulk request first, whatever the order of the request", async () => {
  const office = await anOffice();
  const tenancy = await aTenancy(office);
  // The ledger receives the policy asynchronously: charges of one cent show when it is in effect.
  await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
  const other = await aTenancy(office);
  await office.call("recordPayment", { body: aPayment(other, 10_000) });
  await eventually(
    "policy",
    async () => (await office.call("getCharge", { params: { id: await aCharge(office, other.leaseId, 1) } })).charge.status === "paid",
  );
  await office.call("recordPayment", { body: aPayment(tenancy, 100_000) });
  const charge = { leaseId: tenancy.leaseId, amountCents: 100_000, chargeType: "rent" as const };
  await office.call("createCharges", {
    body: {
      charges: [
        { ...charge, dueDate: "2026-03-01" },
        { ...charge, dueDate: "2026-02-01" },
      ],
    },
  });
  const { charges } = await office.call("listCharges", { query: { leaseId: tenancy.leaseId, sortBy: "dueDate", sortDirection: "asc" } });
  expect(charges.map(({ dueDate, balanceCents }) => [dueDate, balanceCents])).toEqual([
    ["2026-02-01", 0],
    ["2026-03-01", 100_000],
  ]);
});
