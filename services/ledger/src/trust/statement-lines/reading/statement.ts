/** Bank statements as read from a file. */
import type { StatementLine, StatementUpload } from "@freehold/contract/trust/statement-lines";
import type { FieldErrorCode } from "@freehold/contract/errors";
import { ApiError, invalid } from "@freehold/kit/errors";

/** Line of a statement as read from a file. */
export type ReadLine = Pick<StatementLine, "lineNumber" | "date" | "amountCents" | "description" | "reference" | "bankTransactionId">;

/** Statement as read from a file: its lines in their order, and the closing balance if it states one. */
export interface ReadStatement extends Pick<StatementUpload, "format" | "closingBalanceCents" | "closingDate"> {
  lines: ReadLine[];
}

/** Maximum number of errors of a file that a response lists. */
const MAX_PROBLEMS = 100;
export const MAX_DESCRIPTION_LENGTH = 500;
export const MAX_REFERENCE_LENGTH = 255;

/** Error of a line, or of the whole file without a line. */
interface Problem {
  lineNumber?: number;
  code: FieldErrorCode;
  message: string;
}

/** Errors of a file, collected while it is read, so that all of them can be corrected at once. */
export class Problems {
  readonly #found: Problem[] = [];
  add(problem: Problem): void {
    this.#found.push(problem);
    if (this.#found.length >= MAX_PROBLEMS) this.throwIfAny();
  }
  /** Throws a 400 that names the line of each error. */
  throwIfAny(): void {
    if (this.#found.length === 0) return;
    throw invalid(
      this.#found.map(({ lineNumber, code, message }) => ({
        path: "file",
        code,
        message: lineNumber === undefined ? message : `Line ${lineNumber}: ${message}`,
      })),
    );
  }
}

/** Creates the 400 of a file that is no bank statement. */
export const unreadable = (message: string): ApiError =>
  new ApiError(400, message, { code: "unsupported_file", errors: [{ path: "file", code: "format", message }] });
