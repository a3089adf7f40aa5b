/** Rules of parking rights: consistent terms, and stalls at the property of the lease. */
import type { FieldError } from "@freehold/contract/errors";
import { invalid, unknownReferenceAt } from "@freehold/kit/errors";

export interface ParkingTerms {
  effectiveStart: string;
  effectiveEnd?: string | null | undefined;
  rateBasis: string;
  ratePerSpaceCents?: number | null | undefined;
  billingScheduleId?: string | null | undefined;
  recurringChargeRuleId?: string | null | undefined;
}

/** Throws 400 when a rate is given without `rateBasis` fixed, both a billing schedule and a recurring charge are linked, or the right ends before it starts. */
export function requireConsistentParkingTerms(terms: ParkingTerms): void {
  const errors: FieldError[] = [];
  if (typeof terms.ratePerSpaceCents === "number" && terms.rateBasis !== "fixed")
    errors.push({
      path: "ratePerSpaceCents",
      code: "not_allowed",
      message: `ratePerSpaceCents requires rateBasis fixed, but rateBasis is ${terms.rateBasis}. Send null for ratePerSpaceCents, or fixed for rateBasis.`,
    });
  if (terms.billingScheduleId && terms.recurringChargeRuleId)
    errors.push({
      path: "recurringChargeRuleId",
      code: "not_allowed",
      message: "At most one charge can be linked. Send null for either recurringChargeRuleId or billingScheduleId.",
    });
  if (terms.effectiveEnd && terms.effectiveEnd < terms.effectiveStart)
    errors.push({ path: "effectiveEnd", code: "before_start", message: `effectiveEnd cannot be before ${terms.effectiveStart}, the day of effectiveStart.` });
  if (errors.length > 0) throw invalid(errors);
}

interface StallUnit {
  id: string;
  propertyId: string;
  unitType: string;
}

/** Throws 400, naming the path of each stall that is not a parking space of the property or is listed twice. */
export function requireStallsAtProperty(stallUnitIds: readonly string[], units: readonly StallUnit[], propertyId: string): void {
  const errors = stallUnitIds.flatMap((id, index): FieldError[] => {
    const path = `stallUnitIds.${index}`;
    const unit = units.find((candidate) => candidate.id === id);
    if (!unit) return [unknownReferenceAt(path, "unit")];
    if (unit.propertyId !== propertyId)
      return [{ path, code: "mismatch", message: `${path} is a unit of another property. Choose parking spaces of the lease's property.` }];
    if (unit.unitType !== "parking_space")
      return [
        { path, code: "mismatch", message: `${path} is not a parking space. Choose units of the type parking_space, or describe the stalls in stallLabels.` },
      ];
    if (stallUnitIds.indexOf(id) < index) return [{ path, code: "unique", message: `${path} repeats a stall. Send each stall once.` }];
    return [];
  });
  if (errors.length > 0) throw invalid(errors);
}
