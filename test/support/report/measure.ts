/** What is measured inside a page: scripts that a browser runs, and the shape of what they give. */

/** A text that is hard to read. */
export interface FaintText {
  readonly text: string;
  readonly ratio: number;
}

/** Opens all that is folded. */
export const OPEN_ALL = `document.querySelectorAll('details').forEach((each) => { each.open = true; });`;

/** How far the page is wider than its window, in pixels. */
export const OVERFLOW = `document.documentElement.scrollWidth - document.documentElement.clientWidth`;

/** How many pixels some part of the page, outside of regions that scroll, lies beyond the right edge of the window. */
export const FARTHEST = `Math.max(...[...document.querySelectorAll('body *')]
  .filter((each) => !each.closest('.scroll') && !each.closest('.skip') && !each.closest('svg'))
  .map((each) => each.getBoundingClientRect().right)) - document.documentElement.clientWidth`;

/** How many pixels of a region can be seen only where it is scrolled. */
export const HIDDEN = `Math.max(...[...document.querySelectorAll('.scroll')].map((each) => each.scrollWidth - each.clientWidth))`;

/** The room that the narrowest part of a tree has, in pixels. */
export const NARROWEST = `Math.min(...[...document.querySelectorAll('.node')].map((each) => each.clientWidth))`;

/**
 * The texts with a contrast below 4.5:1, by the formula of WCAG 2.2 (relative luminance); what lies behind a text is
 * the colours of its ancestors, one over the other, on white.
 */
export const FAINT_TEXTS = `(() => {
  const parse = (color) => {
    const [red, green, blue, alpha = 1] = color.match(/[\\d.]+/g).map(Number);
    return { rgb: [red, green, blue], alpha };
  };
  const over = (top, below) => top.rgb.map((value, i) => value * top.alpha + below[i] * (1 - top.alpha));
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) layers.unshift(parse(getComputedStyle(each).backgroundColor));
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const faint = [];
  let measured = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === '' || element.getClientRects().length === 0) continue;
    measured += 1;
    const ground = behind(element);
    const style = getComputedStyle(element);
    const ink = over(parse(element.closest('svg') ? style.fill : style.color), ground);
    const [light, dark] = [luminance(ink), luminance(ground)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (!(ratio >= 4.5)) faint.push({ text: walker.currentNode.data.trim(), ratio });
  }
  return { measured, faint };
})()`;

/** Numbers all that the keyboard should reach, in the order of the page; gives how many. */
export const NUMBER_STOPS = `[...document.querySelectorAll('a[href], summary, .scroll')]
  .filter((each) => each.checkVisibility({ contentVisibilityAuto: true }))
  .map((each, i) => { each.dataset.stop = i; }).length`;

/** The number of what has the focus, and whether it is seen to have it. */
export const FOCUSED = `(() => {
  const { activeElement: focused } = document;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  return { stop: focused.dataset.stop ?? focused.tagName, isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
})()`;

/** The text of the page as it is read. */
export const TEXT = `document.body.innerText`;
