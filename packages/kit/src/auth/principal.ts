/** The authenticated caller of a request. */
import type { Role } from "@freehold/contract/roles";

export interface Principal {
  organizationId: string;
  /** Null for background work without a user. */
  userId: string | null;
  role: Role | "system";
  /** Id of the record that a portal user represents; null for users of the office. */
  subjectId: string | null;
  /** IANA time zone of the organization; determines its calendar day. */
  timezone: string;
  /** Session of the caller's access token. Absent for service keys. */
  sessionId?: string;
  /** Version of the caller's access when its token was issued. Absent for background work. */
  accessVersion?: number;
}

/** Returns the principal of a service's own work in one organization. */
export const systemPrincipal = (organizationId: string, timezone = "UTC"): Principal => ({
  organizationId,
  userId: null,
  role: "system",
  subjectId: null,
  timezone,
});
