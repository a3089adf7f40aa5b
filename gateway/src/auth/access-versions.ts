/**
 * Versions of the access of users and service keys. The version of a user grows when it is deactivated or deleted, gets another
 * role or resets its password; that of a service key when it is revoked or rotated. Tokens with an earlier version are refused,
 * so that access ends with the event of the change instead of with the token.
 */
import type { Envelope } from "@freehold/contract/events";
import type { Principal } from "@freehold/kit/auth/principal";
import { LRUCache } from "lru-cache";

const MAX_VERSIONS = 100_000;
/** Slightly longer than the lifetime of an access token: after it, no token with an earlier version is valid. */
export const ACCESS_VERSION_MS = 16 * 60_000;

export interface AccessVersions {
  /** Remembers the version that an event carries, if any. */
  learn(event: Pick<Envelope, "entityId" | "data">): void;
  /** Returns whether the token of a principal has the latest known version. */
  isCurrent(principal: Pick<Principal, "userId" | "accessVersion">): boolean;
}

export function accessVersions(): AccessVersions {
  const versions = new LRUCache<string, number>({ max: MAX_VERSIONS, ttl: ACCESS_VERSION_MS });
  return {
    learn({ entityId, data }) {
      const version = (data as { accessVersion?: unknown }).accessVersion;
      if (typeof version === "number" && version > (versions.get(entityId) ?? 0)) versions.set(entityId, version);
    },
    isCurrent: ({ userId, accessVersion = 0 }) => userId === null || accessVersion >= (versions.get(userId) ?? 0),
  };
}
