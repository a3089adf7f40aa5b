import { recoveries } from "@freehold/contract/recoveries";
import { routes } from "@freehold/kit/http/routes";
import { refreshCookie } from "../auth/tokens/refresh-cookie.ts";
import { visitorOf } from "../auth/visitor.ts";
import type { Identity } from "../context.ts";
import { confirmEmail, confirmPasswordReset, requestPasswordReset, resendEmailConfirmation } from "./recoveries.ts";

export function recoveriesDoor(identity: Identity) {
  const cookie = refreshCookie(identity.link(""));
  return routes(recoveries, {
    requestPasswordReset: ({ body, req }) => requestPasswordReset(identity, body, visitorOf(req)),
    confirmPasswordReset: async ({ body, req, res }) => cookie.answer(res, await confirmPasswordReset(identity, body, visitorOf(req))),
    confirmEmail: async ({ body, req, res }) => cookie.answer(res, await confirmEmail(identity, body, visitorOf(req))),
    resendEmailConfirmation: ({ body, req }) => resendEmailConfirmation(identity, body, visitorOf(req)),
  });
}
