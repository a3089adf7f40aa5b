import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../test/support/tenancy.ts";
import { holdPosting, countLinesBelowHighWaterMark } from "./ledger-version.fixtures.ts";
import { restoreLedger } from "./restored-ledger.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});

const year = { from: "2026-01-01", to: "2026-12-31" };
const bases = ["accrual", "cash"] as const;

/** Returns the figures of all reports, those of a version when it is given, and the versions that the reports show. */
async function readReports(ledgerVersion?: number) {
  const version = ledgerVersion === undefined ? {} : { ledgerVersion };
  const { leaseId, tenantId, propertyId } = tenancy;
  const ledger = { ...version, asOf: year.to, pageSize: 100 };
  const byBasis = await Promise.all(
    bases.map(async (basis) => ({
      trialBalance: (await office.call("getTrialBalance", { query: { ...version, asOf: year.to, basis } })).trialBalance,
      period: (await office.call("getTrialBalance", { query: { ...version, from: "2026-01-03", to: "2026-02-10", basis } })).trialBalance,
      generalLedger: await office.call("listGeneralLedger", { query: { ...version, ...year, basis, pageSize: 100 } }),
      secondPage: await office.call("listGeneralLedger", { query: { ...version, ...year, basis, page: 2, pageSize: 3 } }),
      balances: await office.call("listAccountBalances", { query: { ...version, asOf: year.to, basis } }),
      balancesByUnit: await office.call("listAccountBalances", { query: { ...version, asOf: year.to, basis, groupBy: "unit" } }),
      propertyLedger: await office.call("listPropertyLedger", { params: { id: propertyId }, query: { ...ledger, basis } }),
    })),
  );
  const statements = await Promise.all([
    office.call("getLeaseStatement", { params: { id: leaseId }, query: { ...version, ...year } }),
    office.call("getTenantStatement", { params: { id: tenantId }, query: { ...version, ...year } }),
  ]);
  return {
    byBasis,
    leaseLedger: await office.call("listLeaseLedger", { params: { id: leaseId }, query: ledger }),
    tenantLedger: await office.call("listTenantLedger", { params: { id: tenantId }, query: { ...ledger, sortDirection: "desc" } }),
    statements: statements.map(({ statement }) => ({ ...statement, generatedAt: undefined })),
  };
}

const currentVersion = async () => (await office.call("getTrialBalance", { query: {} })).trialBalance.ledgerVersion;

