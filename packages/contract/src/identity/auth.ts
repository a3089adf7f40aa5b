import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { authResult, FullName, Password, User } from "../people/people.ts";
import { allRoles, portalRoles } from "../roles.ts";
import { Email, Id, Instant, Phone, text } from "../values.ts";

const Grant = z.enum(["refresh_token", "client_credentials"]);

/** Reports whether a token request uses the credentials of a service key. */
export const isServiceKeyGrant = (request: { grantType?: string | undefined; grant_type?: string | undefined }): boolean =>
  (request.grantType ?? request.grant_type) === "client_credentials";

/** Token request of an OAuth client (RFC 6749). Unknown members are ignored, as the standard requires. */
export const TokenForm = z.object({
  grant_type: Grant.describe(
    "Kind of credentials: `client_credentials` (a service key) or `refresh_token` (the refresh token in the form; the cookie is not read).",
  ),
  client_id: text(1, 100).optional().describe("Client ID of the service key. May be sent as the user name of HTTP Basic instead."),
  client_secret: z.string().min(1).max(200).optional().describe("Client secret of the service key. May be sent as the password of HTTP Basic instead."),
  refresh_token: z.string().min(1).max(200).optional().describe("Refresh token of a session. Required with `refresh_token`."),
});
export type TokenForm = z.output<typeof TokenForm>;

const Token = z.object({
  token: z.string().min(1).max(400).describe("Token of the invite, from the invite link."),
});

