import { describe, expect, test } from "@jest/globals";
import { singleFlight } from "./single-flight.ts";

describe("singleFlight", () => {
  test("shares the result of concurrent calls with the same key, and loads again for other keys and later calls", async () => {
    const loadedKeys: string[] = [];
    const loadOnce = singleFlight<number>();
    const load = (key: string) => loadOnce(key, () => Promise.resolve(loadedKeys.push(key)));
    expect(await Promise.all([load("a"), load("a"), load("b")])).toEqual([1, 1, 2]);
    expect(await load("a")).toBe(3);
    expect(loadedKeys).toEqual(["a", "b", "a"]);
  });

  test("shares a failure of concurrent calls, but not with later calls", async () => {
    const loadOnce = singleFlight<number>();
    const fail = () => loadOnce("a", () => Promise.reject(new Error("unavailable")));
    await expect(Promise.all([fail(), fail()])).rejects.toThrow("unavailable");
    expect(await loadOnce("a", () => Promise.resolve(1))).toBe(1);
  });
});
