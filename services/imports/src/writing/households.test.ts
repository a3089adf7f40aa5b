/** Couples whose names come in either order: one tenancy with one deposit and one balance. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, csvFile, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { writeBundle } from "../../test/writing.ts";

const NOTHING_NEW = { ready_create: 0, ready_update: 0, invalid: 0, ambiguous: 0, blocked: 0 };

/** Returns the first days, the people, the deposits and the balances of the leases of an office. */
async function tenanciesOf(office: Office) {
  const { leases } = await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } });
  const { securityDeposits } = await office.call("listSecurityDeposits");
  return leases.map(({ id, startDate, occupants, balanceCents }) => [
    startDate,
    occupants.map(({ fullName }) => fullName).toSorted(),
    securityDeposits.filter(({ leaseId }) => leaseId === id).map(({ heldCents }) => heldCents),
    balanceCents,
  ]);
}
const COUPLE = ["Kim Co", "Sam Sample"];

describe("a rent roll of Buildium without lease ids", () => {
  const property = csvFile("properties.csv", "Name,AddressLine1,City,State,PostalCode", "Maple Court,12 Maple Street,Albany,NY,12207");
  const HEADER = "Property,Unit,Tenants,Lease Start,Lease End,Rent,Deposits Held,Prepayments,Balance Due";
  const validateRoll = async (office: Office, ...rows: string[]) => {
    const { id } = await createBundle(office, "buildium", "rolls");
    await uploadFiles(office, id, property, csvFile("rent_roll.csv", HEADER, ...rows.map((row) => `Maple Court,101,${row}`)));
    return validateBundle(office, id);
  };
  const importRoll = async (office: Office, ...rows: string[]) => writeBundle(office, (await validateRoll(office, ...rows)).id);
  const first = (couple: string) => `"${couple}",01/01/2025,12/31/2025,1000.00,900.00,0.00,10.00`;
  const second = (couple: string, deposit = "900.00") => `"${couple}",01/01/2026,12/31/2099,1000.00,${deposit},0.00,10.00`;

  test("has one deposit and one balance for both terms of a couple in another order, in one file", async () => {
    const office = await anOffice();
    const rows = [first("Sam Sample, Kim Co"), second("Kim Co, Sam Sample")];
    expect(await importRoll(office, ...rows)).toMatchObject({ status: "completed" });
    expect(await tenanciesOf(office)).toEqual([
      ["2025-01-01", COUPLE, [], 0],
      ["2026-01-01", COUPLE, [90_000], 1_000],
    ]);
    const otherOrders = [rows, rows.toReversed(), [second("Sam Sample, Kim Co")], [first("Kim Co, Sam Sample"), second("Sam Sample, Kim Co")]];
    for (const each of otherOrders) expect((await validateRoll(office, ...each)).counts).toMatchObject(NOTHING_NEW);
  });

  test("has one deposit and one balance for both terms in two files", async () => {
    const office = await anOffice();
    await importRoll(office, first("Sam Sample, Kim Co"));
    expect((await importRoll(office, second("Kim Co, Sam Sample"))).counts.byEntity).toMatchObject({
      deposit: { unchanged: 1 },
      opening_balance: { unchanged: 1 },
    });
    expect(await tenanciesOf(office)).toEqual([
      ["2025-01-01", COUPLE, [], 1_000],
      ["2026-01-01", COUPLE, [90_000], 0],
    ]);
  });

  test("has errors instead of one lost amount when the deposits differ", async () => {
    const { counts } = await validateRoll(await anOffice(), first("Sam Sample, Kim Co"), second("Kim Co, Sam Sample", "700.00"));
    expect(counts.byEntity["deposit"]).toEqual({ invalid: 2 });
  });

  test("has two tenancies for two people of whom one has lived with the other before", async () => {
    const office = await anOffice();
    expect(await importRoll(office, first("Sam Sample"), second("Kim Co"))).toMatchObject({ status: "completed" });
    expect((await tenanciesOf(office)).map(([, , deposits]) => deposits)).toEqual([[90_000], [90_000]]);
  });
});

describe("a rent roll of AppFolio with occupancy ids", () => {
  const HEADER = "Unit,Tenant,Status,Rent,Deposit,Lease From,Lease To,Move-in,Past Due,Occupancy ID";
  const importRoll = async (office: Office, tenants: string, from: string, to: string, rent: string) => {
    const { id } = await createBundle(office, "appfolio", "rolls");
    const row = `1,"${tenants}",Current,"${rent}",900.00,${from},${to},01/01/2024,0.00,9001`;
    await uploadFiles(office, id, csvFile("rent_roll.csv", HEADER, '"Birch Row - 40 Birch Ave Salem, OR 97301",,,,,,,,,', row));
    const { counts } = await validateBundle(office, id);
    return { counts, status: (await writeBundle(office, id)).status };
  };

  test("is unchanged when the couple comes in another order, and has its renewal", async () => {
    const office = await anOffice();
    await importRoll(office, "Sample, Sam & Co, Kim", "01/01/2026", "12/31/2098", "1,000.00");
    for (const couple of ["Co, Kim & Sample, Sam", "Sample, Sam & Co, Kim"])
      expect((await importRoll(office, couple, "01/01/2026", "12/31/2098", "1,000.00")).counts).toMatchObject(NOTHING_NEW);
    const renewal = await importRoll(office, "Co, Kim & Sample, Sam", "01/01/2099", "12/31/2099", "1,100.00");
    expect(renewal).toMatchObject({ status: "completed", counts: { byEntity: { lease: { ready_update: 1 } }, ready_create: 0 } });
    const { leases } = await office.call("listLeases");
    expect(leases).toMatchObject([{ tenantName: "Sam Sample", endDate: "2099-12-31" }]);
    expect(await tenanciesOf(office)).toEqual([["2026-01-01", COUPLE, [90_000], 0]]);
  });

  test("is an error when the primary tenant is gone or another one", async () => {
    const office = await anOffice();
    await importRoll(office, "Sample, Sam & Co, Kim", "01/01/2026", "12/31/2098", "1,000.00");
    for (const tenants of ["Co, Kim", "Next, Nora & Sample, Sam"])
      expect((await importRoll(office, tenants, "01/01/2026", "12/31/2098", "1,000.00")).counts.byEntity["lease"]).toEqual({ invalid: 1 });
  });
});
