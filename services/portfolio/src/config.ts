import { bucketSettings, databaseUrl, grpcAddress, readConfig, serviceSettings, requireCompleteBucket } from "@freehold/kit/config";
import { z } from "zod";

export const schema = z
  .object({
    ...serviceSettings,
    PORTFOLIO_DATABASE_URL: databaseUrl("portfolio"),
    PORTFOLIO_ENCRYPTION_KEY: z
      .string()
      .refine((key) => Buffer.from(key, "base64").length === 32, "it is no such key")
      .describe("what tax ids are encrypted under, 32 bytes in base64; they are lost with it"),
    IDENTITY_GRPC: grpcAddress("identity"),
    LEDGER_GRPC: grpcAddress("ledger"),
    COMMUNICATIONS_GRPC: grpcAddress("communications"),
    DOCUMENTS_DIR: z
      .string()
      .min(1)
      .optional()
      .describe(
        "where the files of documents are kept, on a disk that all replicas share, or only received when they are kept in a bucket; unset to take none",
      ),
    DOCUMENTS_QUOTA_MIB: z.coerce.number().int().min(1).default(10_240).describe("how many MiB of documents an organization may keep"),
    ...bucketSettings,
  })
  .superRefine(requireCompleteBucket("DOCUMENTS_DIR"));

export const config = () => readConfig(schema);
