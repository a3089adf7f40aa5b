/** Orders for the same operation are written together: as if one had come after the other. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../test/office.ts";
import { eventually } from "../../../test/world.ts";
import { eventsOf, questions, rows } from "../test/behind.ts";

const office = await anOffice();
const { client, who } = questions(office);

interface Answer {
  tenant?: { id: string };
  unit?: { id: string };
  lease?: { id: string; status: string; occupants: { tenantId: string }[] };
  possibleDuplicates?: { id: string; reason: string }[];
  code?: string;
}
const order = (operation: string, body: object, key: string = randomUUID()) => ({ operation, key, params: {}, body: JSON.stringify(body) });
const perform = async (...orders: ReturnType<typeof order>[]) => {
  const { results: outcomes } = await client.executeOperations(who, { requests: orders });
  return outcomes.map(({ status, body }) => ({ status, body: JSON.parse(body) as Answer }));
};

/** A property with so many units, and as many tenants. */
async function aHouse(count: number) {
  const address = { name: "Row House", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207" };
  const { property } = await office.call("createProperty", { body: { ...address, units: count, occupiedUnits: 0 } });
  const numbers = Array.from({ length: count }, (_, at) => at);
  const units = await perform(...numbers.map((at) => order("createUnit", { propertyId: property.id, unitNumber: String(at), monthlyRentCents: 100_000 })));
  const tenants = await perform(...numbers.map((at) => order("createTenant", { fullName: `${randomUUID()} ${at}` })));
  return numbers.map((at) => ({ propertyId: property.id, unitId: units[at]!.body.unit!.id, tenantId: tenants[at]!.body.tenant!.id }));
}
const aLease = (place: object, key?: string, change: object = {}) =>
  order("createLease", { ...place, startDate: "2026-01-01", termType: "month_to_month", rentCents: 100_000, rentChargeDay: 1, activate: true, ...change }, key);

describe("tenants who come together", () => {
  test("are told of each other as those who came before, and one who is to be nobody's double is refused alone", async () => {
    const [name, email] = [randomUUID(), `${randomUUID()}@example.com`];
    const answers = await perform(
      order("createTenant", { fullName: name, email }),
      order("createTenant", { fullName: "Somebody Else", email: email.toUpperCase() }),
      order("createTenant", { fullName: name, rejectDuplicates: true }),
      order("createTenant", { fullName: randomUUID() }),
    );
    expect(answers.map(({ status, body }) => [status, body.code ?? body.possibleDuplicates])).toEqual([
      [200, []],
      [200, [expect.objectContaining({ id: answers[0]!.body.tenant!.id, reason: "email" })]],
      [409, "duplicate"],
      [200, []],
    ]);
  });

  test("with one key twice are one", async () => {
    const twice = order("createTenant", { fullName: randomUUID() });
    const answers = await perform(twice, order("createTenant", { fullName: randomUUID() }), twice);
    expect(answers[2]).toEqual(answers[0]);
    expect(answers[1]!.body.tenant!.id).not.toBe(answers[0]!.body.tenant!.id);
  });
});

describe("leases that come together", () => {
  test("are written in one commit, each with its tenant, its events and its rent, and found by who lives there", async () => {
    const places = await aHouse(5);
    const answers = await perform(...places.slice(0, 4).map((place) => aLease(place)), aLease(places[4]!, undefined, { activate: false }));
    expect(answers.map(({ body }) => [body.lease!.status, body.lease!.occupants.map(({ tenantId }) => tenantId)])).toEqual(
      places.map(({ tenantId }, at) => [at < 4 ? "active" : "draft", [tenantId]]),
    );
    const ids = answers.map(({ body }) => body.lease!.id);
    expect(await rows(office.organizationId, "select distinct xmin::text from lease where id = any($1)", [ids])).toHaveLength(1);
    for (const [at, id] of ids.entries())
      expect((await eventsOf(office, id)).map(({ type }) => type)).toEqual(at < 4 ? ["lease.created", "lease.activated"] : ["lease.created"]);
    const { recurringChargeRules } = await office.call("getLease", { params: { id: ids[3]! } });
    expect(recurringChargeRules).toMatchObject([{ kind: "rent", amountCents: 100_000, status: "active" }]);
    const { tenant } = await office.call("getTenant", { params: { id: places[2]!.tenantId } });
    const { results } = await office.call("search", { query: { q: tenant.fullName } });
    expect(results.map(({ id }) => id)).toContain(ids[2]);
  });

  test("for one unit are one lease: the first stands, the others are refused, and those beside them stand", async () => {
    const [one, other] = await aHouse(2);
    const answers = await perform(aLease(one!), aLease(one!), aLease({ ...one, tenantId: other!.tenantId }), aLease(other!));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [409, "lease_overlap"],
      [409, "lease_overlap"],
      [200, undefined],
    ]);
  });

  test("and are asked for again are answered the same and counted once", async () => {
    const places = await aHouse(6);
    const before = (await office.call("listLeases")).total;
    const orders = places.map((place) => aLease(place));
    const first = await perform(...orders);
    const [again, atOnce] = await Promise.all([perform(...orders.toReversed()), perform(...orders)]);
    const idsOf = (answers: typeof first) => answers.map(({ body }) => body.lease!.id);
    expect([idsOf(again).toReversed(), idsOf(atOnce)]).toEqual([idsOf(first), idsOf(first)]);
    expect((await office.call("listLeases")).total).toBe(before + 6);
    await eventually("list of units that are let", async () =>
      (await office.call("listUnits", { query: { propertyId: places[0]!.propertyId, status: "occupied" } })).total === 6 ? true : undefined,
    );
  });
});
