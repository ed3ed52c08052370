/** How pages look: on a screen, light and dark, wide and narrow, and on paper. */

import { CHART_STYLE } from './chart-style.ts';
import { DARK, LIGHT, LIGHT_FILLS, SCALE } from './tokens.ts';

const GROUND = `
:root { color-scheme:light dark; ${SCALE} ${LIGHT} }
@media (prefers-color-scheme:dark) { :root { ${DARK} } }
* { box-sizing:border-box }
html { background:var(--ground); color:var(--ink); -webkit-text-size-adjust:100%; text-size-adjust:100%;
  font:15px/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif }
body { max-width:73rem; margin:0 auto; padding:0 var(--s5) 3rem; overflow-wrap:anywhere }
p { margin:var(--s1) 0; max-width:52rem }
h1,h2,h3 { line-height:1.25; text-wrap:balance }
h1 { font-size:var(--title); margin:2px 0 var(--s2); letter-spacing:-.01em }
h2 { font-size:var(--heading); margin:0 0 var(--s2); letter-spacing:-.005em }
h3 { font-size:var(--text); margin:var(--s5) 0 var(--s2) }
h2 + h3 { margin-top:var(--s1) }
a { color:var(--link); text-underline-offset:.15em; text-decoration-thickness:.06em }
code { font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace; font-size:.88em;
  unicode-bidi:isolate }
code.value { background:var(--false-ground); padding:.05em .35em; border-radius:3px; white-space:pre-wrap;
  -webkit-box-decoration-break:clone; box-decoration-break:clone }
code.name,code.fact,code.path { display:inline-block; max-width:100%; text-decoration:inherit }
.item { white-space:nowrap } .item > * { white-space:normal }
code.path { font-size:var(--small); color:var(--soft) }
th code.path { display:block }
ul[role=list],ol[role=list] { list-style:none; margin:0; padding:0 }
:focus-visible { outline:2px solid var(--focus); outline-offset:2px; border-radius:2px }
.skip { position:absolute; left:-200rem; top:.5rem; padding:var(--s2) var(--s3); background:var(--paper); z-index:1 }
.skip:focus { left:1rem }
.soft,.from,.miss,.missing { color:var(--soft) }
.missing { color:var(--unknown) }
section { background:var(--paper); border:1px solid var(--line); border-radius:6px; padding:var(--s4);
  margin:var(--s4) 0 }
footer { color:var(--soft); font-size:var(--note) }
nav ul { display:flex; flex-wrap:wrap; gap:var(--s1) var(--s4); font-size:var(--note) }`;

const HEAD = `
.head { padding:var(--s6) 0 var(--s3) }
.kind { margin:0; color:var(--soft); font-size:var(--note); letter-spacing:.04em }
.lead { font-size:var(--text); margin-bottom:var(--s4) }
h1 .outcome { font-size:var(--title); padding:.12em .5em .16em; border-radius:6px; text-transform:capitalize }
.warning { border-left:4px solid var(--reject); background:var(--reject-ground); color:var(--reject);
  padding:var(--s2) var(--s3); margin-top:var(--s4) }
.pairs { display:grid; grid-template-columns:repeat(auto-fill,minmax(min(100%,19.5rem),1fr)); gap:var(--s2) var(--s5);
  margin:var(--s2) 0 0 }
.pairs dt { color:var(--soft); font-size:var(--small) }
.pairs dd { margin:0 }
.head .pairs > div:has(.check) { grid-column:1 / -1 }
.pairs code.value { background:none; padding:0 }
#record .pairs { grid-template-columns:1fr }
#record .pairs > div { display:grid; grid-template-columns:minmax(8rem,12rem) minmax(0,1fr); gap:0 var(--s4);
  align-items:baseline }
.check.sound strong,.check.sound .sign { color:var(--accept) }
.check.broken strong,.check.broken .sign { color:var(--reject) }
.check.unchecked strong,.check.unchecked .sign { color:var(--unknown) }`;

const MARKS = `
.truth,.outcome,.flag { display:inline-block; white-space:nowrap; border:1px solid; border-radius:3px;
  padding:0 .4em; font-size:var(--small); line-height:1.45 }
.truth .sign,.outcome .sign { display:inline-block; min-width:.75em; text-align:center; font-weight:700 }
.outcome .sign { font-size:.8em }
.outcome { font-weight:600 }
.truth.true { color:var(--true); background:var(--true-ground); font-weight:600 }
.truth.false { color:var(--false); background:var(--paper); border-color:var(--rule) }
.truth.unknown { color:var(--unknown); background:var(--unknown-ground); border-style:dashed }
.outcome.accept { color:var(--accept); background:var(--accept-ground) }
.outcome.review { color:var(--review); background:var(--review-ground) }
.outcome.reject { color:var(--reject); background:var(--reject-ground) }
.outcome.aborted { color:var(--soft); border-style:dashed }
.flag { color:var(--soft); border-color:var(--line) }`;

