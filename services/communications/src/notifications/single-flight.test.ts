import { describe, expect, test } from "@jest/globals";
import { singleFlight } from "./single-flight.ts";

describe("askedOnce", () => {
  test("asks equal questions once while the answer is awaited, others and later ones again", async () => {
    const asked: string[] = [];
    const ask = singleFlight<number>();
    const question = (key: string) => ask(key, () => Promise.resolve(asked.push(key)));
    expect(await Promise.all([question("a"), question("a"), question("b")])).toEqual([1, 1, 2]);
    expect(await question("a")).toBe(3);
    expect(asked).toEqual(["a", "b", "a"]);
  });

  test("shares a failure and forgets it", async () => {
    const ask = singleFlight<number>();
    const failing = () => ask("a", () => Promise.reject(new Error("away")));
    await expect(Promise.all([failing(), failing()])).rejects.toThrow("away");
    expect(await ask("a", () => Promise.resolve(1))).toBe(1);
  });
});
