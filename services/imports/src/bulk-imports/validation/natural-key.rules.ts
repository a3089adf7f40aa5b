import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { normalizeForMatching } from "../../parsing/text.ts";
import type { FieldValues } from "../../validation/draft.ts";
import { entityName } from "../../validation/entity.rules.ts";

/** Returns the natural key of a row: its referenced records and identifying fields. It is also the source id of a row without one. */
export function naturalKeyOf(entityType: ImportEntityType, data: FieldValues, referencedIds: Readonly<Record<string, string>>): string {
  const { property = "", unit = "", lease = "", tenant = "", vendor = "" } = referencedIds;
  const name = normalizeForMatching(entityName(data));
  const parts: Partial<Record<ImportEntityType, readonly (string | undefined)[]>> = {
    property: [name],
    owner: [name, data["email"]],
    vendor: [name, data["email"]],
    tenant: [name, data["email"]],
    unit: [property, normalizeForMatching(data["unit_number"] ?? "")],
    lease: [unit, data["start_date"], tenant],
    recurring_charge: [lease, normalizeForMatching(data["label"] ?? ""), data["start_date"]],
    charge: [lease, data["date"], data["due_date"], data["type"], normalizeForMatching(data["label"] ?? ""), data["amount"]],
    payment: [lease, tenant, data["received_date"], data["method"], data["check_number"], data["amount"]],
    expense: [
      property,
      unit,
      vendor,
      data["date"],
      data["category"],
      data["category_code"],
      data["invoice_number"],
      normalizeForMatching(data["label"] ?? ""),
      data["amount"],
    ],
    work_order: [property, unit, normalizeForMatching(data["title"] ?? ""), data["created_date"]],
  };
  return `~${(parts[entityType] ?? []).map((part) => part ?? "").join("/")}`.slice(0, 400);
}