const TABLES = `
.scroll { overflow-x:auto; overflow-wrap:break-word; margin:var(--s2) 0; padding:1px }
table { border-collapse:collapse; width:100%; font-size:var(--note); font-variant-numeric:tabular-nums }
table.tight { width:auto; min-width:min(100%,30rem) }
table.wide { min-width:58rem }
caption { text-align:left; color:var(--soft); font-size:var(--note); padding-bottom:var(--s1) }
td.number,th.number { text-align:right }
table.tight .number { padding-left:var(--s4) }
table.line :is(td,th,code) { white-space:nowrap; overflow-wrap:normal }
table.line { font-size:var(--note) } table.line :is(td,th) { padding-right:var(--s3) }
table.line thead th { white-space:normal; vertical-align:bottom }
.line caption { max-width:min(68rem,100vw - 6rem) }
.line tbody th { position:sticky; left:0; background:var(--paper) }
th,td { text-align:left; vertical-align:top; padding:var(--s2) var(--s4) var(--s2) 0;
  border-bottom:1px solid var(--line) }
thead th { font-size:var(--small); font-weight:600; color:var(--soft); border-bottom-color:var(--rule);
  white-space:nowrap }
tbody th { font-weight:400 }
tfoot th,tfoot td { font-weight:600; border-bottom:0 }
.and { color:var(--soft) }
tbody + tbody tr:first-child > * { border-top:1px solid var(--rule) }
th[scope=rowgroup] { font-weight:600; min-width:2.5rem }
th:last-child,td:last-child { padding-right:0 }
td .truth,td .outcome { font-size:var(--small) }
@media screen { td .name wbr,th .name wbr { display:none } }`;

const REASONS = `
.why { margin:var(--s1) 0 var(--s4) !important; max-width:52rem }
.why > li { padding:var(--s1) 0 var(--s2) }
.why .words { font-size:var(--large); margin:0 }
.why .parts { margin:var(--s1) 0 var(--s1); padding-left:var(--s4); border-left:2px solid var(--line) }
.why .parts > li { padding:2px 0 }
.from { font-size:var(--note); margin:1px 0; max-width:none }
.callout,.notice { padding:var(--s2) var(--s4); margin:var(--s2) 0; max-width:52rem; border-radius:0 4px 4px 0 }
.callout { border-left:4px dashed var(--unknown); background:var(--unknown-ground) }
.notice { border-left:4px solid var(--true); background:var(--true-ground) }
.notice .from { color:var(--ink) }
details .notice { border-left-color:var(--rule); background:var(--ground) }
.scale { display:block; width:100%; max-width:46rem; margin:var(--s1) 0; overflow:visible;
  font-size:var(--small) }
.scale text { fill:currentColor; text-anchor:middle; font-variant-numeric:tabular-nums }
.band { stroke:var(--paper); stroke-width:1 } .band.none { fill:rgb(var(--none-fill)) }
.band.accept { fill:rgb(var(--accept-fill)) } .band.review { fill:rgb(var(--review-fill)) }
.band.reject { fill:rgb(var(--reject-fill)) }
.scale .range { fill:var(--ink); opacity:.4 } .scale .part { fill:var(--ink); opacity:.55; stroke:var(--paper) }
.scale .border { stroke:var(--rule); stroke-width:1 }
.scale .score { stroke:var(--ink); stroke-width:3 }`;

const RULES = `
.legend { max-width:none }
.cards { border-bottom:1px solid var(--line) }
.rule { border-top:1px solid var(--line); border-left:4px solid var(--line); padding-left:var(--s3) }
.rule.true { border-left-color:var(--true) } .rule.unknown { border-left:4px dashed var(--unknown) }
summary { cursor:pointer; list-style:none; padding:var(--s2) 0; position:relative }
summary::-webkit-details-marker { display:none }
summary::before { content:""; display:inline-block; width:.4rem; height:.4rem; margin:0 var(--s2) 2px 2px;
  border:solid var(--soft); border-width:0 1.5px 1.5px 0; transform:rotate(-45deg) }
details[open] > summary::before { transform:rotate(45deg) }
.rule > summary { display:grid; grid-template-columns:auto 7.6rem minmax(0,1fr); align-items:baseline; gap:0 var(--s1) }
.rule > summary .truth { justify-self:start }
.gist { grid-column:3; font-size:var(--note) }
.gist:empty { display:none }
.inside { padding:2px 0 var(--s4) }
.description { color:var(--soft); margin:2px 0 var(--s2) }
.inside .pairs { display:block; font-size:var(--note); margin-top:var(--s2) }
.inside .pairs > div { display:grid; grid-template-columns:9.5rem minmax(0,1fr); gap:0 var(--s3); align-items:baseline }
details[open] > summary > .gist { display:none }
.more > summary { color:var(--link) }
.inactive > summary strong { font-weight:400 }
.node { display:grid; grid-template-columns:5.7rem minmax(0,1fr) minmax(0,24rem); gap:0 var(--s3);
  align-items:baseline; padding:var(--s1) 0 }
.leaf > .node { border-bottom:1px dotted var(--line) }
.node .truth { justify-self:start }
.met { font-size:var(--note) }
li:not(.leaf) > .node > .met { color:var(--soft); font-size:var(--note) }
.tree ul { margin-left:var(--s2) !important; padding-left:var(--s4) !important }
.tree ul.deep { margin-left:0 !important; padding-left:var(--s1) !important; border-left:1px dotted var(--rule) }
.tree li { position:relative }
.tree ul > li::before { content:""; position:absolute; left:-1rem; top:0; width:.75rem; height:.95rem;
  border:solid var(--rule); border-width:0 0 1px 1px }
.tree ul > li:not(:last-child)::after { content:""; position:absolute; left:-1rem; top:0; bottom:0;
  border-left:1px solid var(--rule) }
.tree ul.deep > li::before,.tree ul.deep > li::after { display:none !important }`;

