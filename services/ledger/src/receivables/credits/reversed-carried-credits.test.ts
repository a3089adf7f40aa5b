import { expect, test } from "@jest/globals";
import { addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";

/** Creates a lease with concessions on the rent of 1,000 of a later month, and functions that change its term and read the balance of that month. */
async function aLeaseWithConcessions(amounts: readonly number[]) {
  const office = await anOffice();
  const month = addMonths(startOfMonth(todayInOffice()), 2);
  const { leaseId } = await aTenancy(office, { startDate: startOfMonth(todayInOffice()), createRecurringRent: true });
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(month) } });
  const liveCharges = async () => {
    const { charges } = await office.call("listCharges", { query: { leaseId, dueAfter: month, dueBefore: endOfMonth(month) } });
    return charges.filter(({ status }) => status !== "voided");
  };
  const [rent] = await liveCharges();
  for (const amountCents of amounts) await office.call("creditCharge", { params: { id: rent!.id }, body: { amountCents, reason: "concession" } });
  const endLeaseOn = (endDate: string) => office.call("updateLease", { params: { id: leaseId }, body: { endDate } });
  return {
    shorten: () => endLeaseOn(withDayOfMonth(month, 10)),
    extend: () => endLeaseOn("2099-12-31"),
    reverseFirstCredit: async () => {
      const [prorated] = await liveCharges();
      const { credits } = await office.call("getCharge", { params: { id: prorated!.id } });
      await office.call("reverseCredit", { params: { id: prorated!.id, creditId: credits[0]!.id } });
    },
    owedCents: async () => (await liveCharges()).reduce((sum, { balanceCents }) => sum + balanceCents, 0),
  };
}

// A month at 1,000 is free. The lease is shortened to its 10th, the office reverses the concession, and the lease is extended again: 1,000 are owed.
test("a concession that the office reversed on prorated rent is not carried to the rest of the month", async () => {
  const { shorten, extend, reverseFirstCredit, owedCents } = await aLeaseWithConcessions([100_000]);
  await shorten();
  await reverseFirstCredit();
  await extend();
  expect(await owedCents()).toBe(100_000);
});

// Concessions of 50 and 900 on 1,000. The prorated rent is below 360, so the 50 and a part of the 900 are carried to it. The office reverses the 50.
test("the rest of another concession on the same month is still carried to the rest of the month", async () => {
  const { shorten, extend, reverseFirstCredit, owedCents } = await aLeaseWithConcessions([5_000, 90_000]);
  await shorten();
  await reverseFirstCredit();
  await extend();
  expect(await owedCents()).toBe(10_000);
});

test("a concession that the office reversed after it was carried twice is not carried again", async () => {
  const { shorten, extend, reverseFirstCredit, owedCents } = await aLeaseWithConcessions([100_000]);
  await shorten();
  await extend();
  await shorten();
  await reverseFirstCredit();
  await extend();
  expect(await owedCents()).toBe(100_000);
});
