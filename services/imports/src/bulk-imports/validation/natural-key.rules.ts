import type { ImportEntityType } from "@freehold/contract/import-bundles";
import { normalized } from "../../parsing/text.ts";
import type { Data } from "../../validation/draft.ts";
import { nameOf } from "../../validation/entity.rules.ts";

/** What makes a row the same in every file, whatever it is called there: where it belongs and what it says. */
export function naturalIdOf(entityType: ImportEntityType, data: Data, links: Readonly<Record<string, string>>): string {
  const { property = "", unit = "", lease = "", tenant = "" } = links;
  const name = normalized(nameOf(data));
  const parts: Partial<Record<ImportEntityType, readonly (string | undefined)[]>> = {
    property: [name],
    owner: [name, data["email"]],
    vendor: [name, data["email"]],
    tenant: [name, data["email"]],
    unit: [property, normalized(data["unit_number"] ?? "")],
    lease: [unit, data["start_date"], tenant],
    recurring_charge: [lease, normalized(data["label"] ?? ""), data["start_date"]],
    charge: [lease, data["date"], data["due_date"], data["type"], normalized(data["label"] ?? ""), data["amount"]],
    payment: [lease, tenant, data["received_date"], data["method"], data["check_number"], data["amount"]],
    work_order: [property, unit, normalized(data["title"] ?? ""), data["created_date"]],
  };
  return `~${(parts[entityType] ?? []).map((part) => part ?? "").join("/")}`.slice(0, 400);
}
