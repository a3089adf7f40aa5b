/** Rows whose record exists, although a later step of the row was refused. */
import type { FieldError } from "@freehold/contract/errors";
import { ApiError } from "@freehold/kit/errors";

/** Refusal of a later step of a row. Carries the id of the record that the first step created. */
export class IncompleteRecordError extends Error {
  readonly entityId: string;
  readonly errors: FieldError[];
  constructor(entityId: string, errors: FieldError[]) {
    super("A later step of the row was refused.");
    this.entityId = entityId;
    this.errors = errors;
  }
}

export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.status < 500;

/** Returns the errors of the row for a refused operation. */
export const refusalErrors = ({ errors, message }: ApiError): FieldError[] => errors ?? [{ path: "row", code: "not_allowed", message }];

/**
 * Runs the steps of a row after the one that created its record. A refusal becomes an `IncompleteRecordError`, so that the
 * identity of the record is stored and a repeated import does not create the record again. `outcome` tells the user what exists.
 */
export async function completeRecord(entityId: string, outcome: string, steps: () => Promise<void>): Promise<void> {
  try {
    await steps();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new IncompleteRecordError(
      entityId,
      refusalErrors(error).map((each) => ({ ...each, message: `${outcome} ${each.message}` })),
    );
  }
}
