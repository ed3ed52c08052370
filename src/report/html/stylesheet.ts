/** How pages look: on a screen, light and dark, wide and narrow, and on paper. */

import { CHART_STYLE } from './chart-style.ts';

/** The colours of bands and shades, as red, green and blue: a text on them has a contrast of 4.5:1 too. */
const LIGHT_FILLS =
  '--accept-fill:143,201,164; --review-fill:233,192,106; --reject-fill:224,141,136; --none-fill:223,227,231;';
const DARK_FILLS = '--accept-fill:44,107,69; --review-fill:128,97,29; --reject-fill:140,58,54; --none-fill:58,65,73;';

/**
 * The colours. Truths are blue, grey and plum: nobody takes them for the green, ochre and red of outcomes, and readers
 * who do not see red and green can tell them apart. Every text has a contrast of 4.5:1 or more with its background
 * (WCAG 2.2, 1.4.3); the tests measure it.
 */
const LIGHT = `
${LIGHT_FILLS}
--ground:#f4f5f7; --paper:#fff; --ink:#191d22; --soft:#515a65; --line:#d3d8de; --rule:#8d97a3; --link:#17498a;
--focus:#0b57d0;
--true:#17498a; --true-ground:#e6eef8; --false:#565e68; --false-ground:#edeff1; --unknown:#84286b;
--unknown-ground:#f9eaf4;
--accept:#17653a; --accept-ground:#e2f2e8; --review:#744c00; --review-ground:#fbf0d6; --reject:#971b1e;
--reject-ground:#fbe7e6;`;

const DARK = `
${DARK_FILLS}
--ground:#121417; --paper:#1a1d21; --ink:#e5e8eb; --soft:#a7b0ba; --line:#343a42; --rule:#6d7783; --link:#93bdf5;
--focus:#93bdf5;
--true:#93bdf5; --true-ground:#1a2a40; --false:#b3bac2; --false-ground:#292e34; --unknown:#e9a5d6;
--unknown-ground:#391f33;
--accept:#84d6a0; --accept-ground:#163222; --review:#efc670; --review-ground:#36290c; --reject:#ffa39b;
--reject-ground:#421a1a;`;

const GROUND = `
:root { color-scheme:light dark; ${LIGHT} }
@media (prefers-color-scheme:dark) { :root { ${DARK} } }
* { box-sizing:border-box }
html { background:var(--ground); color:var(--ink); -webkit-text-size-adjust:100%; text-size-adjust:100%;
  font:15px/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif }
body { max-width:73rem; margin:0 auto; padding:0 1.5rem 3rem; overflow-wrap:anywhere }
p { margin:.35rem 0; max-width:52rem }
h1,h2,h3 { line-height:1.25; text-wrap:balance }
h1 { font-size:1.9rem; margin:.1rem 0 .5rem; letter-spacing:-.01em }
h2 { font-size:1.25rem; margin:0 0 .6rem; letter-spacing:-.005em }
h3 { font-size:.95rem; margin:1.3rem 0 .5rem }
h2 + h3 { margin-top:.2rem }
a { color:var(--link); text-underline-offset:.15em; text-decoration-thickness:.06em }
code { font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace; font-size:.88em;
  unicode-bidi:isolate }
code.value { background:var(--false-ground); padding:.05em .35em; border-radius:3px; white-space:pre-wrap;
  -webkit-box-decoration-break:clone; box-decoration-break:clone }
code.name,code.fact,code.path { display:inline-block; max-width:100%; text-decoration:inherit }
.item { white-space:nowrap } .item > * { white-space:normal }
code.path { font-size:.76rem; color:var(--soft) }
th code.path { display:block }
ul[role=list],ol[role=list] { list-style:none; margin:0; padding:0 }
:focus-visible { outline:2px solid var(--focus); outline-offset:2px; border-radius:2px }
.skip { position:absolute; left:-200rem; top:.5rem; padding:.5rem .8rem; background:var(--paper); z-index:1 }
.skip:focus { left:1rem }
.soft,.from,.miss,.missing { color:var(--soft) }
.missing { color:var(--unknown) }
section { background:var(--paper); border:1px solid var(--line); border-radius:6px; padding:1.1rem 1.3rem 1.3rem;
  margin:1rem 0 }
footer { color:var(--soft); font-size:.87rem }
nav ul { display:flex; flex-wrap:wrap; gap:.2rem 1.2rem; font-size:.9rem }`;

