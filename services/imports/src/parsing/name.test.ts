import { describe, expect, test } from "@jest/globals";
import { formatName, splitNames } from "./name.ts";

describe("formatName", () => {
  test.each([
    ["Lovelace, Ada", "Ada Lovelace"],
    ["Ada  Lovelace", "Ada Lovelace"],
    ["Smith, John, Jr.", "John Smith Jr."],
    ["De La Cruz, Maria", "Maria De La Cruz"],
    ["Example Holdings, LLC", "Example Holdings, LLC"],
    ["Acme Co., Inc.", "Acme Co., Inc."],
  ])("formats %s as %s", (text, name) => {
    expect(formatName(text)).toBe(name);
  });
});

describe("splitNames", () => {
  test.each([
    ["Lovelace, Ada", ["Ada Lovelace"]],
    ["Ada Lovelace, Bob Byron", ["Ada Lovelace", "Bob Byron"]],
    ["Lovelace, Ada; Byron, Bob", ["Ada Lovelace", "Bob Byron"]],
    ["Lovelace, Ada & Byron, Bob", ["Ada Lovelace", "Bob Byron"]],
    ["Lovelace, Ada, Byron, Bob", ["Ada Lovelace", "Bob Byron"]],
    ["Ada Lovelace and Bob Byron", ["Ada Lovelace", "Bob Byron"]],
    ["Ada Lovelace\nBob Byron\r\nCy Byron", ["Ada Lovelace", "Bob Byron", "Cy Byron"]],
    ["Ada Lovelace / Bob Byron", ["Ada Lovelace", "Bob Byron"]],
    ["Example Holdings, LLC", ["Example Holdings, LLC"]],
    ["Ada Lovelace; ada lovelace", ["ada lovelace"]],
    ["Anderson", ["Anderson"]],
    ["De La Cruz, Juan Carlos & De La Cruz, Ana Maria", ["Juan Carlos De La Cruz", "Ana Maria De La Cruz"]],
    ["Van Der Berg, Anna Maria & Lee, Bo", ["Anna Maria Van Der Berg", "Bo Lee"]],
    ["Van Der Berg, Anna Maria and Piet", ["Anna Maria Van Der Berg", "Piet Van Der Berg"]],
    ["Van Der Berg, Anna Maria & Example Holdings, LLC", ["Anna Maria Van Der Berg", "Example Holdings, LLC"]],
    ["Ada Lovelace, Bob Byron & Cy Clark", ["Ada Lovelace", "Bob Byron", "Cy Clark"]],
    ["#N/A", ["#N/A"]],
    ["Lovelace, Ada & Bob", ["Ada Lovelace", "Bob Lovelace"]],
    ["Ada & Bob Lovelace", ["Ada Lovelace", "Bob Lovelace"]],
    ["Mr. and Mrs. Lovelace", ["Mr. Lovelace", "Mrs. Lovelace"]],
    ["Smith, John Jr.", ["John Smith Jr."]],
    ["De La Cruz, Maria, Lopez, Jose", ["Maria De La Cruz", "Jose Lopez"]],
    ["Johnson & Johnson", ["Johnson & Johnson"]],
    ["Byron and Sons LLC", ["Byron and Sons LLC"]],
    ["Example Holdings LLC & Lovelace, Ada", ["Example Holdings LLC", "Ada Lovelace"]],
    ["Ada Lovelace c/o Bob Byron", ["Ada Lovelace c/o Bob Byron"]],
    ["Ada Lovelace 1/2 interest", ["Ada Lovelace 1/2 interest"]],
    ["", []],
  ])("splits %j into %j", (cell, names) => {
    expect(splitNames(cell)).toEqual(names);
  });
});
