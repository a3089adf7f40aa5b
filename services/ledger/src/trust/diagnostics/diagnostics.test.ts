import type { Diagnostic } from "@freehold/contract/trust/diagnostics";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { compile } from "@freehold/kit/db/statement";
import { expect, test } from "@jest/globals";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, postControlEntry } from "../../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { aPayingOffice, payBill } from "../../owners/owners.fixtures.ts";
import { aFundedProperty, anExpense, aVendor } from "../../payables/payables.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { aDepositOffice } from "../security-deposits/security-deposits.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";
import type { CheckContext } from "./check.ts";
import { journalChecks } from "./journal-checks.queries.ts";

const listOf = async (office: Office) => (await office.call("listDiagnostics", { query: {} })).diagnostics;
const diagnosticOf = async (office: Office, key: Diagnostic["key"]): Promise<Diagnostic> =>
  (await office.call("listDiagnostics", { query: { key } })).diagnostics[0]!;

/** Lets the office overdraw trust accounts. */
const allowOverdraft = (office: Office) => office.call("updateOrganization", { body: { policies: { trustOverdraft: "off" } } });

/** Pays more from a bank account than it holds, once the ledger has the policy. */
const overdraw = (office: Office, bankAccountId: string, expenseId: string, amountCents: number) =>
  eventually("the policy reaches the ledger", async () => (await payBill(office, bankAccountId, expenseId, amountCents)).status === 200);

test("every check passes for a new organization, and names what to do in any case", async () => {
  const diagnostics = await listOf(await anOffice());
  expect(diagnostics.filter(({ count, items, help }) => count !== 0 || items.length > 0 || help === "")).toEqual([]);
  expect(diagnostics).toHaveLength(17);
});

test("money of an owner, a bank account and a reserve that are short are found with their amounts", async () => {
  const { office, propertyId, bankAccountId } = await aPayingOffice({ annBps: 10_000, rentCents: 1_000 });
  await office.call("updateProperty", { params: { id: propertyId }, body: { reserveCents: 500 } });
  expect((await diagnosticOf(office, "reserve_not_met")).count).toBe(0);
  await allowOverdraft(office);
  const bill = await anExpense(office, propertyId, 1_300);
  await overdraw(office, bankAccountId, bill.id, 1_300);
  expect(await diagnosticOf(office, "negative_owner_ledger")).toMatchObject({
    severity: "critical",
    count: 1,
    amountCents: 300,
    items: [{ entityType: "property", entityId: propertyId, bankAccountId, amountCents: -300 }],
  });
  expect(await diagnosticOf(office, "negative_bank_balance")).toMatchObject({ count: 1, items: [{ entityId: bankAccountId, amountCents: -300 }] });
  expect(await diagnosticOf(office, "reserve_not_met")).toMatchObject({ count: 1, items: [{ entityId: propertyId, amountCents: -800 }] });
});

test("money of an owner that was used before the office reversed its payment is found, since no reversal of a payment is refused", async () => {
  const { office, propertyId, bankAccountId } = await aPayingOffice({ annBps: 10_000, rentCents: 1_000 });
  const bill = await anExpense(office, propertyId, 600);
  expect((await payBill(office, bankAccountId, bill.id, 600)).status).toBe(200);
  expect((await diagnosticOf(office, "negative_owner_ledger")).count).toBe(0);
  const [payment] = (await office.call("listPayments", {})).payments;
  await office.call("reversePayment", { params: { id: payment!.id }, body: { reason: "entry_error" } });
  expect(await diagnosticOf(office, "negative_owner_ledger")).toMatchObject({
    count: 1,
    items: [{ entityType: "property", entityId: propertyId, bankAccountId, amountCents: -600 }],
  });
});

