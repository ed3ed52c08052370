/** Scripts that a browser runs to measure a page, and the types of their results. */

import axe from 'axe-core';

/** A text that is hard to read. */
export interface FaintText {
  readonly text: string;
  readonly ratio: number;
}

/** Opens all folded parts. */
export const OPEN_ALL = `document.querySelectorAll('details').forEach((each) => { each.open = true; });`;

/** The number of pixels by which the page is wider than its window. */
export const OVERFLOW = `document.documentElement.scrollWidth - document.documentElement.clientWidth`;

/** The number of pixels by which any element outside of scrolling regions crosses the right edge of the window. */
export const FARTHEST = `Math.max(...[...document.querySelectorAll('body *')]
  .filter((each) => !each.closest('.scroll') && !each.closest('.skip') && !each.closest('svg'))
  .map((each) => each.getBoundingClientRect().right)) - document.documentElement.clientWidth`;

/** The number of pixels of a region that are visible only after scrolling. */
export const HIDDEN = `Math.max(...[...document.querySelectorAll('.scroll')]
  .map((each) => each.scrollWidth - each.clientWidth))`;

/** The width of the narrowest node of a tree in pixels. */
export const NARROWEST = `Math.min(...[...document.querySelectorAll('.node')].map((each) => each.clientWidth))`;

/**
 * The texts with a contrast below 4.5:1, by the formula of WCAG 2.2 (relative luminance); the background of a text
 * is the blend of the background colours of its ancestors on white.
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
    for (let each = element; each; each = each.parentElement) {
      layers.unshift(parse(getComputedStyle(each).backgroundColor));
    }
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

/** Numbers all elements that the keyboard should reach, in page order, and returns their count. */
export const NUMBER_STOPS = `[...document.querySelectorAll(
  'a[href], summary, .scroll, .day, button, select, textarea, input:not([type=hidden])')]
  .filter((each) => each.checkVisibility({ contentVisibilityAuto: true }))
  .map((each, i) => { each.dataset.stop = i; }).length`;

/** The number of the focused element, and whether its focus is visible. */
export const FOCUSED = `(() => {
  const { activeElement: focused } = document;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  return { stop: focused.dataset.stop ?? focused.tagName, isSeen };
})()`;

/** Loads axe-core into the page; the page's own policy allows no script. */
export const AXE = axe.source;

/**
 * The rules of axe-core, the best practices among them, that the page breaks, each with the first elements. Without
 * `contrast` it does not measure contrasts, which takes most of its time.
 */
export function violations({ contrast }: { readonly contrast: boolean }): string {
  const options = { resultTypes: ['violations'], rules: { 'color-contrast': { enabled: contrast } } };
  return `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(' | ')))`;
}

/**
 * What can be pressed and is smaller than 24 by 24 pixels (WCAG 2.2, 2.5.8); links in
 * lines of text and what scrolls are left out.
 */
export const SMALL_TARGETS = `[...document.querySelectorAll(
  'button, input:not([type=hidden]), select, textarea, summary')]
  .filter((each) => each.checkVisibility({ contentVisibilityAuto: true }) && !each.closest('.scroll'))
  .filter((each) => {
    // The label of a field is pressed for it.
    const boxes = [each, ...(each.labels ?? [])].map((part) => part.getBoundingClientRect());
    return !boxes.some(({ width, height }) => width >= 24 && height >= 24);
  })
  .map((each) => each.outerHTML.slice(0, 120))`;
