/** What the lines of an entry point to must be the organization's own. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { unknownReference } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";
import type { Line } from "./journal.rules.ts";

/** Asks portfolio about the properties and units in one go each; the first unknown one is a 400 that names its line. */
export async function requireReferences(db: OrgDb, portfolio: Clients["portfolio"], lines: readonly Line[]): Promise<void> {
  const named = (pick: (line: Line) => string | null | undefined) => [...new Set(lines.map(pick).filter((id) => id !== null && id !== undefined))];
  const propertyIds = named((line) => line.propertyId);
  const unitIds = named((line) => line.unitId);
  const ownerIds = named((line) => line.ownerId);
  const [properties, units, owners] = await Promise.all([
    propertyIds.length > 0 ? portfolio.getProperties(db, { ids: propertyIds }).then((answer) => answer.properties) : [],
    unitIds.length > 0 ? portfolio.getUnits(db, { ids: unitIds }).then((answer) => answer.units) : [],
    ownerIds.length > 0 ? portfolio.getOwners(db, { ids: ownerIds }).then((answer) => answer.owners) : [],
  ]);
  const known = new Set([...properties, ...units, ...owners].map(({ id }) => id));
  for (const [index, line] of lines.entries()) {
    for (const [field, id] of [
      ["propertyId", line.propertyId],
      ["unitId", line.unitId],
      ["ownerId", line.ownerId],
    ] as const) {
      if (id && !known.has(id)) throw unknownReference(`lines.${index}.${field}`, field.slice(0, -2));
    }
  }
}
