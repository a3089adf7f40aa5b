import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { admins } from "../roles.ts";
import { Id, Instant, text } from "../values.ts";

const services = ["identity", "portfolio", "ledger", "communications", "imports"] as const;
/** Scopes of service keys: `<service>:read` for GET operations, `<service>:write` for all operations of a service. */
const scopes = services.flatMap((service) => [`${service}:read`, `${service}:write`] as const);
export type KeyScope = (typeof scopes)[number];

/** Returns the scope that a service key lacks for an operation: `write` if the key is read-only, undefined if the key may call the operation. */
export function missingKeyScope(
  { isReadOnly, scopes: keyScopes }: { isReadOnly: boolean; scopes?: readonly string[] | null | undefined },
  { service, operation }: { service: string; operation: { method: string; alsoReads?: readonly string[]; needsNoScope?: boolean } },
): string | undefined {
  const isRead = operation.method === "GET";
  if (isReadOnly && !isRead) return "write";
  if (!keyScopes || operation.needsNoScope) return undefined;
  const needed = [`${service}:${isRead ? "read" : "write"}`, ...(operation.alsoReads ?? []).map((other) => `${other}:read`)];
  return needed.find((scope) => !keyScopes.includes(scope) && !keyScopes.includes(scope.replace(":read", ":write")));
}

/** Returns the message of the 403 response to a service key that lacks a scope. */
export const missingScopeMessage = (scope: string): string => `This service key does not have the scope ${scope}. Use one that has it.`;

/** Roles that a service key can have. */
export const serviceKeyRoles = ["manager", "staff"] as const;

const terms = {
  name: text(1, 80).describe("Name of the service key, such as the program that uses it."),
  role: z.enum(serviceKeyRoles).describe("Role of the service key. The key may call the operations of this role."),
};
const READ_ONLY_DESCRIPTION = "Restricts the service key to GET operations.";
const Scopes = z
  .array(z.enum(scopes))
  .min(1)
  .max(scopes.length)
  .refine((all) => new Set(all).size === all.length, { params: { code: "unique" }, message: "scopes contains the same scope twice. Name each scope once." });

export const ServiceKey = z
  .strictObject({
    id: Id.describe("ID of the service key."),
    ...terms,
    isReadOnly: z.boolean().describe(READ_ONLY_DESCRIPTION),
    clientId: z.string().describe("Client ID of the service key, sent to `POST /api/auth/token`."),
    scopes: z
      .array(z.enum(scopes))
      .nullable()
      .describe(
        "Scopes of the service key, as `<service>:read` (GET operations) or `<service>:write` (all operations). Null grants everything the role may do.",
      ),
    lastUsedAt: Instant.nullable().describe("Time at which an access token was last issued to the service key. Null when none was issued."),
    expiresAt: Instant.nullable().describe("Time at which the service key expires. Null for a key without expiry."),
    createdAt: Instant.describe("Time at which the service key was created."),
    revokedAt: Instant.nullable().describe("Time at which the service key was revoked. Null for a key that was not revoked."),
  })
  .meta({
    id: "ServiceKey",
    description:
      "Credentials for programs that act in the organization. A program exchanges the key at `POST /api/auth/token` for access tokens, each valid for fifteen minutes.",
  });
export type ServiceKey = z.output<typeof ServiceKey>;

const secretResponse = {
  serviceKey: ServiceKey,
  clientSecret: z.string().describe("Client secret of the service key. Returned only once; only a digest is stored."),
};

export const serviceKeys = operationGroup("Accounts", "identity", {
  listServiceKeys: {
    method: "GET",
    path: "/api/accounts/service-keys",
    summary: "list service keys",
    access: admins,
    description: "Returns at most 200 service keys: the keys that are not revoked first, newest first in both groups.",
    response: { serviceKeys: z.array(ServiceKey).describe("Service keys of the organization.") },
  },
  createServiceKey: {
    method: "POST",
    path: "/api/accounts/service-keys",
    summary: "create service keys",
    access: admins,
    description:
      "A read-only key can call only GET operations. A key with `scopes` can call only the services they name: `read` permits GET operations, `write` all operations. The search and the dashboard of `portfolio` also show records of the ledger and require `ledger:read`, too. Other calls return 403 `scope_forbidden`; `permissions` of `GET /api/auth/me`, which every key may call, lists the permitted operations. A key with scopes cannot open the event stream. An organization has at most 200 keys that are not revoked (409 `resource_in_use`).",
    body: body({
      ...terms,
      isReadOnly: z.boolean().default(false).describe(READ_ONLY_DESCRIPTION),
      scopes: Scopes.optional().describe("Scopes of the service key, each named once. Default: everything the role may do."),
      expiresAt: Instant.optional().describe("Time at which the service key expires, in the future. Default: no expiry."),
    }),
    response: secretResponse,
    errors: [409],
  },
  rotateServiceKey: {
    method: "POST",
    path: "/api/accounts/service-keys/{id}/rotate",
    summary: "rotate service keys",
    access: admins,
    description: "Replaces the secret of the service key. The previous secret and the access tokens issued with it become invalid immediately.",
    response: secretResponse,
    errors: [409],
  },
  deleteServiceKey: {
    method: "DELETE",
    path: "/api/accounts/service-keys/{id}",
    summary: "revoke service keys",
    access: admins,
    description: "No further access tokens are issued to the service key; tokens already issued become invalid immediately.",
    response: { serviceKey: ServiceKey },
  },
});
