/** The search of lists, whose candidates come from the trigram index of the search entries. */
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { aLease, aTenant, aWorkOrder, createLeaseReferences } from "../../test/fixtures.ts";

const office = await anOffice();
const createTenant = (members: object) => aTenant(office, members);
const findTenants = async (search: string, query: Record<string, string> = {}) =>
  (await office.call("listTenants", { query: { search, ...query } })).tenants.map(({ id }) => id);

describe("listTenants", () => {
  test.each([
    ["in any case", { fullName: "Rosalind Quimby" }, "lind QUI"],
    ["of two characters", { fullName: "Xq Zz" }, "xq"],
    ["with an accent", { fullName: "Jürgen Löwe" }, "löwe"],
    ["with the wildcards of patterns", { fullName: "Nil_%\\Nought" }, "l_%\\n"],
    ["that begins with a space", { fullName: "Ada  Vantongeren" }, "  vanton"],
    ["of a phone number with its plus sign", { fullName: "Phoebe", phone: "+12125550187" }, "+12125550187"],
    ["in the middle of a phone number", { fullName: "Phyllis", phone: "+12125550199" }, "5550199"],
    ["of an e-mail address", { fullName: "Mae", email: "mae.of@orchard-lane.example" }, "f@orchard-l"],
    ["of a company", { fullName: "Cole", companyName: "Nettle & Daughters" }, "nettle &"],
  ])("finds a text %s", async (_, members, search) => {
    const { id } = await createTenant(members);
    expect(await findTenants(search)).toEqual([id]);
  });

  test("does not find a text that is in no single member, or has another accent", async () => {
    await createTenant({ fullName: "Una Wexford", companyName: "Brine Ltd" });
    expect([await findTenants("wexford brine"), await findTenants("wéxford")]).toEqual([[], []]);
  });

  test("finds a changed name by the new one only, and a deleted tenant among deleted ones only", async () => {
    const { id } = await createTenant({ fullName: "Before Marriage" });
    await office.call("updateTenant", { params: { id }, body: { fullName: "After Wedding" } });
    expect([await findTenants("marriage"), await findTenants("wedding")]).toEqual([[], [id]]);
    await office.call("deleteTenant", { params: { id } });
    expect([await findTenants("wedding"), await findTenants("wedding", { includeDeleted: "true" })]).toEqual([[], [id]]);
  });

  test("finds no tenant of another organization", async () => {
    const { id } = await createTenant({ fullName: "Ownonly Person" });
    const neighbour = await anOffice();
    expect([await findTenants("ownonly"), (await neighbour.call("listTenants", { query: { search: "ownonly" } })).total]).toEqual([[id], 0]);
  });
});

test("leases are found by the names of the tenant and of a co-tenant, as in the search of everything", async () => {
  const coTenant = await createTenant({ fullName: "Cosima Secondname" });
  const references = await createLeaseReferences(office);
  const lease = await aLease(office, references, { occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
  const search = "cosima second";
  expect((await office.call("listLeases", { query: { search } })).leases.map(({ id }) => id)).toEqual([lease.id]);
  const { results } = await office.call("search", { query: { q: search, types: "lease" } });
  expect(results.map(({ id }) => id)).toEqual([lease.id]);
});

test("work orders are found by the last word of a long description, in the list and in the search of everything", async () => {
  const workOrder = await aWorkOrder(office, { description: `${"The sink drips. ".repeat(450)}Ask for Ottokar.` });
  expect((await office.call("listWorkOrders", { query: { search: "ottokar" } })).workOrders.map(({ id }) => id)).toEqual([workOrder.id]);
  const { results } = await office.call("search", { query: { q: "ottokar" } });
  expect(results.map(({ id }) => id)).toEqual([workOrder.id]);
  const { id } = workOrder;
  await office.call("transitionWorkOrder", { params: { id }, body: { status: "in_progress" } });
  await office.call("updateWorkOrder", { params: { id }, body: { description: "The sink drips. Ask for Ferdinand." } });
  const found = async (search: string) => (await office.call("listWorkOrders", { query: { search } })).total;
  expect([await found("ottokar"), await found("ferdinand")]).toEqual([0, 1]);
});
