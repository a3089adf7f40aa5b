/** Password reset and e-mail confirmation by links sent by e-mail. */
import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { authResult, Password } from "../people/people.ts";
import { Email } from "../values.ts";

/** Token of a link. The format is not validated, so that unknown and expired tokens are refused alike. */
const Token = z.string().min(1).max(400);
const acceptedResponse = { accepted: z.literal(true).describe("Always `true`, for known and unknown addresses alike.") };
const TOKEN_ERRORS = "An unknown or expired token returns 400 with the code `not_found`; a token that was already used returns 409 until it expires.";

export const recoveries = operationGroup("Auth", "identity", {
  requestPasswordReset: {
    method: "POST",
    path: "/api/auth/password-reset/request",
    summary: "request a password reset",
    access: "public",
    description:
      "Sends a reset link for each organization the address can sign in to. A link is valid for 60 minutes. The response does not reveal whether the address has an account.",
    body: body({ email: Email.describe("E-mail address of the account.") }),
    response: acceptedResponse,
  },
  confirmPasswordReset: {
    method: "POST",
    path: "/api/auth/password-reset/confirm",
    summary: "reset a password",
    access: "public",
    description: `Sets the new password, ends every session of the user, invalidates the access tokens and starts a new session. The user's other reset links become invalid, as if used. The e-mail address is confirmed as well, since the link was sent to it. ${TOKEN_ERRORS}`,
    body: body({
      token: Token.describe("Token from the password reset link."),
      newPassword: Password.describe("New password of the user. Must not be one of the most common passwords."),
    }),
    response: authResult,
    errors: [409],
  },
  confirmEmail: {
    method: "POST",
    path: "/api/auth/email/confirm",
    summary: "confirm an e-mail address",
    access: "public",
    description: `Confirms the e-mail address and signs the user in. ${TOKEN_ERRORS}`,
    body: body({ token: Token.describe("Token from the confirmation link.") }),
    response: authResult,
    errors: [409],
  },
  resendEmailConfirmation: {
    method: "POST",
    path: "/api/auth/email/resend",
    summary: "resend the e-mail confirmation",
    access: "public",
    description:
      "Sends another confirmation link for each organization in which the address is not confirmed, valid for 24 hours; links sent earlier remain valid. The response does not reveal whether the address has an account or is confirmed.",
    body: body({ email: Email.describe("E-mail address to confirm.") }),
    response: acceptedResponse,
  },
});
