import { databaseUrl, grpcAddress, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

/** Settings of identity. */
export const schema = z.object({
  ...serviceSettings,
  IDENTITY_DATABASE_URL: databaseUrl("identity"),
  LEDGER_GRPC: grpcAddress("ledger"),
  PORTFOLIO_GRPC: grpcAddress("portfolio"),
  COMMUNICATIONS_GRPC: grpcAddress("communications"),
  SIGN_IN_ATTEMPTS: z.coerce
    .number()
    .int()
    .min(0)
    .default(10)
    .describe(
      "wrong passwords, and requested e-mails, allowed per account and client address in 15 minutes, and ten times as many per account; 0 turns off all limits of sign-ins, invites and e-mails",
    ),
  MAILS_PER_RECIPIENT: z.coerce
    .number()
    .int()
    .min(0)
    .default(10)
    .describe(
      "invites of each kind, and reset or confirmation e-mails requested from one network, that an organization may send to a recipient in a day, and invites of all organizations without a confirmed address together; 0 for no limit",
    ),
  AUDIT_LOG_DAYS: z.coerce.number().int().min(365).max(36_500).default(2_557).describe("days after which audit log entries are deleted; at least 365"),
});

/** Reads the settings from the environment. Throws an error that names a missing or wrong one. */
export const config = () => readConfig(schema);
export type Config = ReturnType<typeof config>;
