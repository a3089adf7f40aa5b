import type { Policies } from "@freehold/contract/identity/accounts";
import { defineEntity, inPortalReach, enumText, orgColumns, p } from "@freehold/kit/db/entity";

const OrganizationSchema = defineEntity({
  name: "Organization",
  tableName: "organization",
  ...inPortalReach,
  uniques: [{ name: "organization_slug_once", properties: ["slug"] }],
  properties: {
    ...orgColumns,
    name: p.text(),
    slug: p.text(),
    timezone: p.text(),
    locale: p.text(),
    addressLine1: p.text().nullable(),
    addressLine2: p.text().nullable(),
    city: p.text().nullable(),
    state: p.text().nullable(),
    postalCode: p.text().nullable(),
    phone: p.text().nullable(),
    email: p.text().nullable(),
    logoDocumentId: p.uuid().nullable(),
    fiscalYearStartMonth: p.integer(),
    defaultBasis: enumText(["accrual", "cash"]),
    policies: p.json().$type<Policies>(),
    onboardingCompletedAt: p.datetime(3).nullable(),
    /** Time at which an admin first opened a mailed link. Until then few invites can be sent. */
    confirmedAt: p.datetime(3).nullable(),
    invitesBeforeConfirmation: p.integer().default(0),
  },
});

/** Organization: a property management company, the tenant of the multi-tenant system. `id` equals `organizationId`. */
export class Organization extends OrganizationSchema.class {}
OrganizationSchema.setClass(Organization);
