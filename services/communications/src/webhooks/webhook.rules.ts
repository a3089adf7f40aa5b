/** Retries of webhook events. */

const RETRY_DELAYS_SECONDS = [2, 10, 60, 300, 1_800, 7_200, 28_800];

/** Returns the delay in seconds after the given number of failed attempts, or undefined after the eighth, which is the last. */
export const webhookRetryDelaySeconds = (failedAttempts: number): number | undefined => RETRY_DELAYS_SECONDS[failedAttempts - 1];