test("an entry whose debits and credits differ is found with the difference, which only damage to the database can cause", async () => {
  const office = await anOffice();
  await aFundedProperty(office, 1_000);
  const { organizationId } = office;
  const check = compile(journalChecks.journal_unbalanced({ organizationId } as OrgDb, {} as CheckContext));
  await withOwnerConnection(office, async (owner) => {
    expect((await owner.query(check.text, check.values as unknown[])).rows).toEqual([]);
    await owner.query("begin");
    try {
      // Triggers refuse such a change, so they are off in this transaction, which is rolled back.
      await owner.query("alter table journal_line disable trigger user");
      const { rows } = await owner.query<{ entry_id: string }>(
        `update journal_line set debit_cents = debit_cents + 7 where ctid = (select ctid from journal_line where organization_id = $1 and debit_cents > 0 limit 1)
          returning entry_id`,
        [organizationId],
      );
      const found = await owner.query(check.text, check.values as unknown[]);
      expect(found.rows).toMatchObject([{ entity_type: "journal_entry", entity_id: rows[0]!.entry_id }]);
      expect(Number(found.rows[0].amount_cents)).toBe(7);
    } finally {
      await owner.query("rollback");
    }
  });
});

test("an owner who owes money is found also while the other owner's money covers it", async () => {
  const { office, ann, propertyId, bankAccountId } = await aPayingOffice({ rentCents: 1_000 });
  await allowOverdraft(office);
  const bill = await anExpense(office, propertyId, 600, { ownerId: ann });
  await overdraw(office, bankAccountId, bill.id, 600);
  expect(await diagnosticOf(office, "negative_owner_ledger")).toMatchObject({
    count: 1,
    items: [{ entityType: "owner", entityId: ann, propertyId, amountCents: -100 }],
  });
});

test("payments that are at no bank, checks that are outstanding and accounts that are not reconciled are found when they are old", async () => {
  const office = await anOffice();
  const old = await aFundedProperty(office, 1_000);
  const { payment } = await office.call("recordPayment", { body: aPayment(old, 70) });
  await office.call("recordPayment", { body: { ...aPayment(old, 80), receivedAt: new Date().toISOString() } });
  expect(await diagnosticOf(office, "stale_undeposited")).toMatchObject({
    count: 1,
    amountCents: 70,
    items: [{ entityType: "payment", entityId: payment.id, date: "2026-01-05", amountCents: 70 }],
  });
  const bill = await anExpense(office, old.propertyId, 400);
  await payBill(office, old.bankAccountId, bill.id, 400);
  expect(await diagnosticOf(office, "stale_outstanding_check")).toMatchObject({
    count: 1,
    items: [{ entityType: "journal_entry", bankAccountId: old.bankAccountId, date: "2026-01-20", amountCents: -400 }],
  });
  expect(await diagnosticOf(office, "reconciliation_lapsed")).toMatchObject({ count: 1, items: [{ entityId: old.bankAccountId, date: null }] });
});

test("deposits that are not in an escrow account, and other money that is there, are found", async () => {
  const { office, id } = await aDepositOffice();
  expect((await diagnosticOf(office, "deposit_mismatch")).count).toBe(0);
  const other = await aBankAccount(office, "security_deposit", { openingBalanceCents: 900 });
  expect(await diagnosticOf(office, "deposit_mismatch")).toMatchObject({ count: 1, amountCents: 900, items: [{ entityId: other, amountCents: 900 }] });
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-01-31", dispositionDueOn: day } });
  const due = { count: 1, amountCents: 150_000, items: [{ entityType: "security_deposit", entityId: id, date: day }] };
  expect(await diagnosticOf(office, "deposit_disposition_due")).toMatchObject({ severity: "warning", ...due });
  await office.call("updateSecurityDeposit", { params: { id }, body: { dispositionDueOn: "2026-03-01" } });
  expect(await diagnosticOf(office, "deposit_disposition_due")).toMatchObject({ severity: "critical", count: 1 });
});

test("credit beside due charges and documents that differ from their allocations are found", async () => {
  const office = await anOffice();
  const tenancy = await aTenancy(office);
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 500) });
  expect((await diagnosticOf(office, "unused_prepayment")).count).toBe(0);
  await aCharge(office, tenancy.leaseId, 300);
  expect(await diagnosticOf(office, "unused_prepayment")).toMatchObject({ count: 1, amountCents: 300, items: [{ entityId: tenancy.tenantId }] });
  expect((await diagnosticOf(office, "allocation_mismatch")).count).toBe(0);
  await withOwnerConnection(office, (owner) => owner.query("update payment set unallocated_cents = 450 where id = $1", [payment.id]));
  expect(await diagnosticOf(office, "allocation_mismatch")).toMatchObject({
    count: 1,
    items: [{ entityType: "payment", entityId: payment.id, amountCents: 50 }],
  });
  expect(await diagnosticOf(office, "prepaid_mismatch")).toMatchObject({ count: 1, items: [{ entityId: tenancy.tenantId, amountCents: 50 }] });
});

