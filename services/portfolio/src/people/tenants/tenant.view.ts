import type { Tenant } from "@freehold/contract/people/tenants";
import type { Cents } from "@freehold/contract/values";
import type { Principal } from "@freehold/kit/auth/principal";
import { withVersion } from "@freehold/kit/http/etag";
import type { TenantRow } from "./tenants.queries.ts";

/** A tenant as one caller sees it: a date of birth is for those who rent out. */
export function tenantView({ version, smsConsentGranted, smsConsentAt, ...tenant }: TenantRow, principal: Principal, balanceCents: Cents | null): Tenant {
  const maySeeBirth = principal.role === "admin" || principal.role === "manager";
  return withVersion(
    { ...tenant, dateOfBirth: maySeeBirth ? tenant.dateOfBirth : null, smsConsent: { granted: smsConsentGranted, at: smsConsentAt }, balanceCents },
    version,
  );
}
