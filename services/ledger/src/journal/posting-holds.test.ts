/** Deletions and cancellations by portfolio beside postings in the ledger. */
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { aCharge, aPayment, aTenancy } from "../../../../test/support/tenancy.ts";

/** Runs the work while a deletion or cancellation that locks the row has read the balances, but cannot commit. Returns its response. */
async function beforeCommit<T>(
  { organizationId }: Office,
  table: "lease" | "tenant",
  id: string,
  change: () => Promise<T>,
  work: () => Promise<void>,
): Promise<T> {
  const client = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    await client.query("begin");
    await client.query(`select from ${table} where id = $1 for update`, [id]);
    const response = change();
    await eventually("change that waits for the row", async () => {
      const { rowCount } = await client.query("select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))");
      return rowCount! > 0;
    });
    await work();
    await client.query("commit");
    return await response;
  } finally {
    await client.end();
  }
}

/** Runs a statement in the ledger's database, with the id of the organization as its parameter, and returns the number of its rows. */
async function queryLedger({ organizationId }: Office, text: string): Promise<number> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    return (await client.query(text, [organizationId])).rowCount!;
  } finally {
    await client.end();
  }
}

const params = (id: string) => ({ params: { id } });
const fee = (leaseId: string) => ({ leaseId, amountCents: 100, dueDate: "2026-01-05", chargeType: "fee" as const });

describe("between its check and its commit", () => {
  test("the deletion of a lease lets nothing be posted on it, on other leases everything", async () => {
    const office = await anOffice();
    const [deleted, other] = [await aTenancy(office), await aTenancy(office)];
    const response = await beforeCommit(
      office,
      "lease",
      deleted.leaseId,
      () => office.attempt("deleteLease", params(deleted.leaseId)),
      async () => {
        const charge = await office.attempt("createCharge", { body: fee(deleted.leaseId) });
        expect([charge.status, charge.body.code]).toEqual([503, "service_unavailable"]);
        const payment = await office.attempt("recordPayment", { body: aPayment(deleted, 100) });
        expect([payment.status, payment.body.code]).toEqual([503, "service_unavailable"]);
        expect((await office.attempt("createCharge", { body: fee(other.leaseId) })).status).toBe(200);
      },
    );
    expect(response.status).toBe(200);
    expect((await office.attempt("createCharge", { body: fee(deleted.leaseId) })).body.errors).toMatchObject([{ path: "leaseId", code: "not_found" }]);
  });

  test("the cancellation of a lease lets nothing be posted on it", async () => {
    const office = await anOffice();
    const { leaseId } = await aTenancy(office, { startDate: "2099-01-01" });
    const response = await beforeCommit(
      office,
      "lease",
      leaseId,
      () => office.attempt("cancelLease", params(leaseId)),
      async () => expect((await office.attempt("createCharge", { body: fee(leaseId) })).status).toBe(503),
    );
    expect(response.status).toBe(200);
  });

  test("the deletion of a tenant lets no payment of the tenant be recorded", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
    const { leaseId: _, ...payment } = aPayment({ tenantId: tenant.id, leaseId: "" }, 100);
    const response = await beforeCommit(
      office,
      "tenant",
      tenant.id,
      () => office.attempt("deleteTenant", params(tenant.id)),
      async () => expect((await office.attempt("recordPayment", { body: payment })).status).toBe(503),
    );
    expect(response.status).toBe(200);
  });
});

describe("the hold of a deletion", () => {
  test.each(["property", "owner", "tenant", "vendor"] as const)("of a %s ends when the ledger has learned of it", async (kind) => {
    const office = await anOffice();
    const address = { streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207" };
    const records = {
      property: async () => (await office.call("createProperty", { body: { name: "Elm Street 1", ...address, units: 1, occupiedUnits: 0 } })).property.id,
      owner: async () => (await office.call("createOwner", { body: { fullName: "Olga Owner", email: "olga@example.com" } })).owner.id,
      tenant: async () => (await office.call("createTenant", { body: { fullName: "Tess Tenant" } })).tenant.id,
      vendor: async () => (await office.call("createVendor", { body: { name: "Plumber" } })).vendor.id,
    };
    const id = await records[kind]();
    const deletions = { property: "deleteProperty", owner: "deleteOwner", tenant: "deleteTenant", vendor: "deleteVendor" } as const;
    await office.call(deletions[kind], params(id));
    // A hold that only expires keeps its row.
    await eventually("end of the hold", async () => (await queryLedger(office, "select from posting_hold where organization_id = $1")) === 0);
  });
});

describe("money on a lease that is cancelled", () => {
  /** Returns a lease that has not begun, with a security deposit of the kind that the tenant pays later. */
  async function aPendingLease() {
    const office = await anOffice();
    const tenancy = await aTenancy(office, { startDate: "2099-01-01" });
    const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId: tenancy.leaseId, requiredCents: 150_000, chargeTenant: false } });
    const receipt = { amountCents: 150_000, paymentMethod: "check" as const, receivedAt: "2026-01-07T17:00:00.000Z" };
    const money = {
      receipt: () => office.attempt("recordSecurityDepositReceipt", { params: { id: securityDeposit.id }, body: receipt }),
      payment: () => office.attempt("recordPayment", { body: aPayment(tenancy, 100) }),
      charge: () => office.attempt("createCharge", { body: fee(tenancy.leaseId) }),
    };
    return { office, leaseId: tenancy.leaseId, money, cancel: () => office.attempt("cancelLease", params(tenancy.leaseId)) };
  }
  const kinds = ["receipt", "payment", "charge"] as const;

  test.each(kinds)("a %s between the check and the commit is refused by the hold alone, and after the commit by the lease", async (kind) => {
    const { office, leaseId, money, cancel } = await aPendingLease();
    const response = await beforeCommit(office, "lease", leaseId, cancel, async () => expect((await money[kind]()).status).toBe(503));
    expect(response.status).toBe(200);
    const { status, body } = await money[kind]();
    expect([status, body.errors]).toMatchObject([400, [{ path: "leaseId", code: "not_allowed" }]]);
    // Control: without its hold, the same cancellation commits although money was posted on the lease.
    const control = await aPendingLease();
    const unheld = await beforeCommit(control.office, "lease", control.leaseId, control.cancel, async () => {
      await queryLedger(control.office, "delete from posting_hold where organization_id = $1");
      expect((await control.money[kind]()).status).toBe(200);
    });
    expect(unheld.status).toBe(200);
  });

  test("is not posted on a lease that is cancelled at the same moment", async () => {
    const decided: boolean[] = [];
    for (const kind of [...kinds, ...kinds]) {
      const { money, cancel } = await aPendingLease();
      const [posted, cancelled, repeated] = await Promise.all([money[kind](), cancel(), money[kind]()]);
      const isPosted = posted.status === 200 || repeated.status === 200;
      const isCancelled = cancelled.status === 200;
      expect(isPosted && isCancelled).toBe(false);
      decided.push(isPosted || isCancelled);
      // A receipt of the whole deposit is recorded once, and a posting beside the check of the cancellation is refused for a moment.
      for (const { status } of [posted, repeated]) expect([200, 400, 409, 503]).toContain(status);
    }
    expect(decided).toContain(true);
  });
});

test("a refused deletion does not hold up postings", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office);
  await aCharge(office, leaseId, 100);
  expect((await office.attempt("deleteLease", params(leaseId))).status).toBe(409);
  await aCharge(office, leaseId, 100);
});
