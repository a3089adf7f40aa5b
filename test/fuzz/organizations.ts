/** Organizations for the fuzzer, with a user of each role. */
import { anEmail, anOffice } from "../support/office.ts";
import { aTenancy } from "../support/tenancy.ts";

/** Signs up organizations and returns the access tokens of their users by role. */
export function createOrganizations(baseUrl: string, count: number): Promise<Record<string, string>[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const office = await anOffice(baseUrl);
      const [{ tenantId, propertyId }, { owner }, { vendor }] = await Promise.all([
        aTenancy(office),
        office.call("createOwner", { body: { fullName: "Olga Owner", email: anEmail() } }),
        office.call("createVendor", { body: { name: "Vera Vendor" } }),
      ]);
      await office.call("updateProperty", { params: { id: propertyId }, body: { ownerIds: [owner.id], maintenanceLimitCents: 1 } });
      const { workOrder } = await office.call("createWorkOrder", { body: { propertyId, title: "The tap drips", vendorId: vendor.id } });
      await office.call("createWorkOrderEstimate", { params: { id: workOrder.id }, body: { amountCents: 10_000 } });
      const users = {
        manager: office.colleague("manager"),
        staff: office.colleague("staff"),
        tenant: office.tenantUser(tenantId),
        owner: office.ownerUser(owner.id),
        vendor: office.vendorUser(vendor.id),
      };
      const tokens = await Promise.all(Object.entries(users).map(async ([role, user]) => [role, (await user).token!] as const));
      return { admin: office.token!, ...Object.fromEntries(tokens) };
    }),
  );
}
