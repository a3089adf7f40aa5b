/** Cookies of authentication: HttpOnly, SameSite=Lax, sent only to the paths of authentication. */
import type { Request } from "express";
import { DEVICE_LIFETIME_SECONDS } from "../devices.ts";

interface CookieResponse {
  append(header: "Set-Cookie", value: string): unknown;
}
type CookieRequest = Pick<Request, "headers">;

const REFRESH = "service_refresh_token";
const DEVICE = "service_device";
const REFRESH_LIFETIME_SECONDS = 604_800;

const readCookie = (req: CookieRequest, name: string): string | undefined => new RegExp(`(?:^|;\\s*)${name}=([^;\\s]*)`).exec(req.headers.cookie ?? "")?.[1];

/** Returns the cookie of a device that has signed in before. */
export const readDeviceCookie = (req: CookieRequest): string | undefined => readCookie(req, DEVICE);

/** Creates the cookies of the refresh token and of the device. */
export function authCookies(publicUrl: string) {
  const attributes = `HttpOnly; SameSite=Lax; Path=/api/auth${publicUrl.startsWith("https:") ? "; Secure" : ""}`;
  const append = (res: CookieResponse, name: string, value: string, maxAgeSeconds: number): void => {
    res.append("Set-Cookie", `${name}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`);
  };
  const setDevice = (res: CookieResponse, deviceCookie: string): void => append(res, DEVICE, deviceCookie, DEVICE_LIFETIME_SECONDS);
  const set = (res: CookieResponse, token: string): void => append(res, REFRESH, token, REFRESH_LIFETIME_SECONDS);
  return {
    read: (req: CookieRequest): string | undefined => readCookie(req, REFRESH),
    set,
    /** Sets the cookie of a device that has proven the password. */
    setDevice,
    /** Sets the cookies and returns the response body of a sign-in. */
    setAndReturn<T>(res: CookieResponse, { response, refreshToken, deviceCookie }: { response: T; refreshToken: string; deviceCookie?: string }): T {
      set(res, refreshToken);
      if (deviceCookie) setDevice(res, deviceCookie);
      return response;
    },
    /** Clears the refresh token. The device stays known. */
    clear: (res: CookieResponse): void => append(res, REFRESH, "", 0),
  };
}
