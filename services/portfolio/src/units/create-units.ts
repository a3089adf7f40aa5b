/** Many units of one property at once, as when a building is taken on. */
import type { FieldError } from "@freehold/contract/errors";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { units } from "@freehold/contract/units";
import { transaction, type OrgDb } from "@freehold/kit/db";
import { conflict, invalid } from "@freehold/kit/errors";
import { unknownCategories } from "../asking.ts";
import type { Clients } from "../clients.ts";
import { holdReference } from "../references.ts";
import { unitView } from "./unit.view.ts";
import { addUnit, type UnitTerms } from "./units.ts";
import { findUnits, takenNumbers } from "./units.queries.ts";

type Operation = (typeof units)["operations"]["createUnits"];
interface RowErrors {
  index: number;
  errors: FieldError[];
}

/** Creates all of the units, or with `partial` those that can be, and says why the others could not. */
export async function createUnits(db: OrgDb, ask: Clients, { propertyId, units: rows, partial }: BodyOf<Operation>): Promise<Output<Operation>> {
  const withoutAccount = await unknownAccounts(db, ask, rows);
  return transaction(db, async (tx) => {
    await holdReference(tx, "property", propertyId, "propertyId");
    const taken = await takenNumbers(
      tx,
      propertyId,
      rows.flatMap(({ unitNumber }) => unitNumber || []),
    );
    const errors = refusals(rows, withoutAccount, taken);
    if (errors.length > 0 && !partial) throw refusal(errors);
    const refused = new Set(errors.map(({ index }) => index));
    const ids: string[] = [];
    for (const [index, terms] of rows.entries()) if (!refused.has(index)) ids.push((await addUnit(tx, propertyId, terms)).id);
    const created = new Map((await findUnits(tx, ids)).map((row) => [row.id, unitView(row)]));
    return { units: ids.map((id) => created.get(id)!), errors };
  });
}

/** The fees whose account the chart does not have, by the row that they are of. */
async function unknownAccounts(db: OrgDb, ask: Clients, rows: readonly UnitTerms[]): Promise<Map<number, FieldError[]>> {
  const named = rows.flatMap(({ feeTemplates }, row) =>
    feeTemplates.map(({ categoryId }, index) => ({ row, categoryId, path: `feeTemplates.${index}.categoryId` })),
  );
  const unknown = await unknownCategories(db, ask, named);
  const errors = unknown.map(({ row, path }) => ({ row, error: { path, code: "not_found", message: `There is no account with this id. Check ${path}.` } }));
  return new Map([...Map.groupBy(errors, ({ row }) => row)].map(([row, found]) => [row, found.map(({ error }) => error)]));
}

/** What is wrong with each row, its fields named as in the row. The first of two rows with one number gets it. */
function refusals(rows: readonly UnitTerms[], withoutAccount: ReadonlyMap<number, FieldError[]>, taken: Set<string>): RowErrors[] {
  const isFree = (unitNumber: string | null | undefined): boolean => !unitNumber || !taken.has(unitNumber.toLowerCase());
  return rows.flatMap(({ unitNumber }, index) => {
    const errors = [
      ...(withoutAccount.get(index) ?? []),
      ...(isFree(unitNumber) ? [] : [{ path: "unitNumber", code: "unique", message: `Number ${unitNumber} is taken in this property. Choose another.` }]),
    ];
    if (unitNumber && errors.length === 0) taken.add(unitNumber.toLowerCase());
    return errors.length > 0 ? [{ index, errors }] : [];
  });
}

/** All rows' errors in one, with their place in the body: a taken number is a conflict, anything else a mistake. */
function refusal(errors: readonly RowErrors[]): Error {
  const all = errors.flatMap(({ index, errors: found }) => found.map((error) => ({ ...error, path: `units.${index}.${error.path}` })));
  const isTaken = all.every(({ code }) => code === "unique");
  return isTaken ? conflict("Nothing was created: unit numbers are taken. Choose others, or send partial.", "duplicate", all) : invalid(all);
}
