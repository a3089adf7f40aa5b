import type { Organization } from "@freehold/contract/accounts";
import { versioned } from "@freehold/kit/version";
import type { OrganizationRow } from "./organization.queries.ts";
import { defaultPolicies } from "./organization.rules.ts";

/** The organization on the wire; a policy younger than the row shows its default. */
export const organizationView = ({ version, policies, ...row }: OrganizationRow): Organization =>
  versioned({ ...row, currency: "USD", policies: { ...defaultPolicies, ...policies } }, version);
