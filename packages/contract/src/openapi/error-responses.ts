/** Error responses of the OpenAPI document, by status. */
import { ErrorBody, type ErrorCode } from "../errors.ts";
import { missingKeyScope, missingScopeMessage, serviceKeyRoles } from "../identity/service-keys.ts";
import type { NamedOperation } from "../index.ts";
import { allRoles, roleRequirement, type Role } from "../roles.ts";
import { headerRefs, type HeaderName } from "./headers.ts";

interface ErrorResponse {
  name: string;
  description: string;
  example: ErrorBody;
  headers?: readonly HeaderName[];
}

const keyWithoutScopes = { isReadOnly: false, scopes: [] };
const example = (code: ErrorCode, message: string): ErrorBody => ({ message, code });

const byStatus: Record<number, ErrorResponse> = {
  400: {
    name: "BadRequest",
    description: "The body, the query or a path parameter is invalid; see `errors`.",
    example: {
      ...example("validation_failed", "amountCents is required."),
      errors: [{ path: "amountCents", code: "required", message: "amountCents is required." }],
    },
  },
  401: {
    name: "Unauthorized",
    description: "The credentials, the access token or the signature of a webhook are missing, malformed, wrong or expired.",
    example: example("token_expired", "The access token has expired. Refresh it or sign in again."),
    headers: ["WWW-Authenticate"],
  },
  403: {
    name: "Forbidden",
    description: "The caller is not permitted to call the operation; `message` names the permitted roles.",
    example: example("role_forbidden", "Only admins and managers can create a lease."),
  },
  404: {
    name: "NotFound",
    description: "The resource does not exist in the organization.",
    example: example("not_found", "Lease not found."),
  },
  405: {
    name: "MethodNotAllowed",
    description: "The resource is managed by the system and cannot be changed.",
    example: example("system_managed", "The chart of accounts is managed by the system."),
    headers: ["Allow"],
  },
  408: {
    name: "RequestTimeout",
    description: "The body arrived too slowly, and nothing was executed. The connection is closed.",
    example: { message: "The body arrives too slowly. Send it again over a faster connection." },
  },
  409: {
    name: "Conflict",
    description: "The request conflicts with the current state of the resource. Repeating it unchanged fails again.",
    example: example("invalid_transition", "A terminated lease cannot become active."),
  },
  412: {
    name: "PreconditionFailed",
    description: "A precondition failed: `If-Match` names another version, or a required setting is missing.",
    example: example("version_conflict", "The lease has changed since you read it. Read it again and repeat the change."),
  },
  415: {
    name: "UnsupportedMediaType",
    description: "The charset of the body is not UTF-8.",
    example: example("malformed_json", "Send the body in UTF-8."),
  },
  416: {
    name: "RangeNotSatisfiable",
    description: "The requested range starts beyond the end of the file; `Content-Range` contains the length of the file.",
    example: { message: "The file has 4096 bytes. Ask for a range within them." },
    headers: ["Content-Range"],
  },
  429: {
    name: "TooManyRequests",
    description: "Too many requests. Retry after the number of seconds in `Retry-After`.",
    example: example("rate_limited", "Too many requests. Wait and try again."),
    headers: ["Retry-After"],
  },
  500: {
    name: "InternalError",
    description: "An unexpected error occurred.",
    example: example("internal", "Something went wrong on our side. Try again later."),
  },
  502: {
    name: "BadGateway",
    description: "An external provider failed. The request can be repeated safely.",
    example: example("provider_failed", "Something went wrong on our side. Try again later."),
  },
  503: {
    name: "ServiceUnavailable",
    description: "The service is temporarily unavailable. Retry after the number of seconds in `Retry-After`.",
    example: example("service_unavailable", "The service is not available right now. Try again in a moment."),
    headers: ["Retry-After"],
  },
};

/** Returns the error response of an operation: a reference, except to a 403 with messages of the operation. */
export function errorResponse(status: number, named: NamedOperation) {
  const isForbidden = status === 403 && named.operation.access !== "public" && named.service !== "gateway";
  const own = isForbidden ? forbiddenResponse(named, named.operation.access as readonly Role[]) : undefined;
  return own ?? { $ref: `#/components/responses/${byStatus[status]!.name}` as const };
}

/** Returns the 403 response of an operation, with its messages for other roles and for a service key without its scope; undefined if it has none. */
function forbiddenResponse(named: NamedOperation, access: readonly Role[]) {
  const { description, headers } = responseOf(403);
  const missingScope = missingKeyScope(keyWithoutScopes, named);
  const examples = {
    ...(access.length < allRoles.length && {
      role: { summary: "Another role", value: example("role_forbidden", roleRequirement(access, named.operation.summary)) },
    }),
    ...(missingScope !== undefined &&
      access.some((role) => serviceKeyRoles.some((keyRole) => keyRole === role)) && {
        scope: { summary: "A service key without the scope", value: example("scope_forbidden", missingScopeMessage(missingScope)) },
      }),
  };
  return Object.keys(examples).length > 0 ? { description, headers, content: { "application/json": { schema: ErrorBody, examples } } } : undefined;
}

function responseOf(status: number) {
  const { description, example, headers = [] } = byStatus[status]!;
  return {
    description,
    headers: headerRefs(["X-Request-Id", "RateLimit", "RateLimit-Policy", ...headers]),
    content: { "application/json": { schema: ErrorBody, example } },
  };
}

/** Returns the responses of error statuses, by name. */
export const errorResponses = (statuses: Iterable<number>) =>
  Object.fromEntries([...new Set(statuses)].map((status) => [byStatus[status]!.name, responseOf(status)]));
