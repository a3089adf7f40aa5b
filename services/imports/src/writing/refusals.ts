/** Refusals of operations, which become errors of rows. */
import type { FieldError } from "@freehold/contract/errors";
import type { ApiError } from "@freehold/kit/errors";
import { allSheets, entityFields } from "../providers/generic.ts";

/** Error of a row whose record an earlier import has written with other values, although that import did not notice it. */
const writtenWithOtherValues: FieldError = {
  path: "row",
  code: "not_allowed",
  message: "An earlier import has written a record of this row with other values. Correct that record itself, or give the row another source_id.",
};

const rowFields: ReadonlySet<string> = new Set(allSheets.flatMap(({ entityType }) => entityFields(entityType)));
const toSnakeCase = (member: string): string => member.replace(/(?:Cents|Bps)$/, "").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the field of the row for a member of the operation's body, or undefined if rows have no such field. */
function fieldOf(path: string, fields: Readonly<Record<string, string>>): string | undefined {
  const member = path.split(".").at(-1)!;
  const sameName = toSnakeCase(member);
  return fields[path] ?? fields[member] ?? (rowFields.has(sameName) ? sameName : undefined);
}

/** Replaces the members of an operation's body in a message by the fields of the row. */
const withFields = (message: string, fields: Readonly<Record<string, string>>): string =>
  message.replaceAll(/\b(?:body\.)?[a-z]+(?:[A-Z][a-z0-9]*)+\b/g, (member) => fieldOf(member, fields) ?? member);

/** Returns the errors of a row for a refused operation. `fields` are the fields of the row by the members of the operation's body. */
export const refusalErrors = ({ code, errors, message }: ApiError, fields: Readonly<Record<string, string>> = {}): FieldError[] =>
  code === "idempotency_key_reused"
    ? [writtenWithOtherValues]
    : (errors ?? [{ path: "row", code: "not_allowed" as const, message }]).map((error) => ({
        ...error,
        path: fieldOf(error.path, fields) ?? error.path,
        message: withFields(error.message, fields),
      }));
