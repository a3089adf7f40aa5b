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

test("a refund in a file of transactions is neither a charge nor a payment, and is listed with the reason", async () => {
  const office = await anOffice();
  const { id, counts } = await createReadyBundle(
    office,
    "buildium",
    csvFile("properties.csv", "Name,AddressLine1,City,State,PostalCode", "Elm Street 1,1 Elm Street,Albany,NY,12207"),
    csvFile("units.csv", "PropertyId,Property name,UnitNumber,MarketRent", ",Elm Street 1,1,1000.00"),
    csvFile("leases.csv", "Id,Property name,Unit number,LeaseFromDate,LeaseToDate,Rent,Tenants", "9,Elm Street 1,1,01/01/2026,12/31/2099,1000.00,Tess Tenant"),
    csvFile("tenants.csv", "Id,Property,Unit number,First name,Last name", "5,Elm Street 1,1,Tess,Tenant"),
    csvFile(
      "charges_and_payments.csv",
      "Date,Transaction type,Property name,Unit number,LeaseId,Payment method,Paid by,Amount,General Ledger Allocation,Memo,Id",
      "06/01/2026,Charge,Elm Street 1,1,9,,,100.00,Rent Income,June,701",
      "06/02/2026,Refund,Elm Street 1,1,9,,,40.00,Rent Income,Refund,702",
    ),
  );
  expect(counts.byEntity).toMatchObject({ charge: { ready_create: 1, invalid: 1 } });
  expect(counts.byEntity).not.toHaveProperty("payment");
  const failures = await (await office.raw("GET", `/api/import-bundles/${id}/failures.csv`)).text();
  expect(failures).toMatch(/charges_and_payments.csv,3,charge,702,invalid,enum,.*"Refund".*not imported/);
});
