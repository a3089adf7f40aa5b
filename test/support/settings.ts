/** Settings of a system under test: no limits of rates, sign-in attempts and streams, responses validated against their schemas, messages in the dev outbox. */
export const testSettings = {
  VALIDATE_RESPONSES: "true",
  RATE_LIMIT_PER_SECOND: "0",
  SIGN_IN_ATTEMPTS: "0",
  STREAMS_PER_USER: "0",
  STREAMS_PER_ORGANIZATION: "0",
  DEV_OUTBOX: "true",
};
