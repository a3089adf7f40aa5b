import type { Request } from "express";

interface CookieResponse {
  append(header: "Set-Cookie", value: string): unknown;
}

const NAME = "service_refresh_token";
const LIFETIME_SECONDS = 604_800;

/** Cookie of the refresh token: HttpOnly, SameSite=Lax, sent only to the paths of authentication. */
export function refreshCookie(publicUrl: string) {
  const attributes = `HttpOnly; SameSite=Lax; Path=/api/auth${publicUrl.startsWith("https:") ? "; Secure" : ""}`;
  const set = (res: CookieResponse, token: string): void => {
    res.append("Set-Cookie", `${NAME}=${token}; Max-Age=${LIFETIME_SECONDS}; ${attributes}`);
  };
  return {
    read: (req: Pick<Request, "headers">): string | undefined => new RegExp(`(?:^|;\\s*)${NAME}=([^;\\s]*)`).exec(req.headers.cookie ?? "")?.[1],
    set,
    /** Sets the cookie and returns the response body of a sign-in. */
    setAndReturn<T>(res: CookieResponse, { response, refreshToken }: { response: T; refreshToken: string }): T {
      set(res, refreshToken);
      return response;
    },
    clear: (res: CookieResponse): void => {
      res.append("Set-Cookie", `${NAME}=; Max-Age=0; ${attributes}`);
    },
  };
}
