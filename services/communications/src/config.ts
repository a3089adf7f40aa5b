import { databaseUrl, flag, grpcAddress, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

export const schema = z.object({
  ...serviceSettings,
  COMMUNICATIONS_DATABASE_URL: databaseUrl("communications"),
  IDENTITY_GRPC: grpcAddress("identity"),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/./)
    .optional()
    .describe("the mail server, smtp://user:password@host:587; without it no e-mail leaves the system"),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*@[^\r\n]+$/)
    .default("Freehold <no-reply@freehold.local>")
    .describe("the sender of every e-mail, an address or Name <address>"),
  DEV_OUTBOX: flag.default(false).describe("without a mail server, show what would have been sent at /api/dev/outbox, to anybody"),
});

export const config = () => readConfig(schema);
