/** Storage quota of an organization: the bytes of files that it may store in a service. */
import type { StorageUsage } from "@freehold/contract/values";
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

/** Creates the quota that a service's settings select. */
export const storageQuota = ({ STORAGE_QUOTA_BYTES }: { STORAGE_QUOTA_BYTES: number }, texts: Omit<StorageQuota, "quotaBytes">): StorageQuota => ({
  ...texts,
  quotaBytes: STORAGE_QUOTA_BYTES === 0 ? null : STORAGE_QUOTA_BYTES,
});

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
