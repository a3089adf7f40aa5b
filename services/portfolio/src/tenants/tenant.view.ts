import type { Tenant } from "@freehold/contract/tenants";
import type { Cents } from "@freehold/contract/values";
import type { Scope } from "@freehold/kit/scope";
import { versioned } from "@freehold/kit/version";
import type { TenantRow } from "./tenants.queries.ts";

/** A tenant as one caller sees it: a date of birth is for those who rent out. */
export function tenantView({ version, smsConsentGranted, smsConsentAt, ...tenant }: TenantRow, scope: Scope, balanceCents: Cents | null): Tenant {
  const maySeeBirth = scope.role === "admin" || scope.role === "manager";
  return versioned(
    { ...tenant, dateOfBirth: maySeeBirth ? tenant.dateOfBirth : null, smsConsent: { granted: smsConsentGranted, at: smsConsentAt }, balanceCents },
    version,
  );
}
