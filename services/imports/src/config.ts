import { bucketSettings, databaseUrl, grpcAddress, readConfig, serviceSettings, requireCompleteBucket, storageQuotaSettings } from "@freehold/kit/config";
import { z } from "zod";

export const schema = z
  .object({
    ...serviceSettings,
    IMPORTS_DATABASE_URL: databaseUrl("imports"),
    IDENTITY_GRPC: grpcAddress("identity"),
    PORTFOLIO_GRPC: grpcAddress("portfolio"),
    LEDGER_GRPC: grpcAddress("ledger"),
    IMPORTS_DIR: z
      .string()
      .min(1)
      .optional()
      .describe("directory of imported files, shared by all replicas; with a bucket, only of files being received; unset to refuse uploads"),
    ...storageQuotaSettings,
    ...bucketSettings,
  })
  .superRefine(requireCompleteBucket("IMPORTS_DIR"));

export const config = () => readConfig(schema);
