import type { Organization } from "@freehold/contract/identity/accounts";
import { withVersion } from "@freehold/kit/http/etag";
import type { OrganizationRow } from "./organization.queries.ts";
import { defaultPolicies } from "./organization.rules.ts";

/** The organization on the wire; a policy younger than the row shows its default. */
export const organizationView = ({ version, policies, ...row }: OrganizationRow): Organization =>
  withVersion({ ...row, currency: "USD", policies: { ...defaultPolicies, ...policies } }, version);
