import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";

/** Returns the due dates and amounts of charges, by due date. */
const inOrder = (charges: readonly { dueDate: string; amountCents: number }[]) =>
  charges.toSorted((one, other) => one.dueDate.localeCompare(other.dueDate)).map(({ dueDate, amountCents }) => [dueDate, amountCents]);

// The lease ends on October 15. The tenant stays until November 20 and pays 1,000 a month.
test.each([
  ["prorate", ["2025-11-01", 66_667]],
  ["full", ["2025-11-01", 100_000]],
  ["none", undefined],
] as const)("the days from the end of an expired lease to its termination are charged at its rent, with the final rent %s", async (finalRent, lastMonth) => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { startDate: "2025-09-01", endDate: "2025-10-15", createRecurringRent: true });
  const readRules = async () => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules.map(({ status }) => status);
  await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
  await eventually("the end of the recurring charges", async () => (await readRules()).every((status) => status === "ended"));
  const readCharges = async () => {
    const { charges } = await office.call("listCharges", { query: { leaseId } });
    return inOrder(charges);
  };
  const ofTheTerm = [
    ["2025-09-01", 100_000],
    ["2025-10-01", 48_387],
  ];
  expect(await readCharges()).toEqual(ofTheTerm);
  const { charges } = await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2025-11-20", finalRent } });
  const ofTheHoldover = [["2025-10-16", 51_613], ...(lastMonth ? [lastMonth] : [])];
  expect(inOrder(charges)).toEqual(ofTheHoldover);
  expect(await readCharges()).toEqual([...ofTheTerm, ...ofTheHoldover]);
  expect(await readRules()).toEqual(["ended"]);
});
