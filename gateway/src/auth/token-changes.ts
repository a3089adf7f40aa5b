/**
 * Changes that access tokens issued before do not have. The version of the access of a user grows when it is deactivated or deleted, gets another
 * role or resets its password; that of a service key when it is revoked or rotated: tokens with an earlier version are refused, so that access
 * ends with the event of the change instead of with the token. The time zone of an organization replaces the one in its tokens.
 */
import type { Envelope } from "@freehold/contract/events";
import type { Principal } from "@freehold/kit/auth/principal";
import { LRUCache } from "lru-cache";

const MAX_CHANGES = 100_000;
/** Slightly longer than the lifetime of an access token: after it, no token from before the change is valid. */
export const TOKEN_CHANGES_MS = 16 * 60_000;

export interface TokenChanges {
  /** Remembers the version of access or the time zone that an event carries, if any. Events may be repeated. */
  learn(event: Pick<Envelope, "type" | "entityId" | "occurredAt" | "data">): void;
  /** Returns whether the token of a principal has the latest known version. */
  isCurrent(principal: Pick<Principal, "userId" | "accessVersion">): boolean;
  /** Returns the time zone of an organization that changed it lately. */
  timezoneOf(organizationId: string): string | undefined;
}

export function tokenChanges(): TokenChanges {
  const versions = new LRUCache<string, number>({ max: MAX_CHANGES, ttl: TOKEN_CHANGES_MS });
  const timezones = new LRUCache<string, { timezone: string; since: string }>({ max: MAX_CHANGES, ttl: TOKEN_CHANGES_MS });
  return {
    learn({ type, entityId, occurredAt, data }) {
      const { accessVersion, timezone } = data as { accessVersion?: unknown; timezone?: unknown };
      if (typeof accessVersion === "number" && accessVersion > (versions.get(entityId) ?? 0)) versions.set(entityId, accessVersion);
      if (type === "organization.updated" && typeof timezone === "string" && occurredAt > (timezones.get(entityId)?.since ?? ""))
        timezones.set(entityId, { timezone, since: occurredAt });
    },
    isCurrent: ({ userId, accessVersion = 0 }) => userId === null || accessVersion >= (versions.get(userId) ?? 0),
    timezoneOf: (organizationId) => timezones.get(organizationId)?.timezone,
  };
}
