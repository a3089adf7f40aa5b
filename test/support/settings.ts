/** Origin of a web application that may call the API of a system under test. */
export const allowedOrigin = "https://app.freehold.example";

/** Settings of a system under test: no request, sign-in and stream limits, validated responses, messages in the dev outbox, and one allowed origin. */
export const testSettings = {
  VALIDATE_RESPONSES: "true",
  RATE_LIMIT_PER_SECOND: "0",
  SIGN_IN_ATTEMPTS: "0",
  STREAMS_PER_USER: "0",
  STREAMS_PER_ORGANIZATION: "0",
  DEV_OUTBOX: "true",
  CORS_ORIGINS: allowedOrigin,
};