/** Below 46rem, the values of a tree no longer fit beside its tests. */
const NARROW = `
@media screen and (max-width:46rem) {
body { padding:0 var(--s3) var(--s6) }
.head { padding-top:var(--s4) }
section { padding:var(--s4) var(--s3) var(--s4); margin:var(--s3) 0 }
.rule { padding-left:var(--s2) }
.rule > summary { grid-template-columns:auto auto minmax(0,1fr) }
.rule > summary .what { grid-column:2 / 4; grid-row:2 }
.gist { grid-column:2 / 4 }
.node { display:block; padding:var(--s1) 0 }
.node .truth { font-size:var(--small); margin-right:var(--s1) }
.met { display:block }
.tree ul { margin-left:var(--s1) !important; padding-left:var(--s3) !important }
.tree ul.deep { margin-left:0 !important; padding-left:1px !important }
.tree ul > li::before { left:-.75rem; width:.55rem } .tree ul > li:not(:last-child)::after { left:-.75rem }
#record .pairs > div,.inside .pairs > div { display:block }
table.line tbody th { white-space:normal; min-width:9rem }
table.stack { min-width:0 }
.stack,.stack caption,.stack tbody,.stack tr,.stack th,.stack td { display:block }
.stack thead { display:none }
.stack tr { border-bottom:1px solid var(--line); padding:var(--s2) 0 }
.stack tbody + tbody { border-top:1px solid var(--rule) }
.stack tbody + tbody tr:first-child > * { border-top:0 }
.stack td.none { display:none }
.stack .number { text-align:left }
.stack th,.stack td { border:0; padding:2px 0; min-width:0 }
.stack td { position:relative; padding-left:8.8rem; min-height:1.6em }
.stack td::before { content:attr(data-label); position:absolute; left:0; width:8.4rem; color:var(--soft);
  font-size:var(--small) }
.stack th::before { content:attr(data-label) " "; color:var(--soft); font-size:var(--small) }
}
@media (forced-colors:active) { .truth.true,.outcome { border-width:2px } .band { stroke:CanvasText } }`;

/** How pages look on paper: everything unfolded, no links to click, cards kept on one page if they fit. */

/** Dark ink on white, whatever the screen shows. `::details-content` unfolds details (CSS Pseudo-Elements 4). */
const PRINT = `
@page { margin:16mm 14mm }
@media print {
:root { color-scheme:light; --ground:#fff; --paper:#fff; --ink:#000; --soft:#42484f; --line:#c4c9cf;
  --rule:#8d97a3; --link:#000;
--true:#17498a; --true-ground:#fff; --false:#42484f; --false-ground:#fff; --unknown:#84286b; --unknown-ground:#fff;
--accept:#17653a; --accept-ground:#fff; --review:#744c00; --review-ground:#fff; --reject:#971b1e; --reject-ground:#fff;
${LIGHT_FILLS} }
html { font-size:10pt }
body { max-width:none; padding:0 }
nav,.skip { display:none }
a { text-decoration:none }
section { border:0; border-top:1px solid var(--rule); border-radius:0; padding:var(--s3) 0; margin:var(--s2) 0 }
details::details-content { content-visibility:visible; display:block; height:auto }
summary::before { display:none }
.rule > summary { grid-template-columns:7.4rem minmax(0,1fr) }
.gist { grid-column:2 }
.scroll { overflow:visible }
table.wide { min-width:0; font-size:var(--note) }
thead th { white-space:normal }
h2,h3,summary,caption { break-after:avoid }
tr,.why > li,.notice,.rule,.leaf { break-inside:avoid }
thead { break-after:avoid } tbody > :nth-child(-n + 2) { break-before:avoid }
.node { grid-template-columns:5.2rem minmax(0,1fr) minmax(0,15rem) }
code.value { padding:0 }
.scale { print-color-adjust:exact; -webkit-print-color-adjust:exact }
table.line { font-size:7pt }
table.line :is(td,th) { padding:2px var(--s1) 2px 0; font-size:inherit; white-space:normal; line-height:1.3 }
}`;

/** Without what the pages of the workbench do not have: charts. */
export const BASE_STYLE = [GROUND, HEAD, MARKS, TABLES, REASONS, RULES, NARROW, PRINT].join('\n');

export const STYLESHEET = `${BASE_STYLE}\n${CHART_STYLE}`;
