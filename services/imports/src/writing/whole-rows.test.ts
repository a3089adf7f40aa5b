/** Rows that become several records: all of them are written or none, so that a corrected row is imported like a new one. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { closingBalances } from "../../../../test/support/tenancy.ts";
import { whileRefused } from "../../test/refusals.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const lease = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1A,1000.00", "U-2,P-1,1B,1000.00"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant", "T-2,Otto Other"],
  leases: [
    "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent",
    "L-1,U-1,T-1,month_to_month,active,2026-01-01,1000.00",
    "L-2,U-2,T-2,month_to_month,active,2026-01-01,1000.00",
  ],
  charges: ["source_id,lease_source_id,date,type,amount", "C-1,L-1,2026-02-01,rent,1000.00", "C-2,L-2,2026-02-01,rent,1000.00"],
} satisfies Sheets;
const deposit = (row: string): Sheets => ({ ...lease, deposits: ["lease_source_id,amount_held,bank_account,holder,received_date", row] });
const rows = {
  payment: {
    ...lease,
    payments: ["source_id,lease_source_id,received_date,amount,method,applied_to_charge_source_id", "M-1,L-1,2026-02-03,1200.00,check,C-1"],
  },
  "undeposited deposit": deposit("L-1,900.00,,,2026-01-02"),
  "deposit at a bank": deposit("L-1,900.00,Deposit trust,,2026-01-02"),
  "deposit of the owner": deposit("L-1,900.00,,owner,2026-01-02"),
  "opening balance": { ...lease, opening_balances: ["lease_source_id,as_of,balance,prepaid", "L-1,2026-01-01,75.00,20.00"] },
} satisfies Record<string, Sheets>;
type Row = keyof typeof rows;

async function anOfficeWithTrust(): Promise<Office> {
  const office = await anOffice();
  const account = {
    name: "Deposit trust",
    accountType: "security_deposit",
    institutionName: "First Bank",
    accountMask: "4321",
    openingDate: "2026-01-01",
  } as const;
  await office.call("createBankAccount", { body: account });
  return office;
}

/** Returns the sums of an organization's ledger: balances of accounts, and what is open, credit and held. */
async function sumsOf(office: Office) {
  const { charges } = await office.call("listCharges", { query: { pageSize: 100 } });
  const { payments } = await office.call("listPayments", { query: { pageSize: 100 } });
  const { securityDeposits } = await office.call("listSecurityDeposits");
  return {
    balances: await closingBalances(office),
    charges: charges.map(({ chargeType, amountCents, balanceCents }) => `${chargeType} ${amountCents} ${balanceCents}`).toSorted(),
    payments: payments.map(({ amountCents, unallocatedCents }) => `${amountCents} ${unallocatedCents}`).toSorted(),
    deposits: securityDeposits.map(({ holder, heldCents }) => `${holder} ${heldCents}`),
  };
}

const parts: readonly [Row, string][] = [
  ["payment", "payment"],
  ["payment", "payment_allocation"],
  ["undeposited deposit", "payment"],
  ["undeposited deposit", "payment_allocation"],
  ["deposit at a bank", "security_deposit"],
  ["deposit at a bank", "payment"],
  ["deposit at a bank", "bank_deposit"],
  ["deposit of the owner", "security_deposit"],
  ["deposit of the owner", "security_deposit_transaction"],
  ["opening balance", "payment"],
];

describe("a row that becomes several records", () => {
  const cleanSums = new Map<Row, ReturnType<typeof importClean>>();
  async function importClean(row: Row) {
    const office = await anOfficeWithTrust();
    expect(await writeBundle(office, (await prepareBundle(office, rows[row])).id)).toMatchObject({ status: "completed" });
    return sumsOf(office);
  }
  const sumsOfCleanImport = (row: Row) => cleanSums.get(row) ?? cleanSums.set(row, importClean(row)).get(row)!;

  test.each(parts)("%s: nothing of it is written while %s is refused, and the next import makes the sums of a clean one", async (row, table) => {
    const office = await anOfficeWithTrust();
    await writeBundle(office, (await prepareBundle(office, lease)).id);
    const before = await sumsOf(office);
    const { id } = await prepareBundle(office, rows[row]);
    const refused = await whileRefused({ database: "ledger", table, organizationId: office.organizationId }, () => writeBundle(office, id));
    expect(refused).toMatchObject({ status: "completed_with_errors", counts: { invalid: 1 } });
    expect(await sumsOf(office)).toEqual(before);
    const identityMap = await (await office.raw("GET", `/api/import-bundles/${id}/identity-map.csv`)).text();
    expect(identityMap).not.toMatch(/^(payment|deposit|opening_balance),/m);
    const next = await prepareBundle(office, rows[row]);
    expect(next.counts).toMatchObject({ ready_create: 1, invalid: 0 });
    expect(await writeBundle(office, next.id)).toMatchObject({ status: "completed" });
    expect(await sumsOf(office)).toEqual(await sumsOfCleanImport(row));
    expect((await prepareBundle(office, rows[row])).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
  });
});
