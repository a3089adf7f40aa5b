/** Contrast of the texts of a page, as WCAG 2 defines it. */
import type { Page } from "puppeteer-core";

/** Runs in the page. A text on several layers is measured against the colors of all of them, blended. */
const script = (leastContrast: number) => `(() => {
  const parse = (color) => {
    const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
    return { channels: [red, green, blue], alpha: alpha / 255 };
  };
  const blend = (top, below) => below.map((channel, index) => top.channels[index] * top.alpha + channel * (1 - top.alpha));
  const isDarkCanvas = getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches;
  const canvas = isDarkCanvas ? [18, 18, 18] : [255, 255, 255];
  const backgroundOf = (element) => element === null ? canvas : blend(parse(getComputedStyle(element).backgroundColor), backgroundOf(element.parentElement));
  const luminance = (channels) => {
    const [red, green, blue] = channels.map((channel) => channel / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrastOf = (element) => {
    const background = backgroundOf(element);
    const lights = [blend(parse(getComputedStyle(element).color), background), background].map(luminance);
    return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const visible = [...document.body.querySelectorAll("*")].filter((element) => hasText(element) && element.checkVisibility() && element.getClientRects().length > 0);
  const styles = visible.map((element) => [
    [element.localName, element.className].join("."),
    { text: element.textContent.trim().slice(0, 40), contrast: Math.round(contrastOf(element) * 100) / 100 },
  ]);
  // Each style of text counts once, with its least contrast.
  const measured = new Map(styles.toSorted(([, one], [, other]) => other.contrast - one.contrast));
  return { texts: measured.size, faint: [...measured].filter(([, { contrast }]) => contrast < ${leastContrast}).map(([style, { text, contrast }]) => style + ": " + contrast + " " + text) };
})()`;

/** Returns the number of the styles of text in a page, and those with less contrast. */
export const measureContrast = async (page: Page, leastContrast: number): Promise<{ texts: number; faint: string[] }> =>
  (await page.evaluate(script(leastContrast))) as { texts: number; faint: string[] };
