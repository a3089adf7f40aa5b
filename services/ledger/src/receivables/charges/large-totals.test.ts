/** Charges whose total exceeds what the stored totals can hold. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";

test("charges of the largest accepted amount are accepted or refused with a reason, however many there are", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office);
  const charge = { leaseId, amountCents: Number.MAX_SAFE_INTEGER, dueDate: "2026-03-01", chargeType: "rent" as const };
  const statuses: number[] = [];
  for (let request = 0; request < 5; request++)
    statuses.push((await office.attempt("createCharges", { body: { charges: Array.from({ length: 500 }, () => charge) } as never })).status);
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
}, 60_000);
