import { describe, expect, test } from "@jest/globals";
import { isTrustedProxy, trustedProxies } from "./trusted-proxies.ts";

describe("TRUSTED_PROXIES", () => {
  test("names addresses and networks, also of IPv4 connections on an IPv6 socket", () => {
    const proxies = trustedProxies.parse("10.1.0.0/16, 192.0.2.7,2001:db8::/32");
    const isTrusted = (address: string) => isTrustedProxy(proxies, address);
    expect(["10.1.2.3", "::ffff:10.1.2.3", "192.0.2.7", "2001:db8:5::1"].map(isTrusted)).toEqual([true, true, true, true]);
    expect(["10.2.0.1", "192.0.2.8", "2001:db9::1", "unknown"].map(isTrusted)).toEqual([false, false, false, false]);
  });

  test("is a number of proxies where nothing else reaches the gateway", () => {
    expect([trustedProxies.parse("0"), trustedProxies.parse("2")]).toEqual([0, 2]);
    expect(isTrustedProxy(trustedProxies.parse("0"), "10.0.0.1")).toBe(false);
    expect(isTrustedProxy(trustedProxies.parse("1"), "10.0.0.1")).toBe(true);
  });

  test.each(["11", "-1", "proxy.example", "10.0.0.0/33", "10.0.0.1,", "10.0.0.0/x", "10.0.0.0/", "10.0.0.0/8/9", "10.0.0.0/ 8", ""])(
    "refuses %s with a reason",
    (text) => {
      const { success, error } = trustedProxies.safeParse(text);
      expect(success).toBe(false);
      expect(error!.issues[0]!.message).toMatch(/is not an address or a network|at most 10 proxies/);
    },
  );
});
