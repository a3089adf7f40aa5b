import { describe, expect, test } from "@jest/globals";
import { neutralizeFormulas } from "./csv.ts";

describe("neutralizeFormulas", () => {
  test.each(["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", ";"])("puts an apostrophe before a text that begins with %j", (start) => {
    expect(neutralizeFormulas(`${start}1+1`)).toBe(`'${start}1+1`);
  });

  test.each([
    ["a semicolon", "Oak;=cmd()", "Oak;'=cmd()"],
    ["each semicolon", "a;=1;+2;@3;-4", "a;'=1;'+2;'@3;'-4"],
    ["a leading semicolon", ";=cmd();", "';'=cmd();"],
    ["a line break", "Oak\r\n=cmd();", "Oak\r\n'=cmd();"],
    ["a tab", "Oak\t=cmd()", "Oak\t'=cmd()"],
    ["a semicolon, in full width", "Oak;＝cmd()", "Oak;'＝cmd()"],
  ])("puts an apostrophe before a formula that begins after %s", (_, text, expected) => {
    expect(neutralizeFormulas(text)).toBe(expected);
  });

  test.each(["Oak Street 5-7", "a=b", "Lock; key", "1,5", "", "it's"])("leaves %j unchanged", (text) => {
    expect(neutralizeFormulas(text)).toBe(text);
  });
});