const HEAD = `
.head { padding:2rem 0 .8rem }
.kind { margin:0; color:var(--soft); font-size:.85rem; letter-spacing:.04em }
.lead { font-size:1.05rem; margin-bottom:.9rem }
h1 .outcome { font-size:1.7rem; padding:.12em .5em .16em; border-radius:6px; text-transform:capitalize }
.warning { border-left:4px solid var(--reject); background:var(--reject-ground); color:var(--reject);
  padding:.5rem .8rem; margin-top:.9rem }
.pairs { display:grid; grid-template-columns:repeat(auto-fill,minmax(min(100%,19.5rem),1fr)); gap:.55rem 1.6rem;
  margin:.5rem 0 0 }
.pairs dt { color:var(--soft); font-size:.82rem }
.pairs dd { margin:0 }
.head .pairs > div:has(.check) { grid-column:1 / -1 }
.pairs code.value { background:none; padding:0 }
#record .pairs { grid-template-columns:1fr }
#record .pairs > div { display:grid; grid-template-columns:minmax(8rem,12rem) minmax(0,1fr); gap:0 1rem;
  align-items:baseline }
.check.sound strong,.check.sound .sign { color:var(--accept) }
.check.broken strong,.check.broken .sign { color:var(--reject) }
.check.unchecked strong,.check.unchecked .sign { color:var(--unknown) }`;

const MARKS = `
.truth,.outcome,.flag { display:inline-block; white-space:nowrap; border:1px solid; border-radius:3px;
  padding:0 .4em; font-size:.82rem; line-height:1.45 }
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
.scroll { overflow-x:auto; overflow-wrap:break-word; margin:.6rem 0; padding:1px }
table { border-collapse:collapse; width:100%; font-size:.92rem; font-variant-numeric:tabular-nums }
table.tight { width:auto; min-width:min(100%,30rem) }
table.wide { min-width:58rem }
caption { text-align:left; color:var(--soft); font-size:.85rem; padding-bottom:.3rem }
td.number,th.number { text-align:right }
table.tight .number { padding-left:.9rem }
table.line :is(td,th,code) { white-space:nowrap; overflow-wrap:normal }
table.line { font-size:.86rem } table.line :is(td,th) { padding-right:.7rem }
table.line thead th { white-space:normal; vertical-align:bottom }
.line caption { max-width:min(68rem,100vw - 6rem) }
.line tbody th { position:sticky; left:0; background:var(--paper) }
th,td { text-align:left; vertical-align:top; padding:.38rem .9rem .38rem 0; border-bottom:1px solid var(--line) }
thead th { font-size:.82rem; font-weight:600; color:var(--soft); border-bottom-color:var(--rule); white-space:nowrap }
tbody th { font-weight:400 }
tfoot th,tfoot td { font-weight:600; border-bottom:0 }
.and { color:var(--soft) }
tbody + tbody tr:first-child > * { border-top:1px solid var(--rule) }
th[scope=rowgroup] { font-weight:600; min-width:2.5rem }
th:last-child,td:last-child { padding-right:0 }
td .truth,td .outcome { font-size:.82rem }
@media screen { td .name wbr,th .name wbr { display:none } }`;

const REASONS = `
.why { margin:.2rem 0 1rem !important; max-width:52rem }
.why > li { padding:.35rem 0 .4rem }
.why .words { font-size:1.12rem; margin:0 }
.why .parts { margin:.25rem 0 .3rem; padding-left:.9rem; border-left:2px solid var(--line) }
.why .parts > li { padding:.12rem 0 }
.from { font-size:.85rem; margin:.05rem 0; max-width:none }
.callout,.notice { padding:.4rem .9rem; margin:.5rem 0; max-width:52rem; border-radius:0 4px 4px 0 }
.callout { border-left:4px dashed var(--unknown); background:var(--unknown-ground) }
.notice { border-left:4px solid var(--true); background:var(--true-ground) }
.notice .from { color:var(--ink) }
details .notice { border-left-color:var(--rule); background:var(--ground) }
.scale { display:block; width:100%; max-width:46rem; margin:.3rem 0 .2rem; overflow:visible; font-size:.82rem }
.scale text { fill:currentColor; text-anchor:middle; font-variant-numeric:tabular-nums }
.band { stroke:var(--paper); stroke-width:1 } .band.none { fill:rgb(var(--none-fill)) }
.band.accept { fill:rgb(var(--accept-fill)) } .band.review { fill:rgb(var(--review-fill)) }
.band.reject { fill:rgb(var(--reject-fill)) }
.scale .range { fill:var(--ink); opacity:.4 }
.scale .border { stroke:var(--rule); stroke-width:1 }
.scale .score { stroke:var(--ink); stroke-width:3 }`;

