import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { events, type EventType } from "@freehold/contract/events";
import { importedEventOf } from "@freehold/contract/imports/imported-events";
import { EventReader } from "../../../../test/support/events/stream.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { prepareBundle, writeBundle } from "../../test/writing.ts";

const sheets = {
  properties: [
    "source_id,name,street_line1,city,state,postal_code",
    "P-1,Oak House,7 Oak Street,Albany,NY,12207",
    "P-2,Elm House,9 Elm Street,Albany,NY,12207",
  ],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00", "U-2,P-1,2,1000.00", "U-3,P-2,1,900.00"],
  owners: ["source_id,full_name,email", "O-1,Ida Berg,ida@example.com", "O-2,Per Lund,per@example.com"],
  vendors: ["source_id,name,email", "V-1,Pipes Ltd,pipes@example.com"],
  tenants: ["source_id,full_name,email", "T-1,Sam Sample,sam@example.com", "T-2,Alex Sample,alex@example.com", "T-3,Kim Sample,kim@example.com"],
  leases: [
    "source_id,unit_source_id,primary_tenant_source_id,co_tenants,term_type,status,start_date,rent",
    "L-1,U-1,T-1,T-3,month_to_month,active,2024-01-01,1000.00",
    "L-2,U-3,T-2,,month_to_month,active,2024-02-01,900.00",
  ],
  charges: ["source_id,lease_source_id,date,amount", "C-1,L-1,2025-06-01,1000.00", "C-2,L-1,2025-07-01,1000.00", "C-3,L-2,2025-06-01,900.00"],
  payments: ["source_id,lease_source_id,received_date,amount,method", "Y-1,L-1,2025-06-03,1000.00,check", "Y-2,L-2,2025-06-04,900.00,check"],
};

let office: Office;
let reader: EventReader;
let bundleId: string;
/** Ids of the written records by entity type and source id. */
let recordIds: Map<string, string>;

const idsOf = (entityType: string, ...sourceIds: string[]) => sourceIds.map((sourceId) => recordIds.get(`${entityType},${sourceId}`)!).toSorted();
const waitForEvent = async (type: EventType) => (await reader.waitForFrame(type, ({ event }) => event === type)).data;

beforeAll(async () => {
  office = await anOffice();
  reader = await EventReader.open(running().baseUrl, office.token!, {});
  const bundle = await prepareBundle(office, sheets);
  bundleId = bundle.id;
  expect(await writeBundle(office, bundleId)).toMatchObject({ status: "completed" });
  const [, ...lines] = (await (await office.raw("GET", `/api/import-bundles/${bundleId}/identity-map.csv`)).text()).trim().split("\r\n");
  recordIds = new Map(
    lines.map((line) => {
      const [entityType, , sourceId, recordId] = line.split(",");
      return [`${entityType},${sourceId}`, recordId!];
    }),
  );
});
afterAll(() => reader.close());

describe("the event stream of an office that imports", () => {
  test("has one event for the records of each kind, which names them and their leases", async () => {
    const ofKind = async (type: EventType) => {
      const { entityType, entityId, actorUserId, data } = await waitForEvent(type);
      expect({ entityType, entityId, actorUserId, bundleId: data["bundleId"] }).toEqual({
        entityType: "import_bundle",
        entityId: bundleId,
        actorUserId: office.userId,
        bundleId,
      });
      expect(events[type].data.safeParse(data).error).toBeUndefined();
      return { ids: (data["ids"] as string[]).toSorted(), leaseIds: (data["leaseIds"] as string[] | undefined)?.toSorted() };
    };
    const leaseIds = idsOf("lease", "L-1", "L-2");
    expect((await ofKind("properties.imported")).ids).toEqual(idsOf("property", "P-1", "P-2"));
    expect((await ofKind("units.imported")).ids).toEqual(idsOf("unit", "U-1", "U-2", "U-3"));
    expect((await ofKind("owners.imported")).ids).toEqual(idsOf("owner", "O-1", "O-2"));
    expect((await ofKind("vendors.imported")).ids).toEqual(idsOf("vendor", "V-1"));
    expect((await ofKind("tenants.imported")).ids).toEqual(idsOf("tenant", "T-1", "T-2", "T-3"));
    expect((await ofKind("leases.imported")).ids).toEqual(leaseIds);
    expect(await ofKind("charges.imported")).toEqual({ ids: idsOf("charge", "C-1", "C-2", "C-3"), leaseIds });
    expect(await ofKind("payments.imported")).toEqual({ ids: idsOf("payment", "Y-1", "Y-2"), leaseIds });
  });

  test("has no event of a single created record", async () => {
    await reader.waitForFrame("the end of the import", ({ event, data }) => event === "import_bundle.status_changed" && data.data["status"] === "completed");
    await waitForEvent("payments.imported");
    expect(reader.events.map(({ event }) => event).filter((type) => type in importedEventOf)).toEqual([]);
  });
});

