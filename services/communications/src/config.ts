/** Settings of communications, from the environment. */
import { devOutboxSetting, databaseUrl, grpcAddress, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";
import { webhookSettings } from "./webhooks/webhook-settings.ts";

const smsSettings = ["SMS_PROVIDER_ACCOUNT_ID", "SMS_PROVIDER_AUTH_TOKEN", "SMS_PROVIDER_FROM"] as const;

export const schema = z
  .object({
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
    SMS_PROVIDER_ACCOUNT_ID: z.string().optional().describe("account at the SMS provider; unset to send no text messages"),
    SMS_PROVIDER_AUTH_TOKEN: z.string().optional().describe("secret of the account at the SMS provider"),
    SMS_PROVIDER_FROM: z
      .string()
      .regex(/^\+\d{7,15}$/)
      .optional()
      .describe("phone number that sends text messages, in E.164 such as +15185550100"),
    SMS_PROVIDER_URL: z.url().default("https://api.twilio.com").describe("base URL of the SMS provider's API"),
    TRANSLATION_URL: z.url().optional().describe("base URL of the translation service of blasts, with the API of LibreTranslate; unset for no translations"),
    TRANSLATION_KEY: z.string().optional().describe("API key of the translation service"),
    ...webhookSettings,
    ...devOutboxSetting,
  })
  .superRefine((settings, context) => {
    const missing = smsSettings.filter((name) => !settings[name]);
    if (missing.length === 0 || missing.length === smsSettings.length) return;
    for (const name of missing) context.addIssue({ code: "custom", path: [name], message: "it is required with the other settings of the SMS provider" });
  });

export const config = () => readConfig(schema);
