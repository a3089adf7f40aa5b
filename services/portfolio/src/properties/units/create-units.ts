/** Creation of several units of a property in one request. */
import type { FieldError } from "@freehold/contract/errors";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { units } from "@freehold/contract/properties/units";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { lockReference } from "../../db/references.ts";
import { requireCategories } from "../../rpc/lookups.ts";
import { unitView } from "./unit.view.ts";
import { insertUnits, type UnitTerms } from "./units.ts";
import { findTakenUnitNumbers, findUnitRows } from "./units.queries.ts";

type Operation = (typeof units)["operations"]["createUnits"];
interface RowErrors {
  index: number;
  errors: FieldError[];
}

/** Creates all units or none. With `partial` creates the units whose number is free and returns the errors of the others. */
export async function createUnits(db: OrgDb, clients: Clients, { propertyId, units: inputs, partial }: BodyOf<Operation>): Promise<Output<Operation>> {
  await requireCategories(
    db,
    clients,
    inputs.flatMap(({ feeTemplates }, unitIndex) =>
      feeTemplates.map(({ categoryId }, feeIndex) => ({ categoryId, path: `units.${unitIndex}.feeTemplates.${feeIndex}.categoryId` })),
    ),
  );
  return transaction(db, async (tx) => {
    await lockReference(tx, "property", propertyId, "propertyId");
    const takenNumbers = await findTakenUnitNumbers(
      tx,
      propertyId,
      inputs.flatMap(({ unitNumber }) => unitNumber || []),
    );
    const errors = duplicateNumberErrors(inputs, takenNumbers);
    if (errors.length > 0 && !partial) throw duplicateNumbersConflict(errors);
    const invalidIndexes = new Set(errors.map(({ index }) => index));
    const ids = await insertUnits(
      tx,
      inputs.flatMap((input, index) => (invalidIndexes.has(index) ? [] : [{ ...input, propertyId }])),
    );
    const viewsById = new Map((await findUnitRows(tx, ids)).map((row) => [row.id, unitView(row)]));
    return { units: ids.map((id) => viewsById.get(id)!), errors };
  });
}

/** Returns an error for each unit whose number is taken, in the property or by an earlier unit of the request. */
function duplicateNumberErrors(inputs: readonly UnitTerms[], takenNumbers: Set<string>): RowErrors[] {
  return inputs.flatMap(({ unitNumber }, index) => {
    if (!unitNumber) return [];
    const key = unitNumber.toLowerCase();
    if (takenNumbers.has(key))
      return [{ index, errors: [{ path: "unitNumber", code: "unique", message: `Number ${unitNumber} is taken in this property. Choose another.` }] }];
    takenNumbers.add(key);
    return [];
  });
}

function duplicateNumbersConflict(rowErrors: readonly RowErrors[]): Error {
  const fieldErrors = rowErrors.flatMap(({ index, errors }) => errors.map((error) => ({ ...error, path: `units.${index}.${error.path}` })));
  return conflict("Nothing was created: unit numbers are taken. Choose others, or send partial.", "duplicate", fieldErrors);
}
