/** Batch writes of the same operation have the results of sequential writes. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { portfolioClient } from "../../test/clients.ts";
import { findOutboxEvents, queryRows } from "../../test/database.ts";

const office = await anOffice();
const { client, caller } = portfolioClient(office);

interface ResultBody {
  tenant?: { id: string };
  unit?: { id: string };
  lease?: { id: string; status: string; occupants: { tenantId: string }[] };
  possibleDuplicates?: { id: string; reason: string }[];
  code?: string;
}
const requestOf = (operation: string, body: object, key: string = randomUUID()) => ({ operation, key, params: {}, body: JSON.stringify(body) });
const execute = async (...requests: ReturnType<typeof requestOf>[]) => {
  const { results } = await client.executeOperations(caller, { requests });
  return results.map(({ status, body }) => ({ status, body: JSON.parse(body) as ResultBody }));
};

/** Creates a property with units, and a tenant for each. */
async function createUnitsWithTenants(count: number) {
  const terms = { name: "Row House", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207" };
  const { property } = await office.call("createProperty", { body: { ...terms, units: count, occupiedUnits: 0 } });
  const indexes = Array.from({ length: count }, (_, index) => index);
  const units = await execute(
    ...indexes.map((index) => requestOf("createUnit", { propertyId: property.id, unitNumber: String(index), monthlyRentCents: 100_000 })),
  );
  const tenants = await execute(...indexes.map((index) => requestOf("createTenant", { fullName: `${randomUUID()} ${index}` })));
  return indexes.map((index) => ({ propertyId: property.id, unitId: units[index]!.body.unit!.id, tenantId: tenants[index]!.body.tenant!.id }));
}
const leaseRequest = (references: object, terms: object = {}) =>
  requestOf("createLease", {
    ...references,
    startDate: "2026-01-01",
    termType: "month_to_month",
    rentCents: 100_000,
    rentChargeDay: 1,
    activate: true,
    ...terms,
  });

describe("createTenant in a batch", () => {
  test("detects duplicates within the batch and refuses only the tenant with rejectDuplicates", async () => {
    const [name, email] = [randomUUID(), `${randomUUID()}@example.com`];
    const results = await execute(
      requestOf("createTenant", { fullName: name, email }),
      requestOf("createTenant", { fullName: "Somebody Else", email: email.toUpperCase() }),
      requestOf("createTenant", { fullName: name, rejectDuplicates: true }),
      requestOf("createTenant", { fullName: randomUUID() }),
    );
    expect(results.map(({ status, body }) => [status, body.code ?? body.possibleDuplicates])).toEqual([
      [200, []],
      [200, [expect.objectContaining({ id: results[0]!.body.tenant!.id, reason: "email" })]],
      [409, "duplicate"],
      [200, []],
    ]);
  });

  test("creates one tenant for a repeated key", async () => {
    const repeated = requestOf("createTenant", { fullName: randomUUID() });
    const results = await execute(repeated, requestOf("createTenant", { fullName: randomUUID() }), repeated);
    expect(results[2]).toEqual(results[0]);
    expect(results[1]!.body.tenant!.id).not.toBe(results[0]!.body.tenant!.id);
  });
});

describe("createLease in a batch", () => {
  test("writes the leases in one transaction, each with its tenant, events, rent and search entry", async () => {
    const references = await createUnitsWithTenants(5);
    const results = await execute(
      ...references.slice(0, 4).map((leaseReferences) => leaseRequest(leaseReferences)),
      leaseRequest(references[4]!, { activate: false }),
    );
    expect(results.map(({ body }) => [body.lease!.status, body.lease!.occupants.map(({ tenantId }) => tenantId)])).toEqual(
      references.map(({ tenantId }, index) => [index < 4 ? "active" : "draft", [tenantId]]),
    );
    const ids = results.map(({ body }) => body.lease!.id);
    expect(await queryRows(office.organizationId, "select distinct xmin::text from lease where id = any($1)", [ids])).toHaveLength(1);
    for (const [index, id] of ids.entries())
      expect((await findOutboxEvents(office, id)).map(({ type }) => type)).toEqual(index < 4 ? ["lease.created", "lease.activated"] : ["lease.created"]);
    const { recurringChargeRules } = await office.call("getLease", { params: { id: ids[3]! } });
    expect(recurringChargeRules).toMatchObject([{ kind: "rent", amountCents: 100_000, status: "active" }]);
    const { tenant } = await office.call("getTenant", { params: { id: references[2]!.tenantId } });
    const { results: found } = await office.call("search", { query: { q: tenant.fullName } });
    expect(found.map(({ id }) => id)).toContain(ids[2]);
  });

  test("writes the first of several leases for one unit, refuses the others, and writes the leases of other units", async () => {
    const [first, second] = await createUnitsWithTenants(2);
    const results = await execute(leaseRequest(first!), leaseRequest(first!), leaseRequest({ ...first, tenantId: second!.tenantId }), leaseRequest(second!));
    expect(results.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [409, "lease_overlap"],
      [409, "lease_overlap"],
      [200, undefined],
    ]);
  });

  test("returns the stored results for repeated keys and maintains the list totals once", async () => {
    const references = await createUnitsWithTenants(6);
    const totalBefore = (await office.call("listLeases")).total;
    const requests = references.map((leaseReferences) => leaseRequest(leaseReferences));
    const first = await execute(...requests);
    const [reversed, concurrent] = await Promise.all([execute(...requests.toReversed()), execute(...requests)]);
    const leaseIds = (results: typeof first) => results.map(({ body }) => body.lease!.id);
    expect([leaseIds(reversed).toReversed(), leaseIds(concurrent)]).toEqual([leaseIds(first), leaseIds(first)]);
    expect((await office.call("listLeases")).total).toBe(totalBefore + 6);
    await eventually(
      "list of occupied units",
      async () => (await office.call("listUnits", { query: { propertyId: references[0]!.propertyId, status: "occupied" } })).total === 6,
    );
  });
});
