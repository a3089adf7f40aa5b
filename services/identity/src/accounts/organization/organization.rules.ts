import type { Policies } from "@freehold/contract/identity/accounts";
import type { FieldError } from "@freehold/contract/errors";
import { isTimezone } from "@freehold/kit/time/clock";
import { invalid } from "@freehold/kit/errors";

/** What an organization decides until it decides otherwise. */
export const defaultPolicies: Policies = {
  prorationMethod: "actual_days",
  allocationOrder: ["rent", "parking", "utility", "fee", "other", "nsf_fee", "late_fee", "deposit"],
  autoAllocatePayments: false,
  acceptPartialPayments: true,
  lateFeeMaxBps: null,
  lateFeeMaxCents: null,
  nsfFeeCents: 0 as Policies["nsfFeeCents"],
  autoChargeNsfFee: false,
  portalLockAfterReturns: null,
  trustOverdraft: "block",
  vendorInsurance: "off",
  postDaysInAdvance: 0,
  taxReportingThresholdCents: 2_000_00 as Policies["taxReportingThresholdCents"],
  defaultDepositDeadlineDays: 30,
};

/** The organization's name as it stands in an address: lower-case letters, digits and single hyphens. */
export function slugOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
  return plain || "organization";
}

function isLocale(locale: string): boolean {
  try {
    return Intl.getCanonicalLocales(locale).length === 1;
  } catch {
    return false;
  }
}

/** Refuses a time zone that the IANA database does not know; an offset such as +05:00 is not one, since it cannot tell summer from winter. */
export function requireTimezone(timezone: string): void {
  if (/^[+-]/.test(timezone) || !isTimezone(timezone))
    throw invalid([{ path: "timezone", code: "format", message: "timezone must be an IANA time zone, such as America/New_York." }]);
}

/** Refuses settings that have the right shape and make no sense. */
export function requireConsistentPolicies(
  settings: { timezone?: string | undefined; locale?: string | undefined },
  policies?: { allocationOrder?: Policies["allocationOrder"] | undefined },
): void {
  if (settings.timezone !== undefined) requireTimezone(settings.timezone);
  const errors: FieldError[] = [];
  if (settings.locale !== undefined && !isLocale(settings.locale))
    errors.push({ path: "locale", code: "format", message: "locale must be a language tag, such as en-US." });
  const order = policies?.allocationOrder ?? [];
  if (new Set(order).size < order.length)
    errors.push({ path: "policies.allocationOrder", code: "unique", message: "policies.allocationOrder names a kind of charge twice." });
  if (errors.length > 0) throw invalid(errors);
}
