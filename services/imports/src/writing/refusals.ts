/** Refusals of operations, which become errors of rows. */
import type { FieldError } from "@freehold/contract/errors";
import type { ApiError } from "@freehold/kit/errors";

/** Error of a row whose record an earlier import has written with other values, although that import did not notice it. */
const writtenWithOtherValues: FieldError = {
  path: "row",
  code: "not_allowed",
  message: "An earlier import has written a record of this row with other values. Correct that record itself, or give the row another source_id.",
};

/** Returns the errors of a row for a refused operation. `fields` are the fields of the row by the members of the operation's body. */
export const refusalErrors = ({ code, errors, message }: ApiError, fields: Readonly<Record<string, string>> = {}): FieldError[] =>
  code === "idempotency_key_reused"
    ? [writtenWithOtherValues]
    : (errors?.map((error) => ({ ...error, path: fields[error.path] ?? error.path })) ?? [{ path: "row", code: "not_allowed", message }]);
