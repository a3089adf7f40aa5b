import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Tenant } from "../../../../../services/portfolio/src/people/tenants/tenant.entity.ts";
import { Unit } from "../../../../../services/portfolio/src/properties/units/unit.entity.ts";
import { database as definition } from "../../../../../services/portfolio/src/database.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { systemPrincipal } from "../../auth/principal.ts";
import { openDatabase } from "../database.ts";
import { OrgDb } from "../org-db.ts";
import { transaction } from "../transaction.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.portfolio.service, 2);
});
afterAll(() => database.close());

const tenants = [
  { fullName: "Ana Ruiz", preferredLanguage: "en", portalStatus: "none" as const },
  {
    fullName: 'Bo "Null" {Li}',
    preferredLanguage: "es",
    portalStatus: "none" as const,
    dateOfBirth: "1990-02-28",
    smsConsentGranted: true,
    smsConsentAt: new Date("2026-01-05T15:00:00.123Z"),
    emergencyContact: { name: "Kim", phone: "+15185550100" },
    email: undefined,
  },
];

test("rows that are inserted at once equal those that are inserted as entities", async () => {
  const db = new OrgDb(database, systemPrincipal((await anOffice()).organizationId));
  const ids = await transaction(db, async (tx) => {
    const atOnce = await tx.insertAll(Tenant, tenants);
    const entities = tenants.map((tenant) => tx.create(Tenant, tenant));
    return [atOnce, entities].map((rows) => rows.map(({ id }) => id));
  });
  const [atOnce, entities] = await transaction(db, async (tx) => {
    const own = new Set(["id", "createdAt", "updatedAt"]);
    const read = async (id: string) => Object.fromEntries(Object.entries(await tx.getForUpdate(Tenant, id, "Tenant")).filter(([member]) => !own.has(member)));
    return [await Promise.all(ids[0]!.map(read)), await Promise.all(ids[1]!.map(read))];
  });
  expect(atOnce).toEqual(entities);
  expect(atOnce![1]).toMatchObject({ fullName: 'Bo "Null" {Li}', sameName: 'bo "null" {li}', version: 1, smsConsentGranted: true });
});

test("texts of an array keep quotes, commas and the word null", async () => {
  const office = await anOffice();
  const { property } = await office.call("createProperty", {
    body: { name: "Elm", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207", units: 1, occupiedUnits: 0 },
  });
  const amenities = ["null", 'a "b", {c}'];
  const unit = { propertyId: property.id, unitType: "residential" as const, monthlyRentCents: 100 as Unit["monthlyRentCents"], status: "vacant" as const };
  const db = new OrgDb(database, systemPrincipal(office.organizationId));
  const [first, second] = await transaction(db, (tx) =>
    tx.insertAll(Unit, [
      { ...unit, unitNumber: "1", amenities },
      { ...unit, unitNumber: "2", amenities: [] },
    ]),
  );
  const read = async (id: string) => (await office.call("getUnit", { params: { id } })).unit.amenities;
  expect([await read(first!.id), await read(second!.id)]).toEqual([amenities, []]);
});
