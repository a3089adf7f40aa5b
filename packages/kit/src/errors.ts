/** Errors of the API. Operations throw them, and the HTTP layer converts them into responses. */
import type { ErrorBody, ErrorCode, FieldError } from "@freehold/contract/errors";

interface Details {
  code?: ErrorCode;
  errors?: FieldError[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A failure with its HTTP status and the message for the caller. Messages of 5xx errors other than 503 stay in the log. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, { code, errors, headers, cause }: Details = {}) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.headers = headers ?? {};
  }
}

/** Returns true for an operation that was refused: an error below 500, after which nothing has changed. After another error the outcome may be unknown. */
export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.status < 500;

const summarize = (errors: FieldError[]) =>
  errors.length === 1 ? errors[0]!.message : `${errors.length} fields need attention: ${[...new Set(errors.map(({ path }) => path))].join(", ")}.`;

export const invalid = (errors: FieldError[]) => new ApiError(400, summarize(errors), { code: "validation_failed", errors });
/** Field error for an id in a request body that does not exist in the organization. An id of another organization gets the same error. */
export const unknownReferenceAt = (path: string, resource: string): FieldError => ({
  path,
  code: "not_found",
  message: `There is no ${resource} with this id. Check ${path}.`,
});
/** Error for an id in a request body that does not exist in the organization. */
export const unknownReference = (path: string, resource: string) => unknownReferences([path], resource);
/** Error for several such ids, which names the path of each. */
export const unknownReferences = (paths: readonly string[], resource: string) => invalid(paths.map((path) => unknownReferenceAt(path, resource)));
/** Field error for a time after the present one. */
export const futureTimeAt = (path: string): FieldError => ({
  path,
  code: "max",
  message: `${path} cannot be in the future. Send the current time or an earlier one.`,
});
export const unauthorized = (message: string, code: ErrorCode) => new ApiError(401, message, { code, headers: { "WWW-Authenticate": "Bearer" } });
export const forbidden = (message: string, code: ErrorCode = "role_forbidden") => new ApiError(403, message, { code });
export const notFound = (resource: string) => new ApiError(404, `${resource} not found.`, { code: "not_found" });
export const conflict = (message: string, code: ErrorCode, errors?: FieldError[]) => new ApiError(409, message, { code, ...(errors && { errors }) });
export const preconditionFailed = (message: string, code: ErrorCode) => new ApiError(412, message, { code });
export const rateLimited = (retryAfterSeconds: number) =>
  new ApiError(429, "Too many requests. Wait and try again.", {
    code: "rate_limited",
    headers: { "Retry-After": String(Math.max(1, Math.ceil(retryAfterSeconds))) },
  });
export const unavailable = (cause?: unknown, code: ErrorCode = "service_unavailable") =>
  new ApiError(503, "The service is not available right now. Try again in a moment.", { code, headers: { "Retry-After": "1" }, cause });
/** Error of an operation that needs a setting of the operator. `Retry-After` is an hour, since only the operator can change that. */
export const notConfigured = (message: string) => new ApiError(503, message, { code: "not_configured", headers: { "Retry-After": "3600" } });
/** Status for the log of a request whose caller disconnected before the response, as nginx logs it: client closed request. */
export const CALLER_LEFT = 499;
/** Error that aborts work because nobody waits for its result any more. */
export const abandoned = () => new ApiError(CALLER_LEFT, "Nobody waits for the response any more.");
export const fileTooLarge = (maxBytes: number, fileName?: string) =>
  new ApiError(400, `${fileName ?? "The file"} is larger than ${Math.floor(maxBytes / 1_048_576)} MiB. Send a smaller one.`, { code: "file_too_large" });
export const filesTooLarge = (maxBytes: number, maxFiles: number) =>
  new ApiError(400, `At most ${maxFiles} files of ${Math.floor(maxBytes / 1_048_576)} MiB each can be uploaded at once. Send fewer or smaller files.`, {
    code: "file_too_large",
  });
/** Error for a body above the given size, such as `1 MiB`. The rest of the body is not read. */
export const bodyTooLarge = (maxSize: string) =>
  new ApiError(400, `The body is larger than ${maxSize}.`, { code: "payload_too_large", headers: { Connection: "close" } });
export const systemManaged = (message: string, allow: string) => new ApiError(405, message, { code: "system_managed", headers: { Allow: allow } });

/** Returns the response body of an error: its message, or a fixed sentence for 5xx other than 503. */
export function errorBody(error: ApiError): ErrorBody {
  const message = error.status >= 500 && error.status !== 503 ? "Something went wrong on our side. Try again later." : error.message;
  return { message, ...(error.code && { code: error.code }), ...(error.errors && { errors: error.errors }) };
}

/** Converts any thrown value into an ApiError; an unexpected one becomes a 500 with its cause for the log. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(500, "Unexpected failure.", { code: "internal", cause: error });
}
