/** Token requests of OAuth clients (RFC 6749): a form, with the credentials of a service key in it or as HTTP Basic. */
import { parse as parseForm } from "node:querystring";
import { TokenForm, type auth } from "@freehold/contract/identity/auth";
import type { Output } from "@freehold/contract/operation";
import { ApiError, errorBody, invalid, unauthorized } from "@freehold/kit/errors";
import { parse } from "@freehold/kit/http/validation";
import type { Request, Response } from "express";
import type { Identity } from "../../context.ts";
import { exchangeServiceKey } from "../../service-keys/exchange-service-key.ts";
import { anonymousCallerOf } from "../anonymous-caller.ts";
import { refreshToken, type AuthResult } from "./sessions.ts";

type TokenResponse = Output<typeof auth.operations.refreshToken>;

const withOAuthMembers = (result: AuthResult): TokenResponse => ({
  ...result,
  access_token: result.accessToken,
  token_type: result.tokenType,
  expires_in: result.expiresIn,
});

/**
 * Responds to a token request in a form. A page of another site can send a form, so the refresh cookie is neither read nor set:
 * the refresh token is a member of the form and of the response.
 */
export async function respondToTokenForm(identity: Identity, text: string, { req, res }: { req: Request; res: Response }): Promise<TokenResponse | void> {
  const members = parseForm(text);
  try {
    const form = parse(TokenForm, members);
    return form.grant_type === "client_credentials" ? await issueForServiceKey(identity, form, req) : await refreshByForm(identity, form, req);
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 401].includes(error.status)) throw error;
    sendOAuthError(res, error, { grant: members["grant_type"], isBasic: /^Basic /i.test(req.headers.authorization ?? "") });
  }
}

async function issueForServiceKey(identity: Identity, form: TokenForm, req: Request): Promise<TokenResponse> {
  const { clientId, clientSecret } = credentialsOf(form, req.headers.authorization);
  return withOAuthMembers(await exchangeServiceKey(identity, { clientId, clientSecret }, anonymousCallerOf(req)));
}

async function refreshByForm(identity: Identity, { refresh_token: presented }: TokenForm, req: Request): Promise<TokenResponse> {
  if (presented === undefined)
    throw invalid([{ path: "refresh_token", code: "required", message: "refresh_token is required. A form is not read with the cookie." }]);
  const { response, refreshToken: next } = await refreshToken(identity, presented, anonymousCallerOf(req));
  return { ...withOAuthMembers(response), refresh_token: next };
}

/** Returns the credentials of the client. Throws 400 when they are sent in both ways, and 401 when they are missing. */
function credentialsOf(form: TokenForm, authorization: string | undefined): { clientId: string; clientSecret: string } {
  const basic = basicCredentials(authorization);
  const { client_id: clientId = basic?.clientId, client_secret: clientSecret } = form;
  if (basic && (clientSecret !== undefined || clientId !== basic.clientId))
    throw invalid([{ path: "client_secret", code: "not_allowed", message: "Send the client's credentials in the form or as HTTP Basic, not both." }]);
  if (basic) return basic;
  if (clientId === undefined || clientSecret === undefined)
    throw unauthorized("Send client_id and client_secret in the form, or as the user name and password of HTTP Basic.", "credentials_invalid");
  return { clientId, clientSecret };
}

/** Returns the user name and password of HTTP Basic, each form-encoded as OAuth clients send them. */
export function basicCredentials(authorization: string | undefined): { clientId: string; clientSecret: string } | undefined {
  const encoded = /^Basic ([\w+/=-]+)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const [, clientId, clientSecret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  if (clientId === undefined || clientSecret === undefined) return undefined;
  const decode = (text: string) => new URLSearchParams(`v=${text.replaceAll("&", "%26")}`).get("v")!;
  return { clientId: decode(clientId), clientSecret: decode(clientSecret) };
}

/** Sends an error with the members of RFC 6749 beside those of every error. */
function sendOAuthError(res: Response, error: ApiError, { grant, isBasic }: { grant: unknown; isBasic: boolean }): void {
  const isUnsupported = errorBody(error).errors?.some(({ path, code }) => path === "grant_type" && code === "enum");
  const code = isUnsupported
    ? "unsupported_grant_type"
    : error.status === 400
      ? "invalid_request"
      : grant === "client_credentials"
        ? "invalid_client"
        : "invalid_grant";
  res.set(error.headers);
  if (isBasic && code === "invalid_client") res.set("WWW-Authenticate", 'Basic realm="Freehold"');
  res.status(error.status).json({ ...errorBody(error), error: code, error_description: error.message });
}
