/** What is done with a link that came by mail: another password, a confirmed address. */
import { z } from "zod";
import { area, body } from "./operation.ts";
import { authResult, Password } from "./people.ts";
import { Email } from "./values.ts";

/** Taken as it comes: one that nobody sent is refused like one that has run out. */
const Token = z.string().min(1).max(400);
const accepted = { accepted: z.literal(true) };
const once = "A link that has run out, or that nobody sent, answers 400 with the code `not_found`; one that was used answers 409.";

export const recoveries = area("Auth", "identity", {
  requestPasswordReset: {
    method: "POST",
    path: "/api/auth/password-reset/request",
    summary: "ask for a link to choose another password",
    access: "public",
    description:
      "Answers the same whether the address has an account or not. A link is mailed for each organization that the address can sign in to, and lives sixty minutes.",
    body: body({ email: Email }),
    returns: accepted,
  },
  confirmPasswordReset: {
    method: "POST",
    path: "/api/auth/password-reset/confirm",
    summary: "choose another password by a link",
    access: "public",
    description: `Ends every session of the user and signs in anew. The address counts as confirmed, since the link came by it. ${once}`,
    body: body({ token: Token, newPassword: Password }),
    returns: authResult,
    fails: [409],
  },
  confirmEmail: {
    method: "POST",
    path: "/api/auth/email/confirm",
    summary: "confirm an address by a link",
    access: "public",
    description: `Confirms the address and signs in. ${once}`,
    body: body({ token: Token }),
    returns: authResult,
    fails: [409],
  },
  resendEmailConfirmation: {
    method: "POST",
    path: "/api/auth/email/resend",
    summary: "ask for another link to confirm an address",
    access: "public",
    description: "Answers the same whether the address waits to be confirmed or not. A link lives 24 hours; those that were sent before stay good.",
    body: body({ email: Email }),
    returns: accepted,
  },
});
