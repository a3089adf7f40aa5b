import { z } from "zod";
import { area, body } from "./operation.ts";
import { authResult, FullName, Password, User } from "./people.ts";
import { everyone } from "./roles.ts";
import { Email, Id, Instant, Phone, text } from "./values.ts";

const Grant = z.enum(["refresh_token", "client_credentials"]);

/** Whether a token is asked for with a service key. */
export const isOfServiceKey = (asked: { grantType?: string | undefined; grant_type?: string | undefined }): boolean =>
  (asked.grantType ?? asked.grant_type) === "client_credentials";

const Token = z.object({ token: z.string().min(1).max(400) });

export const auth = area("Auth", "identity", {
  signUp: {
    method: "POST",
    path: "/api/auth/signup",
    summary: "sign up an organization",
    access: "public",
    description:
      "Creates an organization, its first admin and its chart of accounts, and signs the admin in. An address that already has an account must give that account's password.",
    body: body({
      organizationName: text(1, 160),
      fullName: FullName,
      email: Email,
      password: Password,
      timezone: text(1, 64).optional(),
      phone: Phone.optional(),
    }),
    returns: { ...authResult, emailConfirmationRequired: z.boolean() },
    fails: [409],
  },
  login: {
    method: "POST",
    path: "/api/auth/login",
    summary: "sign in",
    access: "public",
    description:
      "Answers the access token and sets the refresh cookie. When one address belongs to several organizations, answers 409 with the choices in `errors` until `organizationId` names one.",
    body: body({ email: Email, password: Password, organizationId: Id.optional() }),
    returns: authResult,
    fails: [401, 409],
  },
  refreshToken: {
    method: "POST",
    path: "/api/auth/token",
    summary: "get an access token",
    access: "public",
    description:
      "Send the refresh cookie and `grantType` (or `grant_type`) `refresh_token`. The cookie is rotated; a used one ends every session of its family, except within ten seconds of its rotation. A program sends `client_credentials` with the `clientId` and `clientSecret` of a service key instead; it gets no cookie, and `user` stands for the key. Tries with a wrong secret are limited as wrong passwords are, a key and an address.",
    body: body({
      grantType: Grant.optional(),
      grant_type: Grant.optional(),
      clientId: text(1, 100).optional(),
      clientSecret: z.string().min(1).max(200).optional(),
    })
      .refine((grant) => grant.grantType ?? grant.grant_type, {
        path: ["grantType"],
        params: { code: "required" },
        message: "grantType is required: send refresh_token, or client_credentials with a service key.",
      })
      .refine((grant) => !isOfServiceKey(grant) || grant.clientId, { path: ["clientId"], params: { code: "required" }, message: "clientId is required." })
      .refine((grant) => !isOfServiceKey(grant) || grant.clientSecret, {
        path: ["clientSecret"],
        params: { code: "required" },
        message: "clientSecret is required.",
      }),
    returns: authResult,
    fails: [401],
  },
  logout: {
    method: "POST",
    path: "/api/auth/logout",
    summary: "sign out",
    access: "public",
    description: "Needs only the cookie. Clears it and ends the refresh family; an access token lives on until it expires.",
    returns: { loggedOut: z.literal(true) },
  },
  getMe: {
    method: "GET",
    path: "/api/auth/me",
    summary: "read who they are",
    access: everyone,
    returns: {
      user: User,
      organization: authResult.organization,
      permissions: z
        .array(z.string())
        .meta({ description: "The operations that this token may call: those of the role, and of a service key those within its limits." }),
    },
  },
  getInvite: {
    method: "GET",
    path: "/api/auth/invites/{token}",
    summary: "read an invite",
    access: "public",
    params: Token,
    description: "Answers 404 when the invite has expired or was revoked.",
    returns: {
      invite: z.strictObject({
        kind: z.enum(["user", "tenant", "owner", "vendor"]),
        email: Email,
        organizationName: z.string(),
        fullName: z.string().nullable(),
        expiresAt: Instant,
        status: z.enum(["pending", "accepted"]),
      }),
    },
  },
  acceptInvite: {
    method: "POST",
    path: "/api/auth/invites/{token}/accept",
    summary: "accept an invite",
    access: "public",
    params: Token,
    description: "Creates the user and signs them in. Works once: a second call answers 409 `invalid_transition`.",
    body: body({ password: Password, fullName: FullName.optional(), phone: Phone.optional(), smsConsent: z.boolean().optional() }),
    returns: authResult,
    fails: [409],
  },
  getSigningKeys: {
    method: "GET",
    path: "/.well-known/jwks.json",
    summary: "read the keys that access tokens are signed with",
    access: "public",
    returns: { keys: z.array(z.record(z.string(), z.unknown())) },
  },
});
