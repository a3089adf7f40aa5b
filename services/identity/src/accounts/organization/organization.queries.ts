import type { Organization } from "@freehold/contract/identity/accounts";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";

/** Organization columns; `organizationView` adds the currency. */
export type OrganizationRow = Omit<Organization, "currency"> & { version: number };

/** Returns the caller's organization, or undefined. */
export const findOrganization = (db: StatementRunner): Promise<OrganizationRow | undefined> =>
  db.first(sql<OrganizationRow>`select id, slug, name, timezone, locale, address_line1, address_line2, city, state,
      postal_code, phone, email, logo_document_id, fiscal_year_start_month, default_basis, policies, onboarding_completed_at, created_at, updated_at, version
    from organization where organization_id = ${db.organizationId} and id = ${db.organizationId}`);

/** Returns the caller's organization. Throws 404 when the organization does not exist. */
export async function getOrganizationRow(db: StatementRunner): Promise<OrganizationRow> {
  const row = await findOrganization(db);
  if (!row) throw notFound("Organization");
  return row;
}