const RULES = `
.legend { max-width:none }
.cards { border-bottom:1px solid var(--line) }
.rule { border-top:1px solid var(--line); border-left:4px solid var(--line); padding-left:.8rem }
.rule.true { border-left-color:var(--true) } .rule.unknown { border-left:4px dashed var(--unknown) }
summary { cursor:pointer; list-style:none; padding:.42rem 0; position:relative }
summary::-webkit-details-marker { display:none }
summary::before { content:""; display:inline-block; width:.4rem; height:.4rem; margin:0 .55rem .12rem .1rem;
  border:solid var(--soft); border-width:0 1.5px 1.5px 0; transform:rotate(-45deg) }
details[open] > summary::before { transform:rotate(45deg) }
.rule > summary { display:grid; grid-template-columns:auto 7.6rem minmax(0,1fr); align-items:baseline; gap:0 .3rem }
.rule > summary .truth { justify-self:start }
.gist { grid-column:3; font-size:.88rem }
.gist:empty { display:none }
.inside { padding:.1rem 0 .9rem }
.description { color:var(--soft); margin:.1rem 0 .5rem }
.inside .pairs { display:block; font-size:.88rem; margin-top:.6rem }
.inside .pairs > div { display:grid; grid-template-columns:9.5rem minmax(0,1fr); gap:0 .7rem; align-items:baseline }
details[open] > summary > .gist { display:none }
.more > summary { color:var(--link) }
.inactive > summary strong { font-weight:400 }
.node { display:grid; grid-template-columns:5.7rem minmax(0,1fr) minmax(0,24rem); gap:0 .7rem;
  align-items:baseline; padding:.13rem 0 }
.leaf > .node { border-bottom:1px dotted var(--line) }
.node .truth { justify-self:start }
.met { font-size:.92rem }
li:not(.leaf) > .node > .met { color:var(--soft); font-size:.85rem }
.tree ul { margin-left:.55rem !important; padding-left:1rem !important }
.tree ul.deep { margin-left:0 !important; padding-left:.3rem !important; border-left:1px dotted var(--rule) }
.tree li { position:relative }
.tree ul > li::before { content:""; position:absolute; left:-1rem; top:0; width:.75rem; height:.95rem;
  border:solid var(--rule); border-width:0 0 1px 1px }
.tree ul > li:not(:last-child)::after { content:""; position:absolute; left:-1rem; top:0; bottom:0;
  border-left:1px solid var(--rule) }
.tree ul.deep > li::before,.tree ul.deep > li::after { display:none !important }`;

/** Below 46rem, the values of a tree no longer fit beside its tests. */
const NARROW = `
@media screen and (max-width:46rem) {
body { padding:0 .8rem 2rem }
.head { padding-top:1.2rem }
section { padding:.9rem .8rem 1rem; margin:.7rem 0 }
.rule { padding-left:.5rem }
.rule > summary { grid-template-columns:auto auto minmax(0,1fr) }
.rule > summary .what { grid-column:2 / 4; grid-row:2 }
.gist { grid-column:2 / 4 }
.node { display:block; padding:.2rem 0 }
.node .truth { font-size:.76rem; margin-right:.2rem }
.met { display:block }
.tree ul { margin-left:.3rem !important; padding-left:.65rem !important }
.tree ul.deep { margin-left:0 !important; padding-left:1px !important }
.tree ul > li::before { left:-.65rem; width:.45rem } .tree ul > li:not(:last-child)::after { left:-.65rem }
#record .pairs > div,.inside .pairs > div { display:block }
table.line tbody th { white-space:normal; min-width:9rem }
table.stack { min-width:0 }
.stack,.stack caption,.stack tbody,.stack tr,.stack th,.stack td { display:block }
.stack thead { display:none }
.stack tr { border-bottom:1px solid var(--line); padding:.5rem 0 }
.stack tbody + tbody { border-top:1px solid var(--rule) }
.stack tbody + tbody tr:first-child > * { border-top:0 }
.stack td.none { display:none }
.stack .number { text-align:left }
.stack th,.stack td { border:0; padding:.1rem 0; min-width:0 }
.stack td { position:relative; padding-left:8.8rem; min-height:1.6em }
.stack td::before { content:attr(data-label); position:absolute; left:0; width:8.4rem; color:var(--soft);
  font-size:.82rem }
.stack th::before { content:attr(data-label) " "; color:var(--soft); font-size:.82rem }
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
section { border:0; border-top:1px solid var(--rule); border-radius:0; padding:.8rem 0; margin:.6rem 0 }
details::details-content { content-visibility:visible; display:block; height:auto }
summary::before { display:none }
.rule > summary { grid-template-columns:7.4rem minmax(0,1fr) }
.gist { grid-column:2 }
.scroll { overflow:visible }
table.wide { min-width:0; font-size:.84rem }
thead th { white-space:normal }
h2,h3,summary,caption { break-after:avoid }
tr,.why > li,.notice,.rule,.leaf { break-inside:avoid }
thead { break-after:avoid } tbody > :nth-child(-n + 2) { break-before:avoid }
.node { grid-template-columns:5.2rem minmax(0,1fr) minmax(0,15rem) }
code.value { padding:0 }
.scale { print-color-adjust:exact; -webkit-print-color-adjust:exact }
table.line { font-size:7pt }
table.line :is(td,th) { padding:.12rem .3rem .12rem 0; font-size:inherit; white-space:normal; line-height:1.3 }
}`;

/** Without what the pages of the workbench do not have: charts. */
export const BASE_STYLE = [GROUND, HEAD, MARKS, TABLES, REASONS, RULES, NARROW, PRINT].join('\n');

export const STYLESHEET = `${BASE_STYLE}\n${CHART_STYLE}`;
