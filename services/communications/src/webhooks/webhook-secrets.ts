/**
 * Settings of webhooks that are secrets of their own, beside that of the SMS provider. Imports nothing, since `npm run keys` reads it without
 * the packages.
 */
export const webhookSecrets = ["PAYMENT_PROVIDER_WEBHOOK_SECRET", "EMAIL_INBOUND_WEBHOOK_SECRET", "MAILBOX_PUSH_TOKEN"] as const;
