/** Storage quota of an organization: the bytes of files that it may store in a service. */
import type { StorageUsage } from "@freehold/contract/values";
import { LRUCache } from "lru-cache";
import type { OrgDb } from "../db/org-db.ts";
import { ApiError } from "../errors.ts";
import type { UploadCapacity } from "../http/multipart.ts";

export interface StorageQuota {
  /** Null for no limit. */
  quotaBytes: number | null;
  /** Noun for the files, in error messages. */
  files: string;
  /** Sentence of an error message that says how to free space. */
  remedy: string;
}

export interface QuotaSettings {
  STORAGE_QUOTA_BYTES: number;
  UNCONFIRMED_STORAGE_QUOTA_BYTES: number;
}

/** Returns the quota of the organization. Calls identity, so call it before a transaction. */
export type QuotaFinder = (db: OrgDb) => Promise<StorageQuota>;

const MAX_KNOWN_ORGANIZATIONS = 10_000;

/**
 * Creates the function that finds the quota of an organization: the smaller one until an admin has confirmed an e-mail address. A
 * confirmation is never taken back, so confirmed organizations are remembered. An organization counts as confirmed while identity is unavailable or does not tell.
 */
export function quotaFinder(
  settings: QuotaSettings,
  texts: Omit<StorageQuota, "quotaBytes">,
  isConfirmed: (db: OrgDb) => Promise<boolean | undefined>,
): QuotaFinder {
  const quota = { ...texts, quotaBytes: limitOf(settings.STORAGE_QUOTA_BYTES) };
  const unconfirmedBytes = limitOf(settings.UNCONFIRMED_STORAGE_QUOTA_BYTES);
  if (unconfirmedBytes === null || unconfirmedBytes >= (quota.quotaBytes ?? Infinity)) return async () => quota;
  const remedy = `Confirm the e-mail address of an admin with the mailed link for a quota of ${quota.quotaBytes === null ? "unlimited size" : formatBytes(quota.quotaBytes)}.`;
  const unconfirmedQuota = { ...texts, quotaBytes: unconfirmedBytes, remedy };
  const confirmed = new LRUCache<string, true>({ max: MAX_KNOWN_ORGANIZATIONS });
  return async (db) => {
    if (confirmed.has(db.organizationId)) return quota;
    const answer = await isConfirmed(db).catch(() => undefined);
    if (answer) confirmed.set(db.organizationId, true);
    return answer === false ? unconfirmedQuota : quota;
  };
}

const limitOf = (bytes: number): number | null => (bytes === 0 ? null : bytes);

export const storageUsage = ({ quotaBytes }: StorageQuota, usedBytes: number): StorageUsage => ({ usedBytes, quotaBytes });

/** Throws 400 when the used bytes, those of the new files included, exceed the quota. */
export function requireWithinQuota(quota: StorageQuota, usedBytes: number): void {
  if (quota.quotaBytes !== null && usedBytes > quota.quotaBytes) throw quotaExceeded(quota, quota.quotaBytes);
}

/** Returns the bytes that an upload may have beside the used ones; undefined without a limit. */
export const uploadCapacity = (quota: StorageQuota, usedBytes: number): UploadCapacity | undefined => {
  const { quotaBytes } = quota;
  return quotaBytes === null ? undefined : { bytes: Math.max(0, quotaBytes - usedBytes), exceeded: () => quotaExceeded(quota, quotaBytes) };
};

const quotaExceeded = ({ files, remedy }: StorageQuota, quotaBytes: number): ApiError =>
  new ApiError(400, `The organization's ${files} would exceed its storage quota of ${formatBytes(quotaBytes)}. ${remedy}`, { code: "payload_too_large" });

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** Formats a number of bytes in the largest unit of which there is at least one, with at most one decimal, rounded down. */
export function formatBytes(bytes: number): string {
  const exponent = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Math.floor((bytes / 1_024 ** exponent) * 10) / 10} ${UNITS[exponent]}`;
}