test("the activity of a property, a lease and everyone on the lease has one entry for each kind of imported record", async () => {
  const [propertyId, leaseId, tenantId, coTenantId] = [
    ...idsOf("property", "P-1"),
    ...idsOf("lease", "L-1"),
    ...idsOf("tenant", "T-1"),
    ...idsOf("tenant", "T-3"),
  ] as [string, string, string, string];
  const expected = ["charges.imported", "leases.imported", "payments.imported", "recurring_charges.imported"];
  const typesOf = async (operation: "listPropertyActivity" | "listLeaseActivity" | "listTenantActivity", id: string, types: readonly string[]) => {
    const activity = await eventually(`activity of ${types.length} kinds`, async () => {
      const { activity: items } = await office.call(operation, { params: { id } });
      const imported = items.filter(({ type }) => type.endsWith(".imported"));
      return imported.length >= types.length && imported;
    });
    return activity.map(({ type, entityId }) => `${type} ${entityId}`).toSorted();
  };
  const entries = (types: readonly string[]) => types.map((type) => `${type} ${bundleId}`).toSorted();
  const ofProperty = [...expected, "properties.imported", "units.imported"];
  expect(await typesOf("listPropertyActivity", propertyId, ofProperty)).toEqual(entries(ofProperty));
  expect(await typesOf("listLeaseActivity", leaseId, expected)).toEqual(entries(expected));
  expect(await typesOf("listTenantActivity", tenantId, [...expected, "tenants.imported"])).toEqual(entries([...expected, "tenants.imported"]));
  // The feed of a co-tenant begins when the co-tenant is added to the lease.
  const ofCoTenant = ["charges.imported", "payments.imported", "tenants.imported"];
  expect(await typesOf("listTenantActivity", coTenantId, ofCoTenant)).toEqual(expect.arrayContaining(entries(ofCoTenant)));
});

test("the audit log has one entry for the records of each kind", async () => {
  const entries = await eventually("audit entries", async () => {
    const { auditEntries } = await office.call("listAuditEntries", { query: { entityId: bundleId, pageSize: 100 } });
    const imported = auditEntries.filter(({ action }) => action.endsWith(".imported"));
    return imported.length >= 7 && imported;
  });
  expect(entries.map(({ action }) => action).toSorted()).toEqual(
    ["leases", "owners", "properties", "recurring_charges", "tenants", "units", "vendors"].map((kind) => `${kind}.imported`),
  );
  expect(entries.find(({ action }) => action === "properties.imported")!.after).toMatchObject({ ids: expect.arrayContaining(idsOf("property", "P-1", "P-2")) });
});

test("a change of an existing record by a later import has an event of the record, with its values before and after in the audit log", async () => {
  const [header, first, ...rest] = sheets.tenants;
  const { id } = await prepareBundle(office, { tenants: [header!, first!.replace("Sam Sample", "Samuel Sample"), ...rest] });
  await writeBundle(office, id);
  const [tenantId] = idsOf("tenant", "T-1");
  await reader.waitForFrame("tenant.updated", ({ event, data }) => event === "tenant.updated" && data.entityId === tenantId);
  const entry = await eventually("audit entry", async () => {
    const { auditEntries } = await office.call("listAuditEntries", { query: { entityId: tenantId!, action: "tenant.updated" } });
    return auditEntries[0];
  });
  expect([entry.before, entry.after]).toMatchObject([{ fullName: "Sam Sample" }, { fullName: "Samuel Sample" }]);
});
