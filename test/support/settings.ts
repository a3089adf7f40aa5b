/** Origin of a web application that may call the API of a system under test. */
export const allowedOrigin = "https://app.freehold.example";

/** Secrets of the webhook receivers of a system under test. The SMS provider has none, so that text messages go to the development outbox. */
export const webhookSecrets = {
  PAYMENT_PROVIDER_WEBHOOK_SECRET: "whsec_payments_of_the_tests",
  EMAIL_INBOUND_WEBHOOK_SECRET: `whsec_${Buffer.from("inbound e-mails of the tests").toString("base64")}`,
  MAILBOX_PUSH_TOKEN: "push-token-of-the-tests",
};

/** Settings of a system under test: no request, sign-in and stream limits, no figure left out because a busy machine is slow, validated responses, messages in the dev outbox, and one allowed origin. */
export const testSettings = {
  VALIDATE_RESPONSES: "true",
  RATE_LIMIT_PER_SECOND: "0",
  SIGN_IN_ATTEMPTS: "0",
  STREAMS_PER_USER: "0",
  STREAMS_PER_ORGANIZATION: "0",
  OPTIONAL_CALL_MS: "10000",
  DEV_OUTBOX: "true",
  CORS_ORIGINS: allowedOrigin,
  ...webhookSecrets,
};
