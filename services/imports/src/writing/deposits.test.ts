/** Imported security deposits are where the file says that the money is. */
import { expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { closingBalances } from "../../../../test/support/tenancy.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const portfolio = {
  properties: ["name,street_line1,city,state,postal_code", "Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["property_name,unit_number,monthly_rent", "Maple Court,1A,1000.00", "Maple Court,1B,1000.00"],
  tenants: ["full_name,email", "Tess Tenant,tess@example.com", "Otto Other,otto@example.com"],
} satisfies Sheets;
const leasesHeader = "property_name,unit_number,primary_tenant_name,start_date,rent,amount_held,bank_account,holder,received_date";
const withLeases = (...moneyOfRows: string[]): Sheets => ({
  ...portfolio,
  leases: [leasesHeader, ...moneyOfRows.map((money, index) => `Maple Court,${["1A,Tess Tenant", "1B,Otto Other"][index]!},2026-01-01,1000.00,${money}`)],
});

async function createAccount(office: Office, name: string, accountType: "security_deposit" | "operating" | "business"): Promise<string> {
  const terms = { institutionName: "First Bank", accountMask: "4321", openingDate: "2026-01-01" };
  return (await office.call("createBankAccount", { body: { name, accountType, ...terms } })).bankAccount.id;
}
const listDeposits = async (office: Office) =>
  (await office.call("listSecurityDeposits")).securityDeposits.map(({ bankAccountId, holder, heldCents }) => ({
    bankAccountId,
    holder,
    heldCents,
  }));

test("a deposit is posted into the bank account that its row names, and into the only one for deposits without a name", async () => {
  const office = await anOffice();
  const [trust, operating] = [await createAccount(office, "Deposit trust", "security_deposit"), await createAccount(office, "Client money", "operating")];
  const bundle = await prepareBundle(office, withLeases("1000.00,client MONEY,,2026-02-01", "900.00,,,2026-02-01"));
  expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
  expect((await listDeposits(office)).toSorted((a, b) => b.heldCents - a.heldCents)).toMatchObject([
    { bankAccountId: operating, holder: "organization", heldCents: 100_000 },
    { bankAccountId: trust, holder: "organization", heldCents: 90_000 },
  ]);
  const balances = await closingBalances(office);
  expect([balances["1000"], balances["1010"], balances["1050"] ?? 0, balances["2100"]]).toEqual([100_000, 90_000, 0, -190_000]);
  const { journalEntries } = await office.call("listJournalEntries", { query: { pageSize: "100" } });
  expect(journalEntries.map(({ memo }) => memo)).toEqual(expect.arrayContaining(["Security deposit from Tess Tenant", "Security deposit from Otto Other"]));
  expect((await prepareBundle(office, withLeases("1000.00,client MONEY,,2026-02-01", "900.00,,,2026-02-01"))).counts).toMatchObject({
    unchanged: 9,
    ready_create: 0,
    ready_update: 0,
  });
});

test("a deposit that the owner holds is no money of the organization", async () => {
  const office = await anOffice();
  await createAccount(office, "Deposit trust", "security_deposit");
  const bundle = await prepareBundle(office, withLeases("1000.00,,owner,2026-02-01", "900.00,Deposit trust,owner,2026-02-01"));
  expect(bundle.counts.byEntity["deposit"]).toEqual({ ready_create: 1, invalid: 1 });
  expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed_with_errors", counts: { invalid: 1 } });
  expect(await listDeposits(office)).toMatchObject([{ bankAccountId: null, holder: "owner", heldCents: 100_000 }]);
  const balances = await closingBalances(office);
  expect([balances["1010"] ?? 0, balances["1050"] ?? 0]).toEqual([0, 0]);
});

test("an unknown or a business account is an error of its row before the start, which an edit corrects", async () => {
  const office = await anOffice();
  const trust = await createAccount(office, "Deposit trust", "security_deposit");
  await createAccount(office, "Company", "business");
  const { id, counts } = await prepareBundle(office, withLeases("1000.00,Deposit turst,,", "900.00,Company,,"));
  expect(counts.byEntity["deposit"]).toEqual({ invalid: 2 });
  const { candidates } = await office.call("listImportCandidates", { params: { id }, query: { entityType: "deposit" } });
  expect(candidates.map(({ errors }) => errors)).toEqual([
    [
      {
        path: "bank_account",
        code: "not_found",
        message:
          'bank_account: There is no bank account "Deposit turst". The trust accounts are: "Deposit trust". Use its name, add the account first, or leave bank_account empty.',
      },
    ],
    [{ path: "bank_account", code: "not_found", message: expect.stringContaining('"Company" is a business account') }],
  ]);
  const [misspelled, business] = candidates.map((candidate) => ({ id, candidateId: candidate.id }));
  const edit = (bank_account: string | null) => ({ action: "edit" as const, data: { bank_account } });
  const refused = await office.attempt("resolveImportCandidate", { params: misspelled!, body: edit("Deposit tryst") });
  expect([refused.status, refused.body.errors]).toMatchObject([400, [{ path: "data.bank_account" }]]);
  const { candidate } = await office.call("resolveImportCandidate", { params: misspelled!, body: edit("Deposit trust") });
  expect([candidate.status, candidate.errors]).toEqual(["ready_create", []]);
  await office.call("resolveImportCandidate", { params: business!, body: edit(null) });
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
  expect(await listDeposits(office)).toMatchObject([{ bankAccountId: trust }, { bankAccountId: trust }]);
});

test("a deposit without a date was received on the day of the import, and not in the future", async () => {
  const office = await anOffice();
  const { id } = await prepareBundle(office, withLeases("1000.00,,,"));
  const { startedAt } = await writeBundle(office, id);
  const { payments } = await office.call("listPayments");
  expect(payments).toHaveLength(1);
  expect(Date.parse(payments[0]!.receivedAt)).toBeLessThanOrEqual(Date.parse(startedAt!));
});
