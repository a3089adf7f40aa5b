/** Settings of a system under test: no rate limits, responses validated against their schemas, mail in the dev outbox. */
export const testSettings = {
  VALIDATE_RESPONSES: "true",
  RATE_LIMIT_PER_SECOND: "0",
  SIGN_IN_ATTEMPTS: "0",
  STREAMS_PER_USER: "0",
  STREAMS_PER_ORGANIZATION: "0",
  DEV_OUTBOX: "true",
};
