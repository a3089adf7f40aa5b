/** Rules of the policy for payments to vendors whose liability insurance has expired. */
import type { FieldError } from "@freehold/contract/errors";
import type { Policies } from "@freehold/contract/identity/accounts";
import { conflict, type ApiError } from "@freehold/kit/errors";
import type { Vendor } from "@freehold/proto/portfolio/v1/portfolio";

/** Vendor who is paid, and the member of the request that names it. */
export interface PaidVendor {
  path: string;
  vendor: Pick<Vendor, "name" | "insuredUntil">;
}

/** Consequence of a payment, by the organization's policy: a refusal or warnings, or neither. */
export interface InsuranceCheck {
  refusal?: ApiError;
  warnings: string[];
}

/** Returns the consequence of paying vendors whose liability insurance had expired on the day of the payment; none for a vendor without one. */
export function checkInsurances(policy: Policies["vendorInsurance"], paid: readonly PaidVendor[], day: string): InsuranceCheck {
  const lapsed = paid.filter(({ vendor: { insuredUntil } }) => insuredUntil !== undefined && insuredUntil < day);
  const [first] = lapsed;
  if (policy === "off" || !first) return { warnings: [] };
  if (policy === "warn")
    return { warnings: [...new Set(lapsed.map(({ vendor }) => `The liability insurance of ${vendor.name} expired on ${vendor.insuredUntil}.`))] };
  const message = `The vendor's liability insurance expired on ${first.vendor.insuredUntil}. Record a valid insurance before you pay ${first.vendor.name}.`;
  const errors = lapsed.map(({ path }): FieldError => ({ path, code: "not_allowed", message: "The vendor's liability insurance has expired." }));
  return { refusal: conflict(message, "invalid_transition", errors), warnings: [] };
}

/** Returns the warnings of a check, or throws its refusal. */
export function requireInsuredVendors({ refusal, warnings }: InsuranceCheck): string[] {
  if (refusal) throw refusal;
  return warnings;
}
