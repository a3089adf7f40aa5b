import { expect, test } from "@jest/globals";
import { isConnectionLost, translateDatabaseError } from "./database-error.ts";

const codes = [
  ["the host does not answer", "ETIMEDOUT"],
  ["the host cannot be reached", "EHOSTUNREACH"],
  ["the network cannot be reached", "ENETUNREACH"],
  ["the name is unknown", "ENOTFOUND"],
  ["the name cannot be resolved at present", "EAI_AGAIN"],
  ["the connection was aborted", "ECONNABORTED"],
  ["the connection was refused", "ECONNREFUSED"],
  ["the connection was reset", "ECONNRESET"],
  ["PostgreSQL is shutting down", "57P01"],
  ["PostgreSQL has crashed", "57P02"],
  ["PostgreSQL is starting", "57P03"],
  ["PostgreSQL has closed an idle connection", "57P05"],
  ["PostgreSQL has ended an idle transaction", "25P03"],
  ["PostgreSQL is a former primary and only reads", "25006"],
  ["PostgreSQL has too many connections", "53300"],
] as const;

test.each(codes)("when %s, the error is a 503 with Retry-After, and the connection is not used again", (_, code) => {
  const error = Object.assign(new Error("lost"), { code });
  for (const thrown of [error, new Error("wrapped by the ORM", { cause: error })]) {
    expect(translateDatabaseError(thrown, {})).toMatchObject({ status: 503, code: "service_unavailable", headers: { "Retry-After": "1" }, cause: thrown });
    expect(isConnectionLost(thrown)).toBe(true);
  }
});

test("an error of a statement is no lost connection", () => {
  const error = Object.assign(new Error("syntax error"), { code: "42601" });
  expect(translateDatabaseError(error, {})).toBe(error);
  expect(isConnectionLost(error)).toBe(false);
});
