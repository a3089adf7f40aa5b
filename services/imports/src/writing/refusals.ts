/** Refusals of operations, which become errors of rows. */
import type { FieldError } from "@freehold/contract/errors";
import { ApiError } from "@freehold/kit/errors";

export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.status < 500;

/** Returns the errors of a row for a refused operation. `fields` are the fields of the row by the members of the operation's body. */
export const refusalErrors = ({ errors, message }: ApiError, fields: Readonly<Record<string, string>> = {}): FieldError[] =>
  errors?.map((error) => ({ ...error, path: fields[error.path] ?? error.path })) ?? [{ path: "row", code: "not_allowed", message }];
