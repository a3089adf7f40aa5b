import type { Tenant } from "@freehold/contract/people/tenants";
import type { Cents } from "@freehold/contract/values";
import type { Principal } from "@freehold/kit/auth/principal";
import { withVersion } from "@freehold/kit/http/etag";
import type { TenantRow } from "./tenants.queries.ts";

/** Returns the API representation of a tenant. The date of birth is null for callers other than admins and managers. */
export function tenantView(
  { version, smsConsentGranted, smsConsentAt, smsConsentSource, ...tenant }: TenantRow,
  principal: Principal,
  balanceCents: Cents | null,
): Tenant {
  const canSeeDateOfBirth = principal.role === "admin" || principal.role === "manager";
  return withVersion(
    {
      ...tenant,
      dateOfBirth: canSeeDateOfBirth ? tenant.dateOfBirth : null,
      smsConsent: { granted: smsConsentGranted, at: smsConsentAt, source: smsConsentSource },
      balanceCents,
    },
    version,
  );
}
