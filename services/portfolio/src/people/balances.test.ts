import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { aCharge, aTenancy } from "../../../../test/support/tenancy.ts";
import { startReplica } from "../../test/replica.ts";
import { aTenant, anOwner, aVendor } from "../../test/fixtures.ts";

const office = await anOffice();
const [smallBalance, largeBalance] = [await aTenancy(office), await aTenancy(office)];
await aCharge(office, smallBalance.leaseId, 1_000);
await aCharge(office, largeBalance.leaseId, 90_000);
await aCharge(office, largeBalance.leaseId, 9_000);
const tenantWithCredit = await aTenant(office);
const tenantWithoutCharges = await aTenant(office);
const aPayment = (tenantId: string, amountCents: number) => ({
  tenantId,
  amountCents,
  paymentMethod: "check" as const,
  receivedAt: new Date().toISOString(),
  idempotencyKey: randomUUID(),
});
await office.call("recordPayment", { body: aPayment(tenantWithCredit.id, 500) });

describe("listTenants", () => {
  const list = async (query: Record<string, string>) => (await office.call("listTenants", { query })).tenants.map(({ id, balanceCents }) => [id, balanceCents]);

  test("sorts by balance, with credits as negative balances", async () => {
    const ascending = [
      [tenantWithCredit.id, -500],
      [tenantWithoutCharges.id, 0],
      [smallBalance.tenantId, 1_000],
      [largeBalance.tenantId, 99_000],
    ];
    expect(await list({ sortBy: "balanceCents" })).toEqual(ascending);
    expect(await list({ sortBy: "balanceCents", sortDirection: "desc" })).toEqual(ascending.toReversed());
  });

  test("pages by balance without repeating or skipping tenants", async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list({ sortBy: "balanceCents", pageSize: "1", page: String(page) })));
    expect(pages.flat()).toEqual(await list({ sortBy: "balanceCents" }));
    expect(await office.call("listTenants", { query: { sortBy: "balanceCents", pageSize: 1 } })).toMatchObject({ total: 4, totalPages: 4 });
  });

  test("filters by balance", async () => {
    expect(await list({ hasBalance: "true", sortBy: "balanceCents" })).toEqual([
      [smallBalance.tenantId, 1_000],
      [largeBalance.tenantId, 99_000],
    ]);
    expect(await list({ hasBalance: "false", sortBy: "balanceCents" })).toEqual([
      [tenantWithCredit.id, -500],
      [tenantWithoutCharges.id, 0],
    ]);
    expect((await office.call("listTenants", { query: { hasBalance: "true" } })).total).toBe(2);
  });

  test("filters by lease status", async () => {
    expect((await list({ leaseStatus: "active,pending", sortBy: "balanceCents" })).map(([id]) => id)).toEqual([smallBalance.tenantId, largeBalance.tenantId]);
    expect(await list({ leaseStatus: "expired" })).toEqual([]);
  });
});

await anOwner(office);
await aVendor(office);

test("while the ledger is unavailable, lists return null balances, and 503 when sorted or filtered by balance", async () => {
  const replica = await startReplica(office, { reachable: "nothing" });
  try {
    for (const [resource, amount] of [
      ["tenants", "balanceCents"],
      ["owners", "balanceCents"],
      ["vendors", "outstandingCents"],
    ] as const) {
      const path = `/api/${resource}`;
      const { status, body } = await replica.request("GET", path);
      expect([status, body]).toMatchObject([200, { [resource]: expect.arrayContaining([expect.objectContaining({ [amount]: null })]) }]);
      expect((await replica.request("GET", `${path}?sortBy=${amount}`)).status).toBe(503);
      if (resource !== "vendors") expect((await replica.request("GET", `${path}?hasBalance=true`)).status).toBe(503);
    }
  } finally {
    await replica.stop();
  }
});

describe("a ledger that does not respond", () => {
  test("is asked by one list, and none waits for it: the balances are null", async () => {
    const [released, calls] = [Promise.withResolvers<never>(), [] as string[]];
    released.promise.catch(() => {});
    const getTenantBalances = (request: { tenantIds: string[] }) => {
      calls.push(...request.tenantIds);
      return released.promise;
    };
    const replica = await startReplica(office, { reachable: { getTenantBalances }, settings: { OPTIONAL_CALL_MS: "1" } });
    try {
      for (let list = 0; list < 3; list += 1) {
        const { status, body } = await replica.request("GET", "/api/tenants?search=nobody-else");
        expect([status, body["tenants"]]).toEqual([200, []]);
        const page = await replica.request("GET", "/api/tenants?pageSize=1");
        expect([page.status, page.body]).toMatchObject([200, { tenants: [{ balanceCents: null }] }]);
      }
      expect(calls).toHaveLength(1);
    } finally {
      released.reject(new Error("The test has ended."));
      await replica.stop();
    }
  });
});

test("balances of more debtors than one message of the ledger holds sort and filter the list", async () => {
  const ids = Array.from({ length: 120_000 }, () => randomUUID());
  const parts = [
    [largeBalance.tenantId, 9_900],
    [smallBalance.tenantId, 100],
  ].map(([tenantId, cents], part) => {
    const others = ids.slice(part * 60_000, (part + 1) * 60_000);
    return { ids: `{${[...others, tenantId].join(",")}}`, amounts: `{${[...others.map(() => 1), cents].join(",")}}` };
  });
  const handlers = {
    listTenantBalances: () => Promise.resolve(parts),
    getTenantBalances: () => Promise.resolve({ tenants: [] }),
  };
  const replica = await startReplica(office, { reachable: handlers });
  try {
    const { status, body } = await replica.request("GET", "/api/tenants?hasBalance=true&sortBy=balanceCents");
    expect([status, (body as unknown as { tenants: { id: string }[] }).tenants.map(({ id }) => id)]).toEqual([
      200,
      [smallBalance.tenantId, largeBalance.tenantId],
    ]);
  } finally {
    await replica.stop();
  }
});
