/** Errors of PostgreSQL and of the connection to it. */
import { invalid, unavailable, type ApiError } from "../errors.ts";

const SERIALIZATION_FAILURE = "40001";
const DEADLOCK = "40P01";
const UNIQUE_VIOLATION = "23505";
const LOCK_TIMEOUT = "55P03";
/** Code of a statement that reached `statement_timeout`, for example because it waited for several locks in turn. */
const STATEMENT_CANCELED = "57014";
const NUMBER_OUT_OF_RANGE = "22003";
/** Codes of PostgreSQL with which it ends or refuses a connection: it shuts down, starts, has too many connections, or is no longer the primary. */
const refusedByServer = ["57P01", "57P02", "57P03", "57P05", "25P03", "25006", "08000", "08001", "08003", "08004", "08006", "53300"];
/** Codes of the operating system for a server that cannot be reached, or whose name cannot be resolved. */
const unreachable = [
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
];
const connectionLost = new Set([...refusedByServer, ...unreachable]);

interface DatabaseError {
  code?: string;
  constraint?: string;
  message?: string;
}

/** Unwraps the driver's error from those that the ORM and the pool put around it. */
function rootError(error: unknown): DatabaseError {
  let found = error as DatabaseError & { cause?: unknown; previous?: unknown };
  while (!found.constraint && (found.cause || found.previous)) found = (found.cause ?? found.previous) as typeof found;
  return found;
}

const tooLarge = () =>
  invalid([
    { path: "amountCents", code: "max", message: "The totals of the organization with these amounts would be too large to be stored. Lower the amounts." },
  ]);

/**
 * Translates a database error: a violated constraint into its refusal, a total that no column can hold into a 400, a lock or
 * statement timeout, a lost connection, or a wait for a connection that took too long into a 503.
 * Returns every other error unchanged.
 */
export function translateDatabaseError(error: unknown, constraints: Record<string, () => ApiError>): unknown {
  const { code, constraint, message } = rootError(error);
  const refusal = constraint ? constraints[constraint] : undefined;
  if (refusal) return Object.assign(refusal(), { cause: error });
  if (code === NUMBER_OUT_OF_RANGE) return Object.assign(tooLarge(), { cause: error });
  const isTimeout = code === LOCK_TIMEOUT || code === STATEMENT_CANCELED;
  if (
    isTimeout ||
    (code && connectionLost.has(code)) ||
    /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/.test(message ?? "")
  )
    return unavailable(error);
  return error;
}

/** Reports whether a transaction failed because of a concurrent one and may succeed when it is repeated. */
export const isTransactionConflict = (error: unknown): boolean => [DEADLOCK, SERIALIZATION_FAILURE].includes(rootError(error).code ?? "");

/** Creates the error of a transaction that conflicts with a concurrent one; `transaction` retries it like a serialization failure. */
export const transactionConflict = (message: string): Error => Object.assign(new Error(message), { code: SERIALIZATION_FAILURE });

/** Reports whether the connection of an error is of no more use: it broke, or its server does not serve it any more. */
export const isConnectionLost = (error: unknown): boolean => connectionLost.has(rootError(error).code ?? "");

export const isUniqueViolation = (error: unknown, constraint: string): boolean => {
  const found = rootError(error);
  return found.code === UNIQUE_VIOLATION && found.constraint === constraint;
};
