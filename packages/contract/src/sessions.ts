import { z } from "zod";
import { area } from "./operation.ts";
import { everyone } from "./roles.ts";
import { Id, Instant } from "./values.ts";

export const Session = z
  .strictObject({
    id: Id,
    createdAt: Instant,
    lastUsedAt: Instant.meta({ description: "When it was begun or last refreshed." }),
    ip: z.string().nullable(),
    userAgent: z.string().nullable(),
    current: z.boolean().meta({ description: "Whether the token that asks came of it." }),
    revokedAt: Instant.nullable(),
  })
  .meta({ id: "Session", description: "One signing in, kept alive by refresh tokens." });
export type Session = z.output<typeof Session>;

export const sessions = area("Auth", "identity", {
  listSessions: {
    method: "GET",
    path: "/api/auth/sessions",
    summary: "list their own sessions",
    access: everyone,
    description: "Those that can still be refreshed, the last used first, 100 at most.",
    returns: { sessions: z.array(Session) },
  },
  endSession: {
    method: "DELETE",
    path: "/api/auth/sessions/{id}",
    summary: "end their own sessions",
    access: everyone,
    description: "It cannot be refreshed any more; an access token that came of it lives on until it expires. Another user's session answers 404.",
    returns: { session: Session },
  },
});
