import { expect, test } from "@jest/globals";
import { eventually } from "../../../../../test/support/eventually.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { aLeaseWithLateFees } from "./late-fees.fixtures.ts";

/** Creates a lease with rent of 1,000 of September, and functions that waive it as of September 1 and read the charges that are not voided. */
async function aLeaseWithRent() {
  const { office, leaseId } = await aLeaseWithLateFees();
  const [rent] = (await office.call("listCharges", { query: { leaseId, dueBefore: "2025-09-30" } })).charges;
  const credit = { amountCents: 100_000, reason: "concession" as const, creditedOn: "2025-09-01" };
  const waiveRent = () => office.call("creditCharge", { params: { id: rent!.id }, body: credit });
  const liveCharges = async () => {
    const { charges } = await office.call("listCharges", { query: { leaseId, dueBefore: "2025-09-30" } });
    return charges.filter(({ status }) => status !== "voided").map(({ chargeType, amountCents, balanceCents }) => [chargeType, amountCents, balanceCents]);
  };
  return { office, leaseId, waiveRent, liveCharges };
}

// The rent is waived, the month is closed, and the lease is terminated on September 15: the rent is 500, all of it waived.
test("rent that was waived on its due date bears no late fee when it is prorated after its month was closed", async () => {
  const { office, leaseId, waiveRent, liveCharges } = await aLeaseWithRent();
  await waiveRent();
  await closeMonth(office, "2025-09");
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2025-09-15" } });
  await office.call("assessLateFees", { body: { asOf: "2025-12-01" } });
  expect(await liveCharges()).toEqual([["rent", 50_000, 0]]);
});

test("the late fee of rent that is waived as of its due date after its month was closed is voided", async () => {
  const { office, waiveRent, liveCharges } = await aLeaseWithRent();
  await office.call("assessLateFees", { body: { asOf: "2025-09-30" } });
  await closeMonth(office, "2025-09");
  await waiveRent();
  await eventually("review of the late fee", async () => (await liveCharges()).length === 1);
  expect(await liveCharges()).toEqual([["rent", 100_000, 0]]);
});
