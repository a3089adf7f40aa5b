/** Writers of owners, vendors and tenants. */
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { formatName } from "../parsing/name.ts";
import type { FieldValues } from "../validation/draft.ts";
import { addressFields, changedValues, toAddress, toBoolean, type WritableRow, type Writer } from "./writable-row.ts";

/** Returns the mailing address on one line. */
function mailingAddressOf(data: FieldValues): string | undefined {
  const address = toAddress(data);
  return address && [address.streetLine1, address.streetLine2, address.city, `${address.state} ${address.postalCode}`].filter(Boolean).join(", ");
}

/** Returns the parts of an address that a row has on one line. */
function addressOf({ street_line1, street_line2, city, state, postal_code }: FieldValues): string | undefined {
  const region = [state, postal_code].filter(Boolean).join(" ");
  return [street_line1, street_line2, city, region].filter(Boolean).join(", ").slice(0, MAX_ADDRESS_LENGTH) || undefined;
}
const MAX_ADDRESS_LENGTH = 500;

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
  create: async ({ key, data }, execute) => {
    const { owner } = await execute<{ owner: { id: string } }>("portfolio", "createOwner", key, { body: ownerFields(data) });
    return owner.id;
  },
  update: async (row, ownerId, execute) => {
    await execute("portfolio", "updateOwner", row.id, { params: { id: ownerId }, body: ownerFields(changedValues(row, addressFields)) });
  },
};

const insuranceFields = ["insurance_provider", "insurance_policy", "insurance_expires"] as const;

interface VendorInsurance {
  kind: string;
  provider: string;
  policyNumber: string;
  expiresOn: string;
  documentId: string | null;
}

/** Provider and policy number of an insurance of which only the expiry date was imported. */
const UNKNOWN = "Unknown";

/** Finds the policy among the current ones that a row describes: that of its number, of the number before the change, or the one imported without a number. */
function findImportedInsurance({ data, changes }: Pick<WritableRow, "data" | "changes">, current: readonly VendorInsurance[]): VendorInsurance | undefined {
  const liability = current.filter(({ kind }) => kind === "liability");
  const ofNumber = (number: string | null | undefined) => liability.find(({ policyNumber }) => policyNumber === number);
  const number = data["insurance_policy"];
  const previousNumber = changes.find(({ field }) => field === "insurance_policy")?.from;
  const sameExpiry = number === undefined ? liability.find(({ expiresOn }) => expiresOn === data["insurance_expires"]) : undefined;
  return ofNumber(number) ?? ofNumber(previousNumber) ?? sameExpiry ?? ofNumber(UNKNOWN);
}

/** Returns the insurances of a vendor with the liability insurance of the row, which requires an expiry date. All other policies are kept. */
function insurancesWithRow(row: Pick<WritableRow, "data" | "changes">, current: readonly VendorInsurance[]): VendorInsurance[] | undefined {
  const { insurance_provider, insurance_policy, insurance_expires } = row.data;
  if (insurance_expires === undefined) return undefined;
  const replaced = findImportedInsurance(row, current);
  const imported = {
    kind: "liability",
    provider: insurance_provider ?? replaced?.provider ?? UNKNOWN,
    policyNumber: insurance_policy ?? replaced?.policyNumber ?? UNKNOWN,
    expiresOn: insurance_expires,
    documentId: replaced?.documentId ?? null,
  };
  return replaced ? current.map((insurance) => (insurance === replaced ? imported : insurance)) : [...current, imported];
}

/** Returns the contact of a vendor, unless the vendor has the name of the contact. */
function contactOf({ name, contact_name, first_name, last_name }: FieldValues): string | undefined {
  const contact = contact_name ?? ([first_name, last_name].filter(Boolean).join(" ") || undefined);
  const formatted = contact === undefined ? undefined : formatName(contact).slice(0, MAX_CONTACT_LENGTH);
  return formatted === name ? undefined : formatted;
}
const MAX_CONTACT_LENGTH = 160;
const contactFields = ["contact_name", "first_name", "last_name"] as const;

const vendorFields = (data: FieldValues) =>
  omitUndefined({
    name: data["name"],
    contactName: contactOf(data),
    address: addressOf(data),
    trade: data["trade"],
    email: data["email"],
    phone: data["phone"],
    notes: data["notes"],
    include1099: toBoolean(data["include_1099"]),
  });

export const vendorWriter: Writer = {
  create: async (row, execute) => {
    const body = omitUndefined({ ...vendorFields(row.data), insurances: insurancesWithRow(row, []) });
    const { vendor } = await execute<{ vendor: { id: string } }>("portfolio", "createVendor", row.key, { body });
    return vendor.id;
  },
  /** Updates a vendor. Its current insurances are read before a change of them, because an update replaces the whole list. */
  update: async (row, vendorId, execute) => {
    const params = { id: vendorId };
    const readInsurances = async () =>
      (await execute<{ vendor: { insurances: VendorInsurance[] } }>("portfolio", "getVendor", "read", { params })).vendor.insurances;
    const changed = changedValues(row, insuranceFields, contactFields, addressFields);
    const insurances = changed["insurance_expires"] === undefined ? undefined : insurancesWithRow(row, await readInsurances());
    await execute("portfolio", "updateVendor", row.id, { params, body: omitUndefined({ ...vendorFields(changed), insurances }) });
  },
};

const nameFields = ["full_name", "first_name", "last_name"] as const;

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
  create: async ({ key, data }, execute) => (await execute<{ recordId: string }>("portfolio", "importTenant", key, { body: tenantFields(data) })).recordId,
  update: async (row, tenantId, execute) => {
    await execute("portfolio", "updateTenant", row.id, { params: { id: tenantId }, body: tenantFields(changedValues(row, nameFields)) });
  },
};
