import { describe, expect, test } from "@jest/globals";
import { authCookies } from "./auth-cookies.ts";

const setCookieHeader = (
  publicUrl: string,
  write: (cookie: ReturnType<typeof authCookies>, res: { append: (header: string, value: string) => void }) => void,
): string => {
  let header = "";
  write(authCookies(publicUrl), { append: (_: string, value: string) => (header = value) });
  return header;
};
const read = (cookie?: string) => authCookies("https://example.com").read({ headers: { cookie } });

describe("the refresh cookie", () => {
  test("is HttpOnly, SameSite=Lax and limited to the authentication paths", () => {
    expect(setCookieHeader("http://localhost:8080", (cookie, res) => cookie.set(res, "abc"))).toBe(
      "service_refresh_token=abc; Max-Age=604800; HttpOnly; SameSite=Lax; Path=/api/auth",
    );
  });
  test("is Secure when the public URL is https", () => {
    expect(setCookieHeader("https://example.com", (cookie, res) => cookie.set(res, "abc"))).toMatch(/; Secure$/);
  });
  test("is cleared under the path of the set cookie", () => {
    expect(setCookieHeader("http://localhost", (cookie, res) => cookie.clear(res))).toMatch(/^service_refresh_token=; Max-Age=0; .*Path=\/api\/auth/);
  });
  test("is read among other cookies", () => {
    expect(read("a=1; service_refresh_token=x.y; b=2")).toBe("x.y");
    expect(read("other_service_refresh_token=x")).toBeUndefined();
    expect(read()).toBeUndefined();
  });
});
