/** Routes of password resets and e-mail confirmations. */
import { recoveries } from "@freehold/contract/identity/recoveries";
import { routes } from "@freehold/kit/http/routes";
import { authCookies } from "../auth/tokens/auth-cookies.ts";
import { anonymousCallerOf } from "../auth/anonymous-caller.ts";
import type { Identity } from "../context.ts";
import { confirmEmail, confirmPasswordReset, requestPasswordReset, resendEmailConfirmation } from "./recoveries.ts";

export function recoveryRoutes(identity: Identity) {
  const cookie = authCookies(identity.link(""));
  return routes(recoveries, {
    requestPasswordReset: ({ body, req }) => requestPasswordReset(identity, body, anonymousCallerOf(req)),
    confirmPasswordReset: async ({ body, req, res }) => cookie.setAndReturn(res, await confirmPasswordReset(identity, body, anonymousCallerOf(req))),
    confirmEmail: async ({ body, req, res }) => cookie.setAndReturn(res, await confirmEmail(identity, body, anonymousCallerOf(req))),
    resendEmailConfirmation: ({ body, req }) => resendEmailConfirmation(identity, body, anonymousCallerOf(req)),
  });
}
