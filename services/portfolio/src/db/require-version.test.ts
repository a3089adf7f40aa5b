/** Deletions that are refused because the record is in use, with the If-Match of an earlier version. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { aLease, anOwner, aProperty, aTenant, aUnit, aVendor, aWorkOrder } from "../../test/fixtures.ts";

const office = await anOffice();
const owner = await anOwner(office);
const property = await aProperty(office, { ownerIds: [owner.id] });
const [unit, tenant] = [await aUnit(office, property.id), await aTenant(office)];
const references = { propertyId: property.id, unitId: unit.id, tenantId: tenant.id };
const lease = await aLease(office, references);
await office.call("createCharge", { body: { leaseId: lease.id, amountCents: 100, dueDate: lease.startDate, chargeType: "fee" } });
const vendor = await aVendor(office);
await aWorkOrder(office, { propertyId: property.id, vendorId: vendor.id });

test.each([
  ["deleteLease", lease.id],
  ["deleteProperty", property.id],
  ["deleteUnit", unit.id],
  ["deleteTenant", tenant.id],
  ["deleteOwner", owner.id],
  ["deleteVendor", vendor.id],
] as const)("%s compares the version before it looks for uses", async (operation, id) => {
  const attempt = async (headers: Record<string, string>) => {
    const { status, body } = await office.attempt(operation, { params: { id }, headers });
    return [status, body.code];
  };
  expect(await attempt({ "If-Match": '"999"' })).toEqual([412, "version_conflict"]);
  expect(await attempt({ "If-Match": "*" })).toEqual([409, "resource_in_use"]);
  expect(await attempt({})).toEqual([409, "resource_in_use"]);
});
