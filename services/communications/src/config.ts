/** Settings of communications, from the environment. */
import { devOutboxSetting, databaseUrl, grpcAddress, httpUrl, readConfig, serviceSettings } from "@freehold/kit/config";
import { Resolver } from "node:dns";
import { z } from "zod";
import { webhookSettings } from "./webhooks/webhook-settings.ts";

/** Tells whether a text lists DNS servers, each as an address or address:port. */
function isServerList(text: string): boolean {
  try {
    new Resolver().setServers(text.split(","));
    return true;
  } catch {
    return false;
  }
}

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
      .describe("sender of the e-mails of organizations without a verified e-mail account, an address or Name <address>"),
    COMMUNICATIONS_ENCRYPTION_KEY: z
      .string()
      .refine((key) => Buffer.from(key, "base64").length === 32, "it is not a valid key")
      .describe("encryption key of the DKIM keys of e-mail accounts, 32 bytes in base64"),
    DNS_SERVERS: z
      .string()
      .refine(isServerList, "list addresses of DNS servers")
      .optional()
      .describe("DNS servers that check the records of e-mail accounts, as address or address:port, comma-separated; unset for those of the system"),
    SMS_PROVIDER_ACCOUNT_ID: z.string().optional().describe("account at the SMS provider; unset to send no text messages"),
    SMS_PROVIDER_AUTH_TOKEN: z.string().optional().describe("secret of the account at the SMS provider"),
    SMS_PROVIDER_FROM: z
      .string()
      .regex(/^\+\d{7,15}$/)
      .optional()
      .describe("phone number that sends text messages, in E.164 such as +15185550100"),
    SMS_PROVIDER_URL: httpUrl.default("https://api.twilio.com").describe("base URL of the SMS provider's API"),
    SMS_MEDIA_HOSTS: z
      .string()
      .default("mms.twiliocdn.com,media.twiliocdn.com,s3-external-1.amazonaws.com")
      .describe("hosts to which the SMS provider redirects the requests of pictures, comma-separated; they are fetched there without its credentials"),
    TRANSLATION_URL: httpUrl.optional().describe("base URL of the translation service of blasts, with the API of LibreTranslate; unset for no translations"),
    TRANSLATION_KEY: z.string().optional().describe("API key of the translation service"),
    MESSAGE_DAYS: z.coerce
      .number()
      .int()
      .min(30)
      .max(36_500)
      .default(1_095)
      .describe(
        "days after which the deliveries of notifications, invites and other e-mails and text messages are deleted, not before their notifications; those of conversations are kept",
      ),
    NOTIFICATION_DAYS: z.coerce.number().int().min(30).max(36_500).default(365).describe("days after which notifications are deleted; at least 30"),
    NOTIFICATION_WINDOW_MINUTES: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_440)
      .default(15)
      .describe("minutes in which the events of a type are counted in one notification of each office user, from the first of them"),
    ...webhookSettings,
    ...devOutboxSetting,
  })
  .superRefine((settings, context) => {
    const missing = smsSettings.filter((name) => !settings[name]);
    if (missing.length === 0 || missing.length === smsSettings.length) return;
    for (const name of missing) context.addIssue({ code: "custom", path: [name], message: "it is required with the other settings of the SMS provider" });
  });

export const config = () => readConfig(schema);
