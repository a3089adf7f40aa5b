/** Verification token of mailbox push subscriptions. */
import { isEqual } from "./equal.ts";
import { queryOf, type WebhookRequest } from "./webhook-request.ts";

/** Tells whether the URL of a request has one of the tokens, exactly once. */
export function hasPushToken(tokens: readonly string[], request: WebhookRequest): boolean {
  const [given, ...others] = queryOf(request).getAll("token");
  return given !== undefined && others.length === 0 && tokens.map((token) => isEqual(token, given)).includes(true);
}
