/** Validation of the properties, units and owners that the lines of an entry name. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { unknownReference } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";
import type { EntryLine } from "./journal.rules.ts";

/** Throws a 400 that names the first line with an unknown property, unit or owner. Makes at most one call per kind of reference. */
export async function requireKnownReferences(db: OrgDb, portfolio: Clients["portfolio"], lines: readonly EntryLine[]): Promise<void> {
  const distinctIds = (field: "propertyId" | "unitId" | "ownerId") => [
    ...new Set(lines.map((line) => line[field]).filter((id) => id !== null && id !== undefined)),
  ];
  const [propertyIds, unitIds, ownerIds] = [distinctIds("propertyId"), distinctIds("unitId"), distinctIds("ownerId")];
  const [properties, units, owners] = await Promise.all([
    propertyIds.length > 0 ? portfolio.getProperties(db, { ids: propertyIds }).then((response) => response.properties) : [],
    unitIds.length > 0 ? portfolio.getUnits(db, { ids: unitIds }).then((response) => response.units) : [],
    ownerIds.length > 0 ? portfolio.getOwners(db, { ids: ownerIds }).then((response) => response.owners) : [],
  ]);
  const knownIds = new Set([...properties, ...units, ...owners].map(({ id }) => id));
  for (const [index, line] of lines.entries()) {
    for (const [field, id] of [
      ["propertyId", line.propertyId],
      ["unitId", line.unitId],
      ["ownerId", line.ownerId],
    ] as const) {
      if (id && !knownIds.has(id)) throw unknownReference(`lines.${index}.${field}`, field.slice(0, -2));
    }
  }
}
