import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";

// Rent of September was due on the 1st; the office agreed on August 25. The lease is terminated on September 15.
test("rent that is prorated stays due on an agreed day before its month", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { startDate: "2025-08-01", createRecurringRent: true });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  const readRent = async () => {
    const { charges } = await office.call("listCharges", { query: { leaseId, dueAfter: "2025-08-02", dueBefore: "2025-09-30" } });
    return charges.filter(({ status }) => status !== "voided");
  };
  const [rent] = await readRent();
  await office.call("updateCharge", { params: { id: rent!.id }, body: { dueDate: "2025-08-25" } });
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2025-09-15" } });
  expect((await readRent()).map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([["2025-08-25", 50_000]]);
});
