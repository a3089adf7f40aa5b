/** Writing of balances, charges and payments: no money is lost, and none is recorded twice. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { createReadyBundle, csvFile } from "../../test/bundles.ts";
import { writeBundle } from "../../test/writing.ts";

test("a prepayment in a rent roll becomes credit of the tenant, also without a balance due", async () => {
  const office = await anOffice();
  const { id } = await createReadyBundle(
    office,
    "buildium",
    csvFile("properties.csv", "Name,AddressLine1,City,State,PostalCode", "Maple Court,12 Maple Street,Albany,NY,12207"),
    csvFile(
      "rent_roll.csv",
      "Property,Unit,Tenants,Lease Start,Lease End,Rent,Deposits Held,Prepayments,Balance Due",
      "Maple Court,101,Sam Sample,01/01/2026,12/31/2099,1000.00,0.00,200.00,0.00",
      "Maple Court,102,Alex Other,01/01/2026,12/31/2099,1000.00,0.00,200.00,50.00",
    ),
  );
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
  const { payments } = await office.call("listPayments");
  expect(payments.map(({ amountCents, unallocatedCents }) => [amountCents, unallocatedCents])).toEqual([
    [20_000, 20_000],
    [20_000, 20_000],
  ]);
  expect((await office.call("listCharges", { query: { chargeType: "other" } })).charges).toMatchObject([{ amountCents: 5_000, balanceCents: 5_000 }]);
});
