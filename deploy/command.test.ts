import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { shellQuote } from "./command.ts";

test.each(["/srv/freehold", "/srv/my data", "/srv/Ana's $HOME `id`", ""])("the path %j is printed as one word of a shell command", (path) => {
  expect(spawnSync("sh", ["-c", `printf %s ${shellQuote(path)}`], { encoding: "utf8" }).stdout).toBe(path);
  expect(shellQuote("/srv/freehold")).toBe("/srv/freehold");
});
