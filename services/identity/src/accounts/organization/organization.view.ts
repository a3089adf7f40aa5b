import type { Organization } from "@freehold/contract/identity/accounts";
import { withVersion } from "@freehold/kit/http/etag";
import type { OrganizationRow } from "./organization.queries.ts";
import { defaultPolicies } from "./organization.rules.ts";

/** Converts an organization row to its API representation. Policies missing from the row get their defaults. */
export const organizationView = ({ version, policies, ...row }: OrganizationRow): Organization =>
  withVersion({ ...row, currency: "USD", policies: { ...defaultPolicies, ...policies } }, version);