test("entries that do not balance by property, name no bank account or were moved out of a closed period are found", async () => {
  const office = await anOffice();
  const tenancy = await aTenancy(office);
  const accounts = await accountIdsByCode(office);
  const line = (code: string, amounts: object) => ({ accountId: accounts[code]!, ...amounts });
  const { journalEntry } = await office.call("createJournalEntry", {
    body: {
      memo: "Insurance refund",
      occurredAt: "2026-02-01T12:00:00Z",
      lines: [line("1000", { debitCents: 40, propertyId: tenancy.propertyId }), line("4090", { creditCents: 40 })],
    },
  });
  expect(await diagnosticOf(office, "property_imbalance")).toMatchObject({
    count: 1,
    items: [{ entityId: journalEntry.id, propertyId: tenancy.propertyId, amountCents: 40 }],
  });
  expect(await diagnosticOf(office, "unassigned_bank_money")).toMatchObject({ count: 1, items: [{ entityId: accounts["1000"], amountCents: 40 }] });
  await closeMonth(office, "2026-01");
  await office.call("recordPayment", { body: aPayment(tenancy, 20) });
  expect(await diagnosticOf(office, "moved_entries")).toMatchObject({ count: 1, items: [{ date: "2026-01-05", amountCents: 20 }] });
  await postControlEntry(office, { debit: "1150", credit: "5040", amountCents: 60, propertyId: tenancy.propertyId, date: "2026-02-02" });
  expect(await diagnosticOf(office, "owner_receivable")).toMatchObject({ count: 1, amountCents: 60, items: [{ entityId: tenancy.propertyId }] });
});

test("vendors are found when all their liability insurances have expired", async () => {
  const office = await anOffice();
  const [lapsed, insured, unknown] = [await aVendor(office, "Lapsed"), await aVendor(office, "Insured"), await aVendor(office, "Unknown")];
  const insurance = (expiresOn: string) => ({ kind: "liability" as const, provider: "Elm Mutual", policyNumber: "P-1", expiresOn, documentId: null });
  await office.call("updateVendor", { params: { id: lapsed }, body: { insurances: [insurance("2026-01-31")] } });
  await office.call("updateVendor", { params: { id: insured }, body: { insurances: [insurance("2026-01-31"), insurance("2199-12-31")] } });
  await office.call("updateVendor", { params: { id: unknown }, body: { insurances: [{ ...insurance("2026-01-31"), kind: "auto" }] } });
  expect(await diagnosticOf(office, "vendor_insurance_lapsed")).toMatchObject({
    count: 1,
    items: [{ entityType: "vendor", entityId: lapsed, date: "2026-01-31" }],
  });
});

test("the daily check publishes a diagnostic once when it has findings, and once when it has none anymore", async () => {
  const office = await anOffice();
  const tenancy = await aTenancy(office);
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 500) });
  const runJob = () =>
    withOwnerConnection(office, async (owner) => {
      await owner.query("update scheduled_work set next_run_at = now() where organization_id = $1 and job = 'raiseDiagnostics'", [office.organizationId]);
      await eventually("the daily check", async () => {
        const { rows } = await owner.query(
          "select from scheduled_work where organization_id = $1 and job = 'raiseDiagnostics' and next_run_at > now() + interval '1 minute'",
          [office.organizationId],
        );
        return rows.length === 1;
      });
    });
  const published = () =>
    withOwnerConnection(office, async (owner) => {
      const { rows } = await owner.query<{ type: string; key: string }>(
        "select envelope ->> 'type' as type, envelope -> 'data' ->> 'key' as key from outbox where organization_id = $1 and envelope ->> 'type' like 'trust.%' order by position",
        [office.organizationId],
      );
      return rows.map(({ type, key }) => [type, key]);
    });
  await runJob();
  await runJob();
  expect(await published()).toEqual([["trust.diagnostic_raised", "stale_undeposited"]]);
  await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "entry_error" } });
  await runJob();
  await runJob();
  expect(await published()).toEqual([
    ["trust.diagnostic_raised", "stale_undeposited"],
    ["trust.diagnostic_cleared", "stale_undeposited"],
  ]);
});
