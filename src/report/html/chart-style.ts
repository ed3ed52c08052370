/** The style of figures, of shaded cells and of charts; their numbers stand beside them. */

import { OUTCOMES } from '../../policy/language.ts';

/** How much of its colour each shade has. */
const SHADES = [0.2, 0.45, 0.7, 1];

const OF_OUTCOMES = OUTCOMES.flatMap((each) => [
  `.swatch.${each} { background:rgb(var(--${each}-fill)) }`,
  ...SHADES.map((part, i) => `.shade.${each}-${i + 1} { background:rgba(var(--${each}-fill),${part}) }`),
]).join('\n');

const WIDE = `
.figures { display:grid; grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr)); gap:.9rem 1.4rem;
  margin:.2rem 0 1.3rem }
.figures > div { border-left:3px solid var(--rule); padding-left:.75rem }
.figures dd { margin:0 }
.figures dt,.figures span { color:var(--soft); font-size:.85rem }
.figures strong { display:block; font-size:1.35rem; line-height:1.3; letter-spacing:-.01em;
  font-variant-numeric:tabular-nums }
.track,.scores { display:block; width:100%; overflow:visible }
.track { width:calc(100% - 1.4rem); min-width:5.5rem; margin:.15rem 1rem 0 .4rem }
.track:has(.axis) { min-width:9rem }
.track text,.scores text { fill:currentColor; font-size:.85em; font-variant-numeric:tabular-nums }
.track .middle { text-anchor:middle } .track .end { text-anchor:end }
.drawn { width:40% }
.scores { margin:.4rem 0 .8rem } .scores .band { stroke:none }
.swatch { display:inline-block; width:.8em; height:.8em; margin:0 .25em 0 .8em; forced-color-adjust:none }
table.matrix { width:auto; font-size:.86rem }
.matrix .number { padding-left:1.6rem; padding-right:.45rem }
.matrix .soft { display:block; font-size:.82rem; font-weight:400 }
.shade { display:block; margin:-.38rem -.45rem; padding:.38rem .45rem }
.shade .soft { color:inherit }
.axis { stroke:var(--ink) } .tick { stroke:var(--line) } .all { stroke:var(--ink); stroke-dasharray:3 2 }
.interval { fill:var(--true); opacity:.4 } .dot { fill:var(--true); stroke:var(--paper) }`;

const NARROW = `
@media screen and (max-width:46rem) {
.scroll > table.matrix { font-size:.8rem; width:100% }
.scroll > .matrix th { padding-right:.2rem; white-space:normal }
.scroll > .matrix .number { padding-left:.1rem; padding-right:.3rem }
.matrix .shade { margin:-.38rem -.3rem -.38rem 0; padding:.38rem .3rem .38rem 0 }
}`;

const PRINT = `
@media print {
.track,.scores,.shade,.swatch { print-color-adjust:exact; -webkit-print-color-adjust:exact }
.figures { grid-template-columns:repeat(auto-fit,minmax(7.5rem,1fr)) }
.track,.track:has(.axis) { min-width:3.5rem } .drawn { width:17% }
.matrix { break-inside:avoid }
}
@media (forced-colors:active) { .interval { stroke:CanvasText } .dot { fill:CanvasText } }`;

export const CHART_STYLE = [WIDE, OF_OUTCOMES, NARROW, PRINT].join('\n');
