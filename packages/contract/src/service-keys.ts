import { z } from "zod";
import { area, body } from "./operation.ts";
import { admins } from "./roles.ts";
import { Id, Instant, text } from "./values.ts";

const services = ["identity", "portfolio", "ledger", "communications", "imports"] as const;
/** `<service>:read` or `<service>:write`; whoever may write may read. */
const scopes = services.flatMap((service) => [`${service}:read`, `${service}:write`] as const);
export type KeyScope = (typeof scopes)[number];

/** What of an operation is beyond a service key: writing, when it only reads, or the scope that it lacks. Nothing when it may call it. */
export function beyondKey(
  { isReadOnly, scopes: reach }: { isReadOnly: boolean; scopes?: readonly string[] | null | undefined },
  { service, operation }: { service: string; operation: { method: string } },
): string | undefined {
  const isRead = operation.method === "GET";
  if (isReadOnly && !isRead) return "write";
  const [needed, more] = [`${service}:${isRead ? "read" : "write"}`, `${service}:write`];
  return !reach || reach.includes(needed) || reach.includes(more) ? undefined : needed;
}

const terms = {
  name: text(1, 80),
  role: z.enum(["manager", "staff"]),
  isReadOnly: z.boolean(),
};
const Scopes = z
  .array(z.enum(scopes))
  .min(1)
  .max(scopes.length)
  .refine((all) => new Set(all).size === all.length, { params: { code: "unique" }, message: "scopes names one of them twice." });

export const ServiceKey = z
  .strictObject({
    id: Id,
    ...terms,
    clientId: z.string(),
    scopes: z.array(z.enum(scopes)).nullable().meta({ description: "Null for all that the role may do." }),
    lastUsedAt: Instant.nullable().meta({ description: "When an access token was last asked for with it." }),
    expiresAt: Instant.nullable(),
    createdAt: Instant,
    revokedAt: Instant.nullable(),
  })
  .meta({
    id: "ServiceKey",
    description: "Lets a program act in the organization: it exchanges the key at `POST /api/auth/token` for access tokens of fifteen minutes.",
  });
export type ServiceKey = z.output<typeof ServiceKey>;

const withSecret = { serviceKey: ServiceKey, clientSecret: z.string().meta({ description: "Shown this once; only a digest is kept." }) };

export const serviceKeys = area("Accounts", "identity", {
  listServiceKeys: {
    method: "GET",
    path: "/api/accounts/service-keys",
    summary: "list service keys",
    access: admins,
    description: "Those that are in use first, then the revoked ones, each the newest first; 200 at most.",
    returns: { serviceKeys: z.array(ServiceKey) },
  },
  createServiceKey: {
    method: "POST",
    path: "/api/accounts/service-keys",
    summary: "create service keys",
    access: admins,
    description:
      "A key that is read-only can call nothing but GET. With `scopes` it reaches only the services that they name: `read` is GET, `write` is everything. Beyond either the answer is 403 `scope_forbidden`; what is left is listed in `permissions` of `GET /api/auth/me`. A key with scopes cannot open the event stream.",
    body: body({ ...terms, isReadOnly: z.boolean().default(false), scopes: Scopes.optional(), expiresAt: Instant.optional() }),
    returns: withSecret,
  },
  rotateServiceKey: {
    method: "POST",
    path: "/api/accounts/service-keys/{id}/rotate",
    summary: "rotate service keys",
    access: admins,
    description: "Gives the key another secret; the one before it ends at once. An access token that was issued lives on until it expires.",
    returns: withSecret,
    fails: [409],
  },
  deleteServiceKey: {
    method: "DELETE",
    path: "/api/accounts/service-keys/{id}",
    summary: "revoke service keys",
    access: admins,
    description: "The key gets no more access tokens; one that was issued lives on until it expires.",
    returns: { serviceKey: ServiceKey },
  },
});
