import { expect, test } from "@jest/globals";
import { partsInProportion } from "./parts-in-proportion.ts";

test.each([
  [200, [100, 300], [50, 150]],
  [400, [100, 300], [100, 300]],
  [900, [100, 300], [100, 300]],
  [2, [1, 1, 1], [0, 1, 1]],
  [0, [5], [0]],
  [-3, [5], [0]],
  [7, [], []],
  [7, [0, 0], [0, 0]],
])("%i cents of %j are %j", (cents, amounts, parts) => expect(partsInProportion(cents, amounts)).toEqual(parts));
