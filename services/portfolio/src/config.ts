import {
  bucketSettings,
  databaseUrl,
  grpcAddress,
  optionalCallSetting,
  readConfig,
  serviceSettings,
  requireCompleteBucket,
  storageQuotaSettings,
} from "@freehold/kit/config";
import { z } from "zod";

/** Environment variables of the service. */
export const schema = z
  .object({
    ...serviceSettings,
    PORTFOLIO_DATABASE_URL: databaseUrl("portfolio"),
    PORTFOLIO_ENCRYPTION_KEY: z
      .string()
      .refine((key) => Buffer.from(key, "base64").length === 32, "it is not a valid key")
      .describe("encryption key of tax ids, 32 bytes in base64; without it they cannot be decrypted"),
    IDENTITY_GRPC: grpcAddress("identity"),
    LEDGER_GRPC: grpcAddress("ledger"),
    COMMUNICATIONS_GRPC: grpcAddress("communications"),
    ...optionalCallSetting,
    DOCUMENTS_DIR: z
      .string()
      .min(1)
      .optional()
      .describe("directory of document files, on a disk shared by all replicas; with a bucket, directory of uploads in progress; unset to accept no documents"),
    ...storageQuotaSettings,
    ...bucketSettings,
  })
  .superRefine(requireCompleteBucket("DOCUMENTS_DIR"));

/** Reads and validates the environment variables. */
export const config = () => readConfig(schema);
