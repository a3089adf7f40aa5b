/** Settings of communications, from the environment. */
import { devOutboxSetting, databaseUrl, grpcAddress, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

export const schema = z.object({
  ...serviceSettings,
  COMMUNICATIONS_DATABASE_URL: databaseUrl("communications"),
  IDENTITY_GRPC: grpcAddress("identity"),
  PORTFOLIO_GRPC: grpcAddress("portfolio"),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/./)
    .optional()
    .describe("URL of the mail server, smtp://user:password@host:587; unset to send no e-mail"),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*@[^\r\n]+$/)
    .default("Freehold <no-reply@freehold.local>")
    .describe("sender of every e-mail, an address or Name <address>"),
  ...devOutboxSetting,
});

export const config = () => readConfig(schema);
