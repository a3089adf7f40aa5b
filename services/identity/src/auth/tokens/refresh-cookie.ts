import type { Request, Response } from "express";

const NAME = "service_refresh_token";
const LIFETIME_SECONDS = 604_800;

/** The refresh token's cookie: scripts cannot read it, other sites cannot send it along with a form, only sign-in sees it. */
export function refreshCookie(publicUrl: string) {
  const attributes = `HttpOnly; SameSite=Lax; Path=/api/auth${publicUrl.startsWith("https:") ? "; Secure" : ""}`;
  const set = (res: Response, token: string): void => {
    res.append("Set-Cookie", `${NAME}=${token}; Max-Age=${LIFETIME_SECONDS}; ${attributes}`);
  };
  return {
    read: (req: Request): string | undefined => new RegExp(`(?:^|;\\s*)${NAME}=([^;\\s]*)`).exec(req.headers.cookie ?? "")?.[1],
    set,
    /** Puts the token of a signing in into the cookie, and leaves what the body answers. */
    setAndReturn<A>(res: Response, { response, refreshToken }: { response: A; refreshToken: string }): A {
      set(res, refreshToken);
      return response;
    },
    clear: (res: Response): void => {
      res.append("Set-Cookie", `${NAME}=; Max-Age=0; ${attributes}`);
    },
  };
}
