/** The authenticated caller of a request. */
import { officeRoles, type Role } from "@freehold/contract/roles";
import { today } from "../time/clock.ts";

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
  /** True for a service key, whose id is `userId`. Absent for users and background work. */
  isServiceKey?: boolean;
  /** True while rows of an import are written. The events are history, of which no person is notified. */
  isImport?: boolean;
  /** Import bundle or bulk import whose rows are written. Its creations of records are published as one event for each kind. */
  importBundleId?: string;
}

/** Returns the principal of a service's own work in one organization. */
export const systemPrincipal = (organizationId: string, timezone = "UTC"): Principal => ({
  organizationId,
  userId: null,
  role: "system",
  subjectId: null,
  timezone,
});

const withOfficeReach: readonly string[] = [...officeRoles, "system"];

/**
 * Returns the setting `app.portal_user` of a principal: role, subject, user, calendar day and time zone, separated by colons; empty for the office
 * and for background work. A portal user without a subject reaches nothing.
 */
export const portalUserOf = ({ role, subjectId, userId, timezone }: Principal): string =>
  withOfficeReach.includes(role) ? "" : [role, subjectId ?? "", userId ?? "", today(timezone), timezone].join(":");
