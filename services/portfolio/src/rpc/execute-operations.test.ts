/** Execution of API operations on behalf of other services, once per key. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { portfolioClient } from "../../test/clients.ts";
import { findOutboxEvents, queryRows } from "../../test/database.ts";
import { unknownId } from "../../test/fixtures.ts";

const office = await anOffice();
const { client, caller } = portfolioClient(office);

const requestOf = (operation: string, body: object, key: string = randomUUID(), params: Record<string, string> = {}) => ({
  operation,
  key,
  params,
  body: JSON.stringify(body),
});
const execute = async (...requests: ReturnType<typeof requestOf>[]) => {
  const { results } = await client.executeOperations(caller, { requests });
  return results.map(({ status, body }) => ({
    status,
    body: JSON.parse(body) as Record<string, { id: string }> & { code?: string; errors?: { path: string }[] },
  }));
};

describe("one operation", () => {
  test("executes once for its key, with concurrent calls and with another body under the same key", async () => {
    const key = randomUUID();
    const concurrent = (await Promise.all([1, 2, 3].map(() => execute(requestOf("createVendor", { name: "Once" }, key))))).flat();
    const [repeated] = await execute(requestOf("createVendor", { name: "Once more" }, key));
    expect(new Set([...concurrent, repeated!].map(({ status, body }) => `${status} ${body["vendor"]!.id}`)).size).toBe(1);
    expect((await office.call("listVendors", { query: { search: "Once" } })).vendors.map(({ name }) => name)).toEqual(["Once"]);
  });

  test("that fails writes nothing, returns the API's error and does not affect the others", async () => {
    const results = await execute(
      requestOf("createVendor", { name: "" }),
      requestOf("updateVendor", { name: "Nobody" }, randomUUID(), { id: unknownId() }),
      requestOf("createVendor", { name: "Valid" }),
      requestOf("dropEverything", {}),
    );
    expect(results.map(({ status, body }) => [status, body.code ?? null])).toEqual([
      [400, "validation_failed"],
      [404, "not_found"],
      [200, null],
      [404, "not_found"],
    ]);
    expect(results[0]!.body.errors).toMatchObject([{ path: "name" }]);
  });

  test("is refused to callers without access to the operation", async () => {
    const body = JSON.stringify({ name: "Nobody's" });
    const staff = { ...caller, principal: { ...caller.principal, role: "staff" as const } };
    const withoutUser = { ...caller, principal: { ...caller.principal, userId: null } };
    for (const unauthorized of [staff, withoutUser]) {
      const { results } = await client.executeOperations(unauthorized, { requests: [{ operation: "createVendor", key: randomUUID(), params: {}, body }] });
      expect(results[0]!.status).toBe(403);
    }
    expect((await office.call("listVendors", { query: { search: "Nobody's" } })).total).toBe(0);
  });
});

describe("several operations in one call", () => {
  const vendorRequests = (name: string, count: number) => Array.from({ length: count }, (_, index) => requestOf("createVendor", { name: `${name} ${index}` }));
  const vendorIds = (results: Awaited<ReturnType<typeof execute>>) => results.map(({ body }) => body["vendor"]!.id);
  const findVendors = async (name: string) => (await office.call("listVendors", { query: { search: name, pageSize: 100 } })).vendors;

  test("commit in one transaction, with one event each", async () => {
    const ids = vendorIds(await execute(...vendorRequests("Together", 20)));
    const transactions = await queryRows(office.organizationId, "select distinct xmin::text from vendor where id = any($1)", [ids]);
    expect([ids.length, transactions.length]).toEqual([20, 1]);
    for (const id of ids) expect((await findOutboxEvents(office, id)).map(({ type }) => type)).toEqual(["vendor.created"]);
  });

  test("commit without the one that fails, which writes nothing, and return results in request order", async () => {
    const { property } = await office.call("createProperty", {
      body: {
        name: "Twins",
        streetLine1: "1 Elm Street",
        city: "Albany",
        state: "NY",
        postalCode: "12207",
        assetClass: "residential",
        units: 4,
        occupiedUnits: 0,
      },
    });
    const unitRequest = (unitNumber: string, key?: string) =>
      requestOf("createUnit", { propertyId: property.id, unitNumber, status: "vacant", monthlyRentCents: 100_000 }, key);
    const failedKey = randomUUID();
    const results = await execute(
      unitRequest("1"),
      unitRequest("2"),
      unitRequest("2", failedKey),
      unitRequest("3"),
      requestOf("createVendor", { name: "Beside units" }),
    );
    expect(results.map(({ status, body }) => [status, body["unit"] && (body["unit"] as { unitNumber?: string }).unitNumber])).toEqual([
      [200, "1"],
      [200, "2"],
      [409, undefined],
      [200, "3"],
      [200, undefined],
    ]);
    expect((await office.call("listPropertyUnits", { params: { id: property.id } })).total).toBe(3);
    const createdUnits = results.flatMap(({ body }) => body["unit"] ?? []);
    for (const { id } of createdUnits) expect(await findOutboxEvents(office, id)).toHaveLength(1);
    const [corrected] = await execute(unitRequest("4", failedKey));
    expect(corrected!.status).toBe(200);
  });

  test("return the stored results when the call is repeated after a lost response", async () => {
    const requests = vendorRequests("Again", 12);
    const results = await execute(...requests);
    const additional = requestOf("createVendor", { name: "Again, and more" });
    const repeated = await execute(...requests.slice(0, 6), additional, ...requests.slice(6));
    expect(repeated.toSpliced(6, 1)).toEqual(results);
    expect((await findVendors("Again")).length).toBe(13);
  });

  test("execute once with concurrent calls that have the same keys in other orders", async () => {
    const requests = vendorRequests("Overlap", 20);
    const calls = [requests, requests.toReversed(), requests.slice(10), [...requests.slice(5), ...requests.slice(0, 5)]];
    const results = await Promise.all(calls.map((reordered) => execute(...reordered)));
    const idByKey = new Map(requests.map(({ key }, index) => [key, vendorIds(results[0]!)[index]]));
    for (const [index, reordered] of calls.entries()) expect(vendorIds(results[index]!)).toEqual(reordered.map(({ key }) => idByKey.get(key)));
    expect((await findVendors("Overlap")).length).toBe(20);
  });

  test("execute once with a repeated key and return the same result for both", async () => {
    const [repeated, different] = [requestOf("createVendor", { name: "Twice in one" }), requestOf("createVendor", { name: "Other" })];
    const ids = vendorIds(await execute(repeated, different, repeated));
    expect(ids[2]).toBe(ids[0]);
    expect((await findVendors("Twice in one")).length).toBe(1);
  });
});
