/** Writers of owners, vendors and tenants. */
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { FieldValues } from "../validation/draft.ts";
import { toAddress, toBoolean, type Writer } from "./writable-row.ts";

/** Returns the mailing address on one line. */
function mailingAddressOf(data: FieldValues): string | undefined {
  const address = toAddress(data);
  return address && [address.streetLine1, address.streetLine2, address.city, `${address.state} ${address.postalCode}`].filter(Boolean).join(", ");
}

const ownerFields = (data: FieldValues) =>
  omitUndefined({
    fullName: data["full_name"],
    companyName: data["company_name"],
    email: data["email"],
    phone: data["phone"],
    mailingAddress: mailingAddressOf(data),
    include1099: toBoolean(data["include_1099"]),
  });

export const ownerWriter: Writer = {
  create: async ({ id, data }, execute) => {
    const { owner } = await execute<{ owner: { id: string } }>("portfolio", "createOwner", id, { body: ownerFields(data) });
    return owner.id;
  },
  update: async ({ id, data }, ownerId, execute) => {
    await execute("portfolio", "updateOwner", id, { params: { id: ownerId }, body: ownerFields(data) });
  },
};

/** Returns the liability insurance of a vendor, which requires an expiry date. */
const insurancesOf = ({ insurance_provider, insurance_policy, insurance_expires }: FieldValues) =>
  insurance_expires === undefined
    ? undefined
    : [
        {
          kind: "liability",
          provider: insurance_provider ?? "Unknown",
          policyNumber: insurance_policy ?? "Unknown",
          expiresOn: insurance_expires,
          documentId: null,
        },
      ];

const vendorFields = (data: FieldValues) =>
  omitUndefined({
    name: data["name"],
    trade: data["trade"],
    email: data["email"],
    phone: data["phone"],
    notes: data["notes"],
    include1099: toBoolean(data["include_1099"]),
    insurances: insurancesOf(data),
  });

export const vendorWriter: Writer = {
  create: async ({ id, data }, execute) => {
    const { vendor } = await execute<{ vendor: { id: string } }>("portfolio", "createVendor", id, { body: vendorFields(data) });
    return vendor.id;
  },
  update: async ({ id, data }, vendorId, execute) => {
    await execute("portfolio", "updateVendor", id, { params: { id: vendorId }, body: vendorFields(data) });
  },
};

const tenantFields = (data: FieldValues) =>
  omitUndefined({
    fullName: data["full_name"],
    firstName: data["first_name"],
    lastName: data["last_name"],
    companyName: data["company_name"],
    email: data["email"],
    phone: data["phone"],
    preferredLanguage: data["preferred_language"],
    dateOfBirth: data["date_of_birth"],
  });

export const tenantWriter: Writer = {
  create: async ({ id, data }, execute) => {
    const { tenant } = await execute<{ tenant: { id: string } }>("portfolio", "createTenant", id, { body: tenantFields(data) });
    return tenant.id;
  },
  update: async ({ id, data }, tenantId, execute) => {
    await execute("portfolio", "updateTenant", id, { params: { id: tenantId }, body: tenantFields(data) });
  },
};
