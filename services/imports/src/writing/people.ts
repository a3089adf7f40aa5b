/** Owners, vendors and tenants. */
import type { Data } from "../validation/draft.ts";
import { addressOf, flag, said, type Create, type Update } from "./writable-row.ts";

/** An address as it stands on a letter, on one line. */
function mailingAddressOf(data: Data): string | undefined {
  const address = addressOf(data);
  return address && [address.streetLine1, address.streetLine2, address.city, `${address.state} ${address.postalCode}`].filter(Boolean).join(", ");
}

const ownerTerms = (data: Data) =>
  said({
    fullName: data["full_name"],
    companyName: data["company_name"],
    email: data["email"],
    phone: data["phone"],
    mailingAddress: mailingAddressOf(data),
    include1099: flag(data["include_1099"]),
  });

export const createOwner: Create = async ({ id, data }, perform) => {
  const { owner } = await perform<{ owner: { id: string } }>("portfolio", "createOwner", id, { body: ownerTerms(data) });
  return owner.id;
};
export const updateOwner: Update = async ({ id, data }, ownerId, perform) => {
  await perform("portfolio", "updateOwner", id, { params: { id: ownerId }, body: ownerTerms(data) });
};

/** An insurance is known when it is said until when it runs. */
const insurancesOf = ({ insurance_provider, insurance_policy, insurance_expires }: Data) =>
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

const vendorTerms = (data: Data) =>
  said({
    name: data["name"],
    trade: data["trade"],
    email: data["email"],
    phone: data["phone"],
    notes: data["notes"],
    include1099: flag(data["include_1099"]),
    insurances: insurancesOf(data),
  });

export const createVendor: Create = async ({ id, data }, perform) => {
  const { vendor } = await perform<{ vendor: { id: string } }>("portfolio", "createVendor", id, { body: vendorTerms(data) });
  return vendor.id;
};
export const updateVendor: Update = async ({ id, data }, vendorId, perform) => {
  await perform("portfolio", "updateVendor", id, { params: { id: vendorId }, body: vendorTerms(data) });
};

const tenantTerms = (data: Data) =>
  said({
    fullName: data["full_name"],
    firstName: data["first_name"],
    lastName: data["last_name"],
    companyName: data["company_name"],
    email: data["email"],
    phone: data["phone"],
    preferredLanguage: data["preferred_language"],
    dateOfBirth: data["date_of_birth"],
  });

export const createTenant: Create = async ({ id, data }, perform) => {
  const { tenant } = await perform<{ tenant: { id: string } }>("portfolio", "createTenant", id, { body: tenantTerms(data) });
  return tenant.id;
};
export const updateTenant: Update = async ({ id, data }, tenantId, perform) => {
  await perform("portfolio", "updateTenant", id, { params: { id: tenantId }, body: tenantTerms(data) });
};
