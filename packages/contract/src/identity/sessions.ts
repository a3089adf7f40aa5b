import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { allRoles } from "../roles.ts";
import { Id, Instant } from "../values.ts";

export const Session = z
  .strictObject({
    id: Id.describe("ID of the session."),
    createdAt: Instant.describe("Time of the sign-in that started the session."),
    lastUsedAt: Instant.describe("Time at which the session was last refreshed, or started when it was never refreshed."),
    ip: z.string().nullable().describe("Network address of the last refresh, or of the sign-in before the first refresh. Null when it is unknown."),
    userAgent: z.string().nullable().describe("`User-Agent` header of the last refresh, or of the sign-in before the first refresh. Null when none was sent."),
    current: z.boolean().describe("Indicates that the access token of this request belongs to the session."),
    revokedAt: Instant.nullable().describe("Time at which the session was ended. Null for a session that was not ended."),
  })
  .meta({ id: "Session", description: "Session started by a sign-in and continued with refresh tokens." });
export type Session = z.output<typeof Session>;

export const sessions = operationGroup("Auth", "identity", {
  listSessions: {
    method: "GET",
    path: "/api/auth/sessions",
    summary: "list their own sessions",
    access: allRoles,
    description: "Returns at most 100 sessions that can still be refreshed, most recently used first.",
    response: { sessions: z.array(Session).describe("Sessions of the user that can still be refreshed.") },
  },
  endSession: {
    method: "DELETE",
    path: "/api/auth/sessions/{id}",
    summary: "end their own sessions",
    access: allRoles,
    description:
      "The session can no longer be refreshed; access tokens already issued remain valid until they expire. The session of another user returns 404.",
    response: { session: Session },
  },
});