export const auth = operationGroup("Auth", "identity", {
  signUp: {
    method: "POST",
    path: "/api/auth/signup",
    summary: "create an organization",
    access: "public",
    description:
      "Creates an organization, its first admin and its chart of accounts, signs the admin in and sets the refresh cookie. For an e-mail address that has an account already, `password` must be the password of that account; otherwise the response is 409 `duplicate`. If somebody else has signed up with the address, its owner first resets the password with a mailed link.",
    body: body({
      organizationName: text(1, 160).describe("Name of the organization. A URL-safe, unique `slug` is derived from it."),
      fullName: FullName.describe("Full name of the first admin."),
      email: Email.describe("E-mail address the admin signs in with, stored in lower case. A confirmation link is sent to it."),
      password: Password.describe("Password of the admin, or of the existing account with this address. Must not be one of the most common passwords."),
      timezone: text(1, 64).optional().describe("IANA time zone of the organization. Default: `America/New_York`."),
      phone: Phone.optional().describe("Phone number of the admin. Numbers without a country code are US numbers; returned in E.164 format."),
    }),
    response: {
      ...authResult,
      emailConfirmationRequired: z
        .boolean()
        .describe("Indicates that the e-mail address must still be confirmed with the link sent to it. Signing in does not require it."),
    },
    errors: [409],
  },
  login: {
    method: "POST",
    path: "/api/auth/login",
    summary: "sign in",
    access: "public",
    description:
      "Returns an access token and sets the refresh cookie and a device cookie; wrong passwords from other devices do not lock out a device with this cookie. When the e-mail address belongs to several organizations and `organizationId` is missing, the response is 409 `duplicate` with the organizations in `errors`.",
    body: body({
      email: Email.describe("E-mail address of the user, case-insensitive."),
      password: Password.describe("Password of the user."),
      organizationId: Id.optional().describe("ID of the organization to sign in to. Required when the address belongs to several organizations."),
    }),
    response: authResult,
    errors: [401, 409],
  },
  refreshToken: {
    method: "POST",
    path: "/api/auth/token",
    summary: "request an access token",
    access: "public",
    description:
      "Exchanges a refresh token or the credentials of a service key for an access token. With `refresh_token`, the refresh token in the cookie is rotated; reusing a rotated token ends its session (401 `refresh_reused`), except within ten seconds of the rotation (401 `refresh_recently_rotated`). With `client_credentials`, no cookie is set and `user` represents the service key. Attempts with a wrong secret are limited per key and per network address, as wrong passwords are.\n\nOAuth clients send a form instead; they may send the credentials of a service key as HTTP Basic rather than in the form. The response then also contains the members `access_token`, `token_type` and `expires_in` of RFC 6749, and with `refresh_token` the next refresh token instead of a cookie; an error also contains `error` and `error_description`.",
    form: TokenForm,
    body: body({
      grantType: Grant.optional().describe(
        "Kind of credentials: `refresh_token` (the refresh cookie) or `client_credentials` (a service key). Required unless `grant_type` is sent.",
      ),
      grant_type: Grant.optional().describe("Alias of `grantType` as named in OAuth 2.0. Ignored when `grantType` is sent."),
      clientId: text(1, 100).optional().describe("Client ID of the service key. Required with `client_credentials`."),
      clientSecret: z.string().min(1).max(200).optional().describe("Client secret of the service key. Required with `client_credentials`."),
    })
      .refine((grant) => grant.grantType ?? grant.grant_type, {
        path: ["grantType"],
        params: { code: "required" },
        message: "grantType is required: send refresh_token, or client_credentials with a service key.",
      })
      .refine((grant) => !isServiceKeyGrant(grant) || grant.clientId, { path: ["clientId"], params: { code: "required" }, message: "clientId is required." })
      .refine((grant) => !isServiceKeyGrant(grant) || grant.clientSecret, {
        path: ["clientSecret"],
        params: { code: "required" },
        message: "clientSecret is required.",
      }),
    response: {
      ...authResult,
      access_token: z.string().optional().describe("The same as `accessToken`, named as in OAuth 2.0. Only in the response to a form."),
      token_type: z.string().optional().describe("The same as `tokenType`, named as in OAuth 2.0. Only in the response to a form."),
      expires_in: z.int().optional().describe("The same as `expiresIn`, named as in OAuth 2.0. Only in the response to a form."),
      refresh_token: z.string().optional().describe("Next refresh token. Only in the response to a form with a refresh token."),
    },
    errors: [401],
  },
  logout: {
    method: "POST",
    path: "/api/auth/logout",
    summary: "sign out",
    access: "public",
    description: "Requires only the refresh cookie. Clears the cookie and ends its session; access tokens already issued remain valid until they expire.",
    response: { loggedOut: z.literal(true).describe("Always `true`, also when there was no session to end.") },
  },
  getMe: {
    method: "GET",
    path: "/api/auth/me",
    summary: "read the signed-in user",
    access: allRoles,
    needsNoScope: true,
    response: {
      user: User,
      organization: authResult.organization,
      permissions: z
        .array(z.string())
        .describe("IDs of the operations this token may call, as permitted by the role and, for a service key, by its scopes and read-only limit."),
    },
  },
  getInvite: {
    method: "GET",
    path: "/api/auth/invites/{token}",
    summary: "read an invite",
    access: "public",
    params: Token,
    description: "Returns 404 when the invite has expired or was revoked.",
    response: {
      invite: z
        .strictObject({
          kind: z
            .enum(["user", ...portalRoles])
            .describe("Kind of account the invite creates: `user` for the office, `tenant`, `owner` or `vendor` for a portal."),
          email: Email.describe("E-mail address the new account signs in with."),
          organizationName: z.string().describe("Name of the organization that sent the invite."),
          fullName: z.string().nullable().describe("Full name of the invited person, or null when it is not known."),
          expiresAt: Instant.describe("Time at which the invite expires, 7 days after it was sent."),
          status: z.enum(["pending", "accepted"]).describe("Status of the invite. `pending` until it is accepted."),
        })
        .describe("Invite that the token belongs to."),
    },
  },
  acceptInvite: {
    method: "POST",
    path: "/api/auth/invites/{token}/accept",
    summary: "accept an invite",
    access: "public",
    params: Token,
    description:
      "Creates the user of a portal invite, or sets the password of an invited office user; then signs the user in and sets the refresh cookie. An invite can be accepted once; a second call returns 409 `invalid_transition`.",
    body: body({
      password: Password.describe("Password of the new user. Must not be one of the most common passwords."),
      fullName: FullName.optional().describe("Full name of the user. Default: the name in the invite."),
      phone: Phone.optional().describe("Phone number of the user. Numbers without a country code are US numbers; returned in E.164 format."),
      smsConsent: z
        .boolean()
        .optional()
        .describe(
          "Consent of the user to text messages, recorded with time and network address. It has no effect while the phone number has stopped text messages with STOP. Default: no consent.",
        ),
    }),
    response: authResult,
    errors: [409],
  },
  getSigningKeys: {
    method: "GET",
    path: "/.well-known/jwks.json",
    summary: "read the public keys of access tokens",
    access: "public",
    description: "JSON Web Key Set (RFC 7517) for verifying the signatures of access tokens.",
    response: { keys: z.array(z.record(z.string(), z.unknown())).describe("Public keys as JSON Web Keys, selected by the `kid` of the token header.") },
  },
});