describe("a version of the ledger", () => {
  test("is the same until an entry is posted, and grows with each one", async () => {
    const first = await currentVersion();
    expect(await currentVersion()).toBe(first);
    await aCharge(office, tenancy.leaseId, 100);
    const second = await currentVersion();
    expect(second).toBeGreaterThan(first);
    const { ledgerVersion } = await office.call("listAccountBalances", { query: {} });
    expect(ledgerVersion).toBe(second);
  });

  test("is shown unchanged by every report, on both bases, after every kind of later posting", async () => {
    const [kept, voided, credited] = [
      await aCharge(office, tenancy.leaseId, 700),
      await aCharge(office, tenancy.leaseId, 300),
      await aCharge(office, tenancy.leaseId, 200),
    ];
    const allocations = [{ chargeId: kept, amountCents: 700 }];
    const { payment: reversed } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 900), allocations } });
    const released = await office.call("recordPayment", { body: { ...aPayment(tenancy, 50), allocations: [{ chargeId: credited, amountCents: 50 }] } });
    const { categories } = await office.call("listCategories");
    const account = (code: string) => categories.find((category) => category.code === code)!.id;
    const entry = {
      memo: "Draft",
      occurredAt: "2026-01-02T15:00:00.000Z",
      lines: [
        { accountId: account("1000"), debitCents: 40 },
        { accountId: account("4090"), creditCents: 40 },
      ],
    };
    const { journalEntry: draft } = await office.call("createJournalEntry", { body: { ...entry, status: "draft" } as never });
    const { journalEntry: manual } = await office.call("createJournalEntry", { body: { ...entry, memo: "Manual", status: "posted" } as never });
    const before = await readReports();
    const { ledgerVersion } = before.leaseLedger;

    await aCharge(office, tenancy.leaseId, 77, "2026-01-01");
    await office.call("voidCharge", { params: { id: voided }, body: { reason: "By mistake" } });
    await office.call("creditCharge", { params: { id: credited }, body: { amountCents: 20, reason: "waive", creditedOn: "2026-01-02" } });
    await office.call("postJournalEntry", { params: { id: draft.id }, body: {} });
    await office.call("reverseJournalEntry", { params: { id: manual.id }, body: {} });
    const { id: allocationId } = released.payment.allocations[0]!;
    await office.call("deletePaymentAllocation", { params: { id: released.payment.id, allocationId } });
    await office.call("reversePayment", { params: { id: reversed.id }, body: { reason: "nsf", reversedAt: "2026-01-20T15:00:00.000Z" } });
    await office.call("recordPayment", { body: { ...aPayment(tenancy, 500), allocations: [{ chargeId: kept, amountCents: 500 }] } });

    expect(await readReports(ledgerVersion)).toEqual(before);
    const after = await readReports();
    expect(after.leaseLedger.ledgerVersion).toBeGreaterThan(ledgerVersion);
    for (const report of ["byBasis", "leaseLedger", "tenantLedger", "statements"] as const) expect(after[report]).not.toEqual(before[report]);
    expect(await readReports(after.leaseLedger.ledgerVersion)).toEqual(after);
  });

  test("leaves out an entry whose transaction was in progress when the version was read and committed later", async () => {
    const posting = await holdPosting(office, { date: "2026-01-15", amountCents: 123 });
    await aCharge(office, tenancy.leaseId, 10);
    const before = await readReports();
    const { ledgerVersion } = before.leaseLedger;
    await posting.commit();
    // A version that was only a high-water mark would include the entry: its transaction began before the last one of the version.
    expect(await countLinesBelowHighWaterMark(office, ledgerVersion, posting.entryId)).toBe(2);
    expect(await readReports(ledgerVersion)).toEqual(before);
    const after = await readReports();
    expect(after.byBasis[0]!.trialBalance.debitTotalCents).toBe(before.byBasis[0]!.trialBalance.debitTotalCents + 123);
    expect(after.leaseLedger.ledgerVersion).toBe(ledgerVersion + 1);
  });

  test("always shows the same figures while payments are recorded", async () => {
    const pay = () => office.call("recordPayment", { body: aPayment(tenancy, 1) });
    const readTotals = async (ledgerVersion?: number) => {
      const { trialBalance } = await office.call("getTrialBalance", { query: { asOf: year.to, ...(ledgerVersion !== undefined && { ledgerVersion }) } });
      return [trialBalance.ledgerVersion, trialBalance.debitTotalCents] as const;
    };
    const readings = (await Promise.all(Array.from({ length: 24 }, (_, index) => (index % 2 ? pay().then(() => undefined) : readTotals())))).filter(
      (reading) => reading !== undefined,
    );
    readings.push(await readTotals());
    expect(new Set(readings.map(String)).size).toBe(new Set(readings.map(([version]) => version)).size);
    for (const [version, total] of readings) expect(await readTotals(version)).toEqual([version, total]);
  });
});

describe("a ledger that was restored from a dump in another cluster", () => {
  test("shows the right entries in versions of both clusters, although transaction ids start again", async () => {
    const ledger = await restoreLedger();
    try {
      // Without a new era, a version of this cluster would miss the restored entry.
      await ledger.record(2);
      expect(await ledger.entriesIn(2)).toEqual([]);
      await ledger.beginEra();
      const laterEntryId = await ledger.post();
      await ledger.record(3);
      await ledger.post();
      expect(await ledger.entriesIn(1)).toEqual([ledger.dumpedEntryId]);
      expect(await ledger.entriesIn(3)).toEqual([ledger.dumpedEntryId, laterEntryId]);
    } finally {
      await ledger.end();
    }
  });
});

describe("an unknown version of the ledger", () => {
  const attempt = async (ledgerVersion: unknown) => {
    const { status, body } = await office.attempt("getTrialBalance", { query: { ledgerVersion } as never });
    return [status, body.errors?.[0]?.path, body.errors?.[0]?.code];
  };

  test("is refused, also one of the future", async () => {
    const version = await currentVersion();
    await aCharge(office, tenancy.leaseId, 10);
    await aCharge(office, tenancy.leaseId, 10);
    expect(await attempt(version + 1)).toEqual([400, "ledgerVersion", "not_found"]);
    expect(await attempt(version + 1_000)).toEqual([400, "ledgerVersion", "not_found"]);
    expect((await attempt(-1))[0]).toBe(400);
    expect((await attempt("latest"))[0]).toBe(400);
  });

  test("is refused although another organization has a version with that number", async () => {
    const other = await anOffice();
    await aTenancy(other);
    const version = await currentVersion();
    const { status } = await other.attempt("getTrialBalance", { query: { ledgerVersion: version } });
    expect(status).toBe(400);
  });
});
