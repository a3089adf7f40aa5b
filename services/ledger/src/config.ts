/** Settings of the ledger, from the environment. */
import { databaseUrl, grpcAddress, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

export const schema = z.object({
  ...serviceSettings,
  LEDGER_DATABASE_URL: databaseUrl("ledger"),
  IDENTITY_GRPC: grpcAddress("identity"),
  PORTFOLIO_GRPC: grpcAddress("portfolio"),
});

export const config = () => readConfig(schema);
