/** The style of figures, of shaded cells and of charts; their numbers stand beside them. */

import { OUTCOMES } from '../../policy/language.ts';

/** How much of its colour each shade has. */
const SHADES = [0.2, 0.45, 0.7, 1];

const OF_OUTCOMES = OUTCOMES.flatMap((each) => [
  `.swatch.${each} { background:rgb(var(--${each}-fill)) }`,
  ...SHADES.map((part, i) => `.shade.${each}-${i + 1} { background:rgba(var(--${each}-fill),${part}) }`),
]).join('\n');

const WIDE = `
.figures { display:grid; grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr)); gap:var(--s4) var(--s5);
  margin:var(--s1) 0 var(--s5) }
.figures > div { border-left:3px solid var(--rule); padding-left:var(--s3) }
.figures dd { margin:0 }
.figures dt,.figures span { color:var(--soft); font-size:var(--note) }
.figures strong { display:block; font-size:var(--heading); line-height:1.3; letter-spacing:-.01em;
  font-variant-numeric:tabular-nums }
.track,.scores { display:block; width:100%; overflow:visible }
.track { width:calc(100% - 1.4rem); min-width:5.5rem; margin:var(--s1) var(--s4) 0 var(--s2) }
.track:has(.axis) { min-width:9rem }
.track text,.scores text { fill:currentColor; font-size:.85em; font-variant-numeric:tabular-nums }
.track .middle { text-anchor:middle } .track .end { text-anchor:end }
.drawn { width:40% }
.scores { margin:var(--s2) 0 var(--s3) } .scores .band { stroke:none }
.swatch { display:inline-block; width:.8em; height:.8em; margin:0 .25em 0 .8em; forced-color-adjust:none }
table.matrix { width:auto; font-size:var(--note) }
.matrix .number { padding-left:var(--s5); padding-right:var(--s2) }
.matrix .soft { display:block; font-size:var(--small); font-weight:400 }
.shade { display:block; margin:-.38rem -.45rem; padding:var(--s2) var(--s2) }
.shade .soft { color:inherit }
.axis { stroke:var(--ink) } .tick { stroke:var(--line) } .all { stroke:var(--ink); stroke-dasharray:3 2 }
.interval { fill:var(--true); opacity:.4 } .dot { fill:var(--true); stroke:var(--paper) }`;

const NARROW = `
@media screen and (max-width:46rem) {
.scroll > table.matrix { font-size:var(--small); width:100% }
.scroll > .matrix th { padding-right:var(--s1); white-space:normal }
.scroll > .matrix .number { padding-left:2px; padding-right:var(--s1) }
.matrix .shade { margin:-.38rem -.3rem -.38rem 0; padding:var(--s2) var(--s1) var(--s2) 0 }
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
