import { bucketSettings, databaseUrl, grpcAddress, readConfig, serviceSettings, requireCompleteBucket, storageQuotaSetting } from "@freehold/kit/config";
import { z } from "zod";

export const schema = z
  .object({
    ...serviceSettings,
    IMPORTS_DATABASE_URL: databaseUrl("imports"),
    PORTFOLIO_GRPC: grpcAddress("portfolio"),
    LEDGER_GRPC: grpcAddress("ledger"),
    IMPORTS_DIR: z
      .string()
      .min(1)
      .optional()
      .describe("directory of imported files, shared by all replicas; with a bucket, only of files being received; unset to refuse uploads"),
    ...storageQuotaSetting,
    ...bucketSettings,
  })
  .superRefine(requireCompleteBucket("IMPORTS_DIR"));

export const config = () => readConfig(schema);
