/** Many units of one property at once, as when a building is taken on. */
import type { FieldError } from "@freehold/contract/errors";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { units } from "@freehold/contract/units";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import { refuseUnknownCategories } from "../../asking.ts";
import type { Clients } from "../../clients.ts";
import { holdReference } from "../../references.ts";
import { unitView } from "./unit.view.ts";
import { addUnits, type UnitTerms } from "./units.ts";
import { findUnits, takenNumbers } from "./units.queries.ts";

type Operation = (typeof units)["operations"]["createUnits"];
interface RowErrors {
  index: number;
  errors: FieldError[];
}

/** Creates all of the units, or with `partial` those whose number is free, and says which are not. */
export async function createUnits(db: OrgDb, ask: Clients, { propertyId, units: rows, partial }: BodyOf<Operation>): Promise<Output<Operation>> {
  await refuseUnknownCategories(
    db,
    ask,
    rows.flatMap(({ feeTemplates }, row) =>
      feeTemplates.map(({ categoryId }, index) => ({ categoryId, path: `units.${row}.feeTemplates.${index}.categoryId` })),
    ),
  );
  return transaction(db, async (tx) => {
    await holdReference(tx, "property", propertyId, "propertyId");
    const taken = await takenNumbers(
      tx,
      propertyId,
      rows.flatMap(({ unitNumber }) => unitNumber || []),
    );
    const errors = refusals(rows, taken);
    if (errors.length > 0 && !partial) throw refusal(errors);
    const refused = new Set(errors.map(({ index }) => index));
    const ids = await addUnits(
      tx,
      rows.flatMap((row, index) => (refused.has(index) ? [] : [{ ...row, propertyId }])),
    );
    const created = new Map((await findUnits(tx, ids)).map((row) => [row.id, unitView(row)]));
    return { units: ids.map((id) => created.get(id)!), errors };
  });
}

/** The rows whose number is taken. The first of two rows with one number gets it. */
function refusals(rows: readonly UnitTerms[], taken: Set<string>): RowErrors[] {
  return rows.flatMap(({ unitNumber }, index) => {
    if (!unitNumber) return [];
    const number = unitNumber.toLowerCase();
    if (taken.has(number))
      return [{ index, errors: [{ path: "unitNumber", code: "unique", message: `Number ${unitNumber} is taken in this property. Choose another.` }] }];
    taken.add(number);
    return [];
  });
}

/** The errors of all rows in one, with their place in the body. */
function refusal(errors: readonly RowErrors[]): Error {
  const all = errors.flatMap(({ index, errors: found }) => found.map((error) => ({ ...error, path: `units.${index}.${error.path}` })));
  return conflict("Nothing was created: unit numbers are taken. Choose others, or send partial.", "duplicate", all);
}
