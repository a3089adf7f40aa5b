import { describe, expect, test } from "@jest/globals";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import { anOffice } from "../../../../test/support/office.ts";
import { aTenancy } from "../../../../test/support/tenancy.ts";
import { createReadyBundle, csvFile, listAllCandidates } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const summarize = (candidates: readonly Candidate[]) =>
  candidates.map(({ sourceId, status, chosenEntityId, changes }) => [sourceId, status, chosenEntityId, changes.map(({ field }) => field)]);

test("people are matched by e-mail address, and are ambiguous if only their name or several people match", async () => {
  const office = await anOffice();
  const createTenant = async (fullName: string, email?: string) =>
    (await office.call("createTenant", { body: { fullName, ...(email && { email }) } })).tenant.id;
  const [sam, alex] = [await createTenant("Sam Sample", "sam@example.com"), await createTenant("Alex Sample", "alex@example.com")];
  const [firstKim, secondKim] = [await createTenant("Kim Double"), await createTenant("Kim Double")];
  const { id } = await createReadyBundle(
    office,
    "generic",
    csvFile(
      "tenants.csv",
      "source_id,full_name,email",
      "T-1,Sam Sample,SAM@example.com",
      "T-2,Alexandra Sample,alex@example.com",
      "T-3,Alex  SAMPLE,",
      "T-4,Kim Double,",
      "T-5,Nobody Else,nobody@example.com",
    ),
  );
  const candidates = await listAllCandidates(office, id);
  expect(summarize(candidates)).toEqual([
    ["T-1", "unchanged", sam, []],
    ["T-2", "ready_update", alex, ["full_name"]],
    ["T-3", "ambiguous", null, []],
    ["T-4", "ambiguous", null, []],
    ["T-5", "ready_create", null, []],
  ]);
  expect(candidates[0]!.matches).toEqual([{ entityId: sam, displayName: "Sam Sample", score: 1, reasons: ["email", "name"] }]);
  expect(candidates[1]!.changes).toEqual([{ field: "full_name", from: "Alex Sample", to: "Alexandra Sample" }]);
  expect(new Set(candidates[3]!.matches.map(({ entityId }) => entityId))).toEqual(new Set([firstKim, secondKim]));
  expect(candidates[3]!.matches.map(({ score }) => score)).toEqual([0.6, 0.6]);
  const resolve = (candidate: Candidate, body: object) =>
    office.call("resolveImportCandidate", { params: { id, candidateId: candidate.id }, body: body as { action: "create" } });
  expect((await resolve(candidates[3]!, { action: "match", entityId: secondKim })).candidate).toMatchObject({ status: "unchanged", chosenEntityId: secondKim });
  expect((await resolve(candidates[3]!, { action: "reset" })).candidate).toMatchObject({ status: "ambiguous", chosenEntityId: null });
  expect((await resolve(candidates[2]!, { action: "create" })).candidate).toMatchObject({ status: "ready_create" });
});

test("two people with one e-mail address are two people: the one whose name is in Freehold, or nobody without a decision", async () => {
  const office = await anOffice();
  const create = (fullName: string, email: string) => office.call("createTenant", { body: { fullName, email } });
  const ann = (await create("Ann Lee", "lees@example.com")).tenant.id;
  await create("Old Name", "roommates@example.com");
  const pia = (await create("Pia Twounits", "pia@example.com")).tenant.id;
  const sheets = {
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
    tenants: [
      "source_id,full_name,email",
      "T-1,Bob Lee,lees@example.com",
      "T-2,Ann Lee,lees@example.com",
      "T-3,Kim Room,roommates@example.com",
      "T-4,Lou Mate,roommates@example.com",
      "T-5,Pia Twounits,pia@example.com",
      "T-6,PIA TWOUNITS,pia@example.com",
    ],
    leases: ["source_id,unit_source_id,primary_tenant_source_id,co_tenants,start_date,rent", "L-1,U-1,T-2,Bob Lee,2026-01-01,1000.00"],
  } satisfies Sheets;
  const { id } = await prepareBundle(office, sheets);
  const tenants = await listAllCandidates(office, id, { entityType: "tenant" });
  expect(summarize(tenants).map(([sourceId, status, entityId]) => [sourceId, status, entityId])).toEqual([
    ["T-1", "ready_create", null],
    ["T-2", "unchanged", ann],
    ["T-3", "ambiguous", null],
    ["T-4", "ambiguous", null],
    ["T-5", "unchanged", pia],
    ["T-6", "ready_update", pia],
  ]);
  for (const action of ["match", "reset"] as const) {
    const body = action === "match" ? { action, entityId: ann } : { action };
    await office.call("resolveImportCandidate", { params: { id, candidateId: tenants[0]!.id }, body });
  }
  expect((await listAllCandidates(office, id, { entityType: "tenant" }))[0]).toMatchObject({ status: "ready_create", chosenEntityId: null });
  await writeBundle(office, id);
  const [lease] = (await office.call("listLeases")).leases;
  expect(lease!.occupants.map(({ fullName, role }) => `${fullName}: ${role}`).toSorted()).toEqual(["Ann Lee: primary", "Bob Lee: co_tenant"]);
  expect((await prepareBundle(office, sheets)).counts.byEntity["tenant"]).toMatchObject({ ambiguous: 2 });
});

