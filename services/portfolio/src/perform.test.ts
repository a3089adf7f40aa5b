/** What other services have performed here: each order once, as if whoever asks had called the operation. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../test/office.ts";
import { eventsOf, questions, rows } from "../test/behind.ts";
import { unknownId } from "../test/places.ts";

const office = await anOffice();
const { client, who } = questions(office);

const order = (operation: string, body: object, key: string = randomUUID(), params: Record<string, string> = {}) => ({
  operation,
  key,
  params,
  body: JSON.stringify(body),
});
const perform = async (...orders: ReturnType<typeof order>[]) => {
  const { results: outcomes } = await client.executeOperations(who, { requests: orders });
  return outcomes.map(({ status, body }) => ({
    status,
    body: JSON.parse(body) as Record<string, { id: string }> & { code?: string; errors?: { path: string }[] },
  }));
};

describe("an order", () => {
  test("takes effect once for its key, whoever asks at once and however the body is written again", async () => {
    const key = randomUUID();
    const answers = (await Promise.all([1, 2, 3].map(() => perform(order("createVendor", { name: "Once" }, key))))).flat();
    const [again] = await perform(order("createVendor", { name: "Once more" }, key));
    expect(new Set([...answers, again!].map(({ status, body }) => `${status} ${body["vendor"]!.id}`)).size).toBe(1);
    expect((await office.call("listVendors", { query: { search: "Once" } })).vendors.map(({ name }) => name)).toEqual(["Once"]);
  });

  test("that is refused leaves nothing, says why as the API does, and lets the others be", async () => {
    const answers = await perform(
      order("createVendor", { name: "" }),
      order("updateVendor", { name: "Nobody" }, randomUUID(), { id: unknownId() }),
      order("createVendor", { name: "Kept" }),
      order("dropEverything", {}),
    );
    expect(answers.map(({ status, body }) => [status, body.code ?? null])).toEqual([
      [400, "validation_failed"],
      [404, "not_found"],
      [200, null],
      [404, "not_found"],
    ]);
    expect(answers[0]!.body.errors).toMatchObject([{ path: "name" }]);
  });

  test("is for who may call the operation", async () => {
    const body = JSON.stringify({ name: "Nobody's" });
    const asStaff = { ...who, principal: { ...who.principal, role: "staff" as const } };
    const nobody = { ...who, principal: { ...who.principal, userId: null } };
    for (const asker of [asStaff, nobody]) {
      const { results: outcomes } = await client.executeOperations(asker, { requests: [{ operation: "createVendor", key: randomUUID(), params: {}, body }] });
      expect(outcomes[0]!.status).toBe(403);
    }
    expect((await office.call("listVendors", { query: { search: "Nobody's" } })).total).toBe(0);
  });
});

describe("orders that come together", () => {
  const vendors = (name: string, count: number) => Array.from({ length: count }, (_, at) => order("createVendor", { name: `${name} ${at}` }));
  const idsOf = (answers: Awaited<ReturnType<typeof perform>>) => answers.map(({ body }) => body["vendor"]!.id);
  const named = async (name: string) => (await office.call("listVendors", { query: { search: name, pageSize: 100 } })).vendors;

  test("are written in one commit, and each is announced once", async () => {
    const ids = idsOf(await perform(...vendors("Together", 20)));
    const written = await rows(office.organizationId, "select distinct xmin::text from vendor where id = any($1)", [ids]);
    expect([ids.length, written.length]).toEqual([20, 1]);
    for (const id of ids) expect((await eventsOf(office, id)).map(({ type }) => type)).toEqual(["vendor.created"]);
  });

  test("stand without the one among them that is refused, which leaves nothing, and each is answered in its place", async () => {
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
    const unit = (unitNumber: string, key?: string) =>
      order("createUnit", { propertyId: property.id, unitNumber, status: "vacant", monthlyRentCents: 100_000 }, key);
    const refused = randomUUID();
    const answers = await perform(unit("1"), unit("2"), unit("2", refused), unit("3"), order("createVendor", { name: "Beside units" }));
    expect(answers.map(({ status, body }) => [status, body["unit"] && (body["unit"] as { unitNumber?: string }).unitNumber])).toEqual([
      [200, "1"],
      [200, "2"],
      [409, undefined],
      [200, "3"],
      [200, undefined],
    ]);
    expect((await office.call("listPropertyUnits", { params: { id: property.id } })).total).toBe(3);
    for (const { body } of answers.filter(({ body }) => body["unit"])) expect(await eventsOf(office, body["unit"]!.id)).toHaveLength(1);
    const [mended] = await perform(unit("4", refused));
    expect(mended!.status).toBe(200);
  });

  test("and are asked again by somebody who never heard the answer are answered the same and do nothing twice", async () => {
    const orders = vendors("Again", 12);
    const first = await perform(...orders);
    const more = order("createVendor", { name: "Again, and more" });
    const again = await perform(...orders.slice(0, 6), more, ...orders.slice(6));
    expect(again.toSpliced(6, 1)).toEqual(first);
    expect((await named("Again")).length).toBe(13);
  });

  test("of several askers at once, with the same keys in another order, do each thing once", async () => {
    const orders = vendors("Overlap", 20);
    const orderings = [orders, orders.toReversed(), orders.slice(10), [...orders.slice(5), ...orders.slice(0, 5)]];
    const answers = await Promise.all(orderings.map((some) => perform(...some)));
    const idOf = new Map(orders.map(({ key }, at) => [key, idsOf(answers[0]!)[at]]));
    for (const [at, some] of orderings.entries()) expect(idsOf(answers[at]!)).toEqual(some.map(({ key }) => idOf.get(key)));
    expect((await named("Overlap")).length).toBe(20);
  });

  test("with the same key do it once, and are answered alike", async () => {
    const [one, other] = [order("createVendor", { name: "Twice in one" }), order("createVendor", { name: "Once" })];
    const ids = idsOf(await perform(one, other, one));
    expect(ids[2]).toBe(ids[0]);
    expect((await named("Twice in one")).length).toBe(1);
  });
});
