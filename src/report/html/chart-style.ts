/** How figures, shades and charts look: pictures of numbers, which stand beside them. */

import { OUTCOMES } from '../../policy/language.ts';

/** The colours of shades. */
const LIGHT = '--accept-rgb:46,140,87; --review-rgb:222,160,30; --reject-rgb:206,62,58;';
const DARK = '--accept-rgb:70,170,110; --review-rgb:200,150,40; --reject-rgb:214,78,72;';

/** How much of its colour each shade has: the soft words on the last one still have a contrast of 4.5:1. */
const SHADES = [0.14, 0.26, 0.4, 0.55];

const OF_OUTCOMES = OUTCOMES.flatMap((each) => [
  `.swatch.${each} { background:var(--${each}-fill) }`,
  ...SHADES.map((part, i) => `.shade.${each}-${i + 1} { background:rgba(var(--${each}-rgb),${part}) }`),
]).join('\n');

const WIDE = `
.figures { display:grid; grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr)); gap:.9rem 1.4rem;
  margin:.2rem 0 1.3rem }
.figures > div { border-left:3px solid var(--rule); padding-left:.75rem }
.figures dd { margin:0 }
.figures dt,.figures span { color:var(--soft); font-size:.85rem }
.figures strong { display:block; font-size:1.35rem; line-height:1.3; letter-spacing:-.01em;
  font-variant-numeric:tabular-nums }
.beside { display:flex; flex-wrap:wrap; gap:.5rem 1.6rem; align-items:flex-start }
.beside > div { min-width:0; max-width:100% }
.beside table { font-size:.86rem }
.beside th,.beside td { white-space:nowrap }
.outcomes { display:grid; grid-template-columns:minmax(0,auto) minmax(55%,1fr); gap:.3rem .8rem; align-items:center;
  margin:.4rem 0 .8rem; font-size:.85rem }
.track,.scores { display:block; width:100%; overflow:visible }
.track text,.scores text { fill:currentColor; font-size:.78rem; font-variant-numeric:tabular-nums }
.track text { text-anchor:middle }
.scores { margin:.4rem 0 .8rem }
.scores .band { stroke:none }
.swatch { display:inline-block; width:.8em; height:.8em; margin:0 .25em 0 .8em; forced-color-adjust:none }
table.matrix { width:auto }
.matrix .number { padding-left:1.1rem; padding-right:.45rem }
.matrix .soft { display:block; font-size:.82rem; font-weight:400 }
.shade { display:block; margin:-.38rem -.45rem; padding:.38rem .45rem }
.shade .soft { color:inherit }
.chart th,.chart td { vertical-align:middle; white-space:nowrap; padding-top:.2rem; padding-bottom:.2rem }
.chart thead th { vertical-align:bottom }
.chart code { white-space:nowrap }
.chart .note { display:block }
.axis { stroke:var(--ink) } .tick { stroke:var(--line) } .all { stroke:var(--ink); stroke-dasharray:3 2 }
.interval { fill:var(--true); opacity:.4 } .dot { fill:var(--true); stroke:var(--paper) }
.changes td:nth-child(3) { width:100% }
.changes tr > :not(:nth-child(1),:nth-child(3)) { text-align:right }
.changes thead th:nth-child(n + 5) { white-space:normal }
.changes tbody tr:last-child > * { font-weight:600; border-bottom:0; border-top:1px solid var(--rule) }
.rules tr > :nth-child(2) { text-align:right }
.rules td:nth-child(3) { width:42% } .rules td:nth-child(4) { width:58% }
.rules .track { display:inline-block; vertical-align:middle; width:calc(100% - 3.6rem) }
.rules th .track { display:block }
.rules :nth-child(4) > .track { width:calc(100% - 10.2rem) }
.amount { display:inline-block; width:3rem; margin-right:.5rem; text-align:right }
.share { display:inline-block; width:9.4rem; margin-left:.7rem }
.share .soft { font-size:.82rem }`;

/** Without room for a line, the words of an edit break. */
const MIDDLE = `
@media (max-width:62rem) { .changes tr > :first-child { white-space:normal; min-width:13rem } }`;

/** On a phone, a row of a chart has its name above its bars. */
const NARROW = `
@media screen and (max-width:46rem) {
.beside > div { width:100% }
.beside td { white-space:normal }
.scroll > table.matrix { font-size:.8rem; width:100% }
.scroll > .matrix th { padding-right:.2rem; white-space:normal; vertical-align:bottom }
.scroll > .matrix .number { padding-left:.1rem; padding-right:.3rem }
.matrix .shade { margin:-.38rem -.3rem -.38rem 0; padding:.38rem .3rem .38rem 0 }
.chart,.chart caption,.chart thead,.chart tbody { display:block }
.chart tr { display:grid; border-bottom:1px solid var(--line); padding:.3rem 0 }
.chart tr > * { border:0 !important; padding:.1rem 0 }
.changes tr { grid-template-columns:minmax(0,.7fr) repeat(4,minmax(0,1fr)) minmax(0,1.3fr) }
.changes tr > :first-child { grid-column:1 / 7; min-width:0 }
.changes thead th { font-size:.76rem }
.changes tr > :nth-child(3) { grid-column:span 4; width:auto; padding-left:.4rem }
.changes tr > :nth-child(n + 5) { grid-column:span 2 }
.rules tr { grid-template-columns:minmax(0,1fr) auto }
.rules tr > :nth-child(n + 3) { grid-column:1 / 3; width:auto }
}`;

const PRINT = `
@media print {
:root { ${LIGHT} }
.track,.scores,.shade,.swatch { print-color-adjust:exact; -webkit-print-color-adjust:exact }
.figures { grid-template-columns:repeat(auto-fit,minmax(7.5rem,1fr)) }
.chart { font-size:8.5pt }
.changes,.matrix { break-inside:avoid }
.chart th,.chart td { padding-top:.08rem; padding-bottom:.08rem }
.changes tr > * { padding-right:.45rem }
}
@media (forced-colors:active) { .interval { stroke:CanvasText } .dot { fill:CanvasText } }`;

export const CHART_STYLE = [
  `:root { ${LIGHT} }\n@media (prefers-color-scheme:dark) { :root { ${DARK} } }`,
  ...[WIDE, OF_OUTCOMES, MIDDLE, NARROW, PRINT],
].join('\n');