test("properties are matched by address, units by number and leases by first day", async () => {
  const office = await anOffice();
  const { propertyId, unitId, tenantId, leaseId } = await aTenancy(office);
  const { tenant } = await office.call("getTenant", { params: { id: tenantId } });
  await office.call("updateTenant", { params: { id: tenantId }, body: { email: "tess@example.com" } });
  const { id } = await createReadyBundle(
    office,
    "generic",
    csvFile(
      "properties.csv",
      "source_id,name,street_line1,city,state,postal_code",
      "P-1,Elm Street One,1 Elm Street,Albany,NY,12207",
      "P-2,Other House,5 Oak Street,Albany,NY,12207",
    ),
    csvFile("units.csv", "source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00", "U-2,P-2,1,1000.00"),
    csvFile("tenants.csv", "source_id,full_name,email", `T-1,${tenant.fullName},tess@example.com`),
    csvFile("leases.csv", "source_id,unit_source_id,primary_tenant_source_id,start_date,end_date,rent", "L-1,U-1,T-1,2026-01-01,2099-12-31,1100.00"),
  );
  expect(summarize(await listAllCandidates(office, id))).toEqual([
    ["P-1", "ready_update", propertyId, ["name"]],
    ["P-2", "ready_create", null, []],
    ["U-1", "unchanged", unitId, []],
    ["U-2", "ready_create", null, []],
    ["T-1", "unchanged", tenantId, []],
    ["L-1", "ready_update", leaseId, ["rent"]],
  ]);
});

test("owners are matched by e-mail address and vendors by name, within the organization only", async () => {
  const [office, otherOffice] = await Promise.all([anOffice(), anOffice()]);
  for (const client of [office, otherOffice]) {
    await client.call("createVendor", { body: { name: "Pipes & Co." } });
    await client.call("createOwner", { body: { fullName: "Olga Owner", email: "olga@example.com" } });
  }
  await otherOffice.call("createVendor", { body: { name: "Wires" } });
  const { id } = await createReadyBundle(
    office,
    "generic",
    csvFile("vendors.csv", "source_id,name,trade", "V-1,PIPES & CO,Plumbing", "V-2,Wires,"),
    csvFile("owners.csv", "source_id,full_name,email", "O-1,Olga Owner,olga@example.com"),
  );
  expect(summarize(await listAllCandidates(office, id)).map(([sourceId, status, , changes]) => [sourceId, status, changes])).toEqual([
    ["V-1", "ready_update", ["name", "trade"]],
    ["V-2", "ready_create", []],
    ["O-1", "unchanged", []],
  ]);
});

describe("a lease of another tenant on the same first day of the same unit", () => {
  const portfolio = {
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
    tenants: ["source_id,full_name,email", "T-1,Ann Applicant,ann@example.com", "T-2,Bob Tenant,bob@example.com"],
  } satisfies Sheets;
  const HEADER = "source_id,unit_source_id,primary_tenant_source_id,status,start_date,rent";
  const leasesOf = async (id: string, office: Awaited<ReturnType<typeof anOffice>>) =>
    (await listAllCandidates(office, id, { entityType: "lease" })).map(({ sourceId, status, errors }) => [sourceId, status, ...errors.map(({ code }) => code)]);

  test("is another lease: the draft of an applicant remains, and the money of the row is on its own lease", async () => {
    const office = await anOffice();
    const draft = "L-1,U-1,T-1,draft,2026-11-01,1000.00";
    await writeBundle(office, (await prepareBundle(office, { ...portfolio, leases: [HEADER, draft] })).id);
    const { id } = await prepareBundle(office, {
      ...portfolio,
      leases: [HEADER, draft, "L-2,U-1,T-2,active,2026-11-01,1200.00"],
      deposits: ["source_id,lease_source_id,amount_held", "D-2,L-2,500.00"],
    });
    expect(await leasesOf(id, office)).toEqual([
      ["L-1", "unchanged"],
      ["L-2", "ready_create"],
    ]);
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    const { leases } = await office.call("listLeases");
    expect(new Set(leases.map(({ tenantName, status, rentCents }) => `${tenantName} ${status} ${rentCents}`))).toEqual(
      new Set(["Ann Applicant draft 100000", "Bob Tenant active 120000"]),
    );
    const { securityDeposits } = await office.call("listSecurityDeposits");
    expect(securityDeposits.map(({ leaseId }) => leases.find((lease) => lease.id === leaseId)?.tenantName)).toEqual(["Bob Tenant"]);
  });

  test("holds the unit when it is in force, and is the lease of the row once its tenant is", async () => {
    const office = await anOffice();
    await writeBundle(office, (await prepareBundle(office, { ...portfolio, leases: [HEADER, "L-1,U-1,T-1,active,2026-11-01,1000.00"] })).id);
    const sheets = { ...portfolio, tenants: ["source_id,full_name", "T-3,Ann Applicant"], leases: [HEADER, "L-2,U-1,T-3,active,2026-11-01,1000.00"] };
    const { id } = await prepareBundle(office, sheets);
    const resolveTenant = async (body: { action: "create" } | { action: "match"; entityId: string }) => {
      const [tenant] = await listAllCandidates(office, id, { entityType: "tenant" });
      await office.call("resolveImportCandidate", { params: { id, candidateId: tenant!.id }, body });
      return leasesOf(id, office);
    };
    expect(await leasesOf(id, office)).toEqual([["L-2", "blocked"]]);
    expect(await resolveTenant({ action: "create" })).toEqual([["L-2", "invalid", "overlap"]]);
    const [lease] = (await office.call("listLeases")).leases;
    expect(await resolveTenant({ action: "match", entityId: lease!.tenantId! })).toEqual([["L-2", "unchanged"]]);
  });
});
