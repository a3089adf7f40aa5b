/** Settings of the ledger, from the environment. */
import { databaseUrl, grpcAddress, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

export const schema = z.object({
  ...serviceSettings,
  LEDGER_DATABASE_URL: databaseUrl("ledger"),
  IDENTITY_GRPC: grpcAddress("identity"),
  PORTFOLIO_GRPC: grpcAddress("portfolio"),
  COMMUNICATIONS_GRPC: grpcAddress("communications"),
  STATEMENTS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe("directory of bank statements while they are received, private to each replica or shared; unset to refuse uploads"),
});

export const config = () => readConfig(schema);
