import { bucketSettings, databaseUrl, grpcAddress, readConfig, serviceSettings, requireCompleteBucket } from "@freehold/kit/config";
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
      .describe(
        "where files that are imported are kept, on a disk that all replicas share, or only received when they are kept in a bucket; unset to take none",
      ),
    ...bucketSettings,
  })
  .superRefine(requireCompleteBucket("IMPORTS_DIR"));

export const config = () => readConfig(schema);
