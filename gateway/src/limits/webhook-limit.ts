import { z } from "zod";

/** Setting of the rate limit of webhook receivers. */
export const webhookLimitSetting = {
  WEBHOOKS_PER_SECOND: z.coerce
    .number()
    .min(1)
    .default(200)
    .describe("events per second that each webhook receiver accepts from a network address; without a limit when RATE_LIMIT_PER_SECOND is 0"),
};
