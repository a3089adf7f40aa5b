import { expect, test } from "@jest/globals";
import { forwardedHeaders } from "./request-headers.ts";

const client = { accept: "application/json", cookie: "service_refresh_token=t", authorization: "Basic YTpi", "x-freehold-scope": "forged", "x-other": "1" };
const own = { assertion: "signed", requestId: "r" };
const forwarded = { accept: "application/json", "x-request-id": "r", "x-freehold-scope": "signed" };

test("only identity gets the cookies of a client, and no service gets the client's own assertion or authentication", () => {
  expect(forwardedHeaders(client, {}, { ...own, service: "identity" })).toEqual({ ...forwarded, cookie: client.cookie });
  expect(forwardedHeaders(client, {}, { ...own, service: "portfolio" })).toEqual(forwarded);
});
