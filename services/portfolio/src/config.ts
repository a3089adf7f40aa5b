import { databaseUrl, grpcAddress, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

export const schema = z.object({
  ...serviceSettings,
  PORTFOLIO_DATABASE_URL: databaseUrl("portfolio"),
  IDENTITY_GRPC: grpcAddress("identity"),
  LEDGER_GRPC: grpcAddress("ledger"),
  COMMUNICATIONS_GRPC: grpcAddress("communications"),
});

export const config = () => readConfig(schema);
