/** Validation of the properties, units and owners that the lines of an entry name. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";
import type { EntryLine } from "./journal.rules.ts";

type ReferencingLine = Partial<Pick<EntryLine, "propertyId" | "unitId" | "ownerId">>;

/** Throws a 400 that names the first line with an unknown or deleted property, unit or owner, or with a unit of another property. Makes at most one call per kind of reference. */
export async function requireKnownReferences(db: OrgDb, portfolio: Clients["portfolio"], lines: readonly ReferencingLine[]): Promise<void> {
  const distinctIds = (field: "propertyId" | "unitId" | "ownerId") => [
    ...new Set(lines.map((line) => line[field]).filter((id) => id !== null && id !== undefined)),
  ];
  const [propertyIds, unitIds, ownerIds] = [distinctIds("propertyId"), distinctIds("unitId"), distinctIds("ownerId")];
  const [properties, units, owners] = await Promise.all([
    propertyIds.length > 0 ? portfolio.getProperties(db, { ids: propertyIds }).then((response) => response.properties) : [],
    unitIds.length > 0 ? portfolio.getUnits(db, { ids: unitIds }).then((response) => response.units) : [],
    ownerIds.length > 0 ? portfolio.getOwners(db, { ids: ownerIds }).then((response) => response.owners) : [],
  ]);
  const knownIds = new Set([...properties, ...units, ...owners].filter(({ isDeleted }) => !isDeleted).map(({ id }) => id));
  const propertyOfUnit = new Map(units.map(({ id, propertyId }) => [id, propertyId]));
  for (const [index, line] of lines.entries()) {
    for (const [field, id] of [
      ["propertyId", line.propertyId],
      ["unitId", line.unitId],
      ["ownerId", line.ownerId],
    ] as const) {
      if (id && !knownIds.has(id)) throw unknownReference(`lines.${index}.${field}`, field.slice(0, -2));
    }
    // Otherwise the balances of units would not add up to those of their property.
    const unitPropertyId = propertyOfUnit.get(line.unitId ?? "");
    if (line.propertyId && unitPropertyId && unitPropertyId !== line.propertyId) {
      const message = "The unit belongs to another property. Check propertyId and unitId.";
      throw invalid([{ path: `lines.${index}.unitId`, code: "mismatch", message }]);
    }
  }
}
