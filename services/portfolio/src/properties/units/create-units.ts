/** Creation of several units of a property in one request. */
import type { FieldError } from "@freehold/contract/errors";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { UnitTerms as UnitTermsSchema, type units } from "@freehold/contract/properties/units";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { ApiError, conflict, unknownReferenceAt } from "@freehold/kit/errors";
import { parse } from "@freehold/kit/http/validation";
import { z } from "zod";
import type { Clients } from "../../clients.ts";
import { lockReference } from "../../db/references.ts";
import { findMissingCategories, requireCategories } from "../../rpc/lookups.ts";
import { unitView } from "./unit.view.ts";
import { insertUnits, type UnitTerms } from "./units.ts";
import { findTakenUnitNumbers, findUnitRows } from "./units.queries.ts";

type Operation = (typeof units)["operations"]["createUnits"];
interface RowErrors {
  index: number;
  errors: FieldError[];
}
/** Valid unit with its position in the request. */
interface Row {
  index: number;
  terms: UnitTerms;
}

/** Creates all units or none. With `partial` creates the valid units whose number is free and returns the errors of the others. */
export async function createUnits(db: OrgDb, clients: Clients, { propertyId, units: inputs, partial }: BodyOf<Operation>): Promise<Output<Operation>> {
  const { rows, invalidRows } = await (partial ? validateEach : validateAll)(db, clients, inputs);
  return transaction(db, async (tx) => {
    await lockReference(tx, "property", propertyId, "propertyId");
    const takenNumbers = await findTakenUnitNumbers(
      tx,
      propertyId,
      rows.flatMap(({ terms }) => terms.unitNumber || []),
    );
    const duplicates = duplicateNumberErrors(rows, takenNumbers);
    if (duplicates.length > 0 && !partial) throw duplicateNumbersConflict(duplicates);
    const duplicateIndexes = new Set(duplicates.map(({ index }) => index));
    const ids = await insertUnits(
      tx,
      rows.flatMap(({ index, terms }) => (duplicateIndexes.has(index) ? [] : [{ ...terms, propertyId }])),
    );
    const viewsById = new Map((await findUnitRows(tx, ids)).map((row) => [row.id, unitView(row)]));
    return { units: ids.map((id) => viewsById.get(id)!), errors: [...invalidRows, ...duplicates].toSorted((a, b) => a.index - b.index) };
  });
}

const Units = z.object({ units: z.array(UnitTermsSchema) });

/** Returns the units of a request. Throws 400 with the errors of all when one is invalid. */
async function validateAll(db: OrgDb, clients: Clients, inputs: readonly unknown[]): Promise<{ rows: Row[]; invalidRows: RowErrors[] }> {
  const rows = parse(Units, { units: inputs }).units.map((terms, index) => ({ index, terms }));
  await requireCategories(
    db,
    clients,
    feeCategories(rows).map(({ categoryId, index, path }) => ({ categoryId, path: `units.${index}.${path}` })),
  );
  return { rows, invalidRows: [] };
}

/** Returns the valid units of a request, and the errors of the others. */
async function validateEach(db: OrgDb, clients: Clients, inputs: readonly unknown[]): Promise<{ rows: Row[]; invalidRows: RowErrors[] }> {
  const invalidRows: RowErrors[] = [];
  const parsed = inputs.flatMap((input, index): Row[] => {
    try {
      return [{ index, terms: parse(UnitTermsSchema, input) }];
    } catch (error) {
      if (!(error instanceof ApiError && error.errors)) throw error;
      invalidRows.push({ index, errors: error.errors });
      return [];
    }
  });
  const missing = Map.groupBy(await findMissingCategories(db, clients, feeCategories(parsed)), ({ index }) => index);
  for (const [index, references] of missing) invalidRows.push({ index, errors: references.map(({ path }) => unknownReferenceAt(path, "category")) });
  return { rows: parsed.filter(({ index }) => !missing.has(index)), invalidRows };
}

/** Returns the accounts of the fee templates, with the position of their unit and their path in it. */
const feeCategories = (rows: readonly Row[]) =>
  rows.flatMap(({ index, terms: { feeTemplates } }) =>
    feeTemplates.map(({ categoryId }, position) => ({ categoryId, index, path: `feeTemplates.${position}.categoryId` })),
  );

/** Returns an error for each unit whose number is taken, in the property or by an earlier unit of the request. */
function duplicateNumberErrors(rows: readonly Row[], takenNumbers: Set<string>): RowErrors[] {
  return rows.flatMap(({ index, terms: { unitNumber } }) => {
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
