import { expect, test } from "@jest/globals";
import { upstream } from "./upstream.ts";

test("an upstream refuses requests with 503 and Retry-After while it has its maximum in progress, and admits them again afterwards", async () => {
  const service = upstream(["http://127.0.0.1:9"], 2);
  const first = Promise.withResolvers<string>();
  const admitted = [service.admit(() => first.promise), service.admit(() => first.promise)];
  let hasRun = false;
  const refused = service.admit(() => {
    hasRun = true;
    return Promise.resolve("too many");
  });
  await expect(refused).rejects.toMatchObject({ status: 503, headers: { "Retry-After": "1" } });
  expect(hasRun).toBe(false);
  first.resolve("done");
  expect(await Promise.all(admitted)).toEqual(["done", "done"]);
  expect(await service.admit(() => Promise.resolve("next"))).toBe("next");
  service.close();
});
