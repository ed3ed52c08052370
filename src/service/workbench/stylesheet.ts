/** What pages of the service have beside: navigation, two columns, forms, charts. */

import { BASE_STYLE } from '../../report/html/stylesheet.ts';

const FRAME = `
body { max-width:88rem }
.head { padding-top:var(--s4) }
.bar { display:flex; flex-wrap:wrap; justify-content:space-between; align-items:center; gap:var(--s1) var(--s5);
  padding:var(--s2) 0; border-bottom:1px solid var(--line); background:var(--ground) }
.bar nav { flex:1 1 auto }
.bar nav a { display:inline-block; padding:var(--s1) var(--s2); text-decoration:none; border-radius:4px }
.bar nav a[aria-current] { background:var(--true-ground); font-weight:600; text-decoration:underline }
.bar nav ul { gap:2px var(--s1); font-size:var(--text) }
.bar form { margin:0 }
.find input { width:15rem }
.who { display:flex; align-items:center; gap:var(--s2); color:var(--soft); font-size:var(--note) }
.who span { max-width:14rem; overflow:hidden; text-overflow:ellipsis; white-space:nowrap }
.two > div > section:first-child,.aside { margin-top:0 }
.aside { background:var(--paper); border:1px solid var(--line); border-radius:6px; padding:var(--s4) }
.zone { margin-top:0 }
@media screen and (min-width:1000px) {
html { scroll-padding-top:4rem }
.bar { position:sticky; top:0; z-index:2 } .jump { display:none }
.two { display:grid; grid-template-columns:minmax(0,1fr) minmax(21rem,25rem); gap:var(--s4); align-items:start }
.aside { position:sticky; top:4rem; max-height:calc(100vh - 5rem); overflow:auto }
}`;

const OWN = `
form { margin:var(--s3) 0 } form + form { margin-top:var(--s4) }
form.line { display:flex; flex-wrap:wrap; align-items:end; gap:var(--s2) var(--s4); border:0 }
form.line select { max-width:18rem }
form.line > a { padding:var(--s2) 0 }
.field { margin:var(--s2) 0; max-width:52rem } form.line .field { margin:0 }
.field > label,legend { display:block; font-size:var(--note); color:var(--soft); padding:0 0 var(--s1) }
input,select,textarea,button { font:inherit; color:var(--ink); margin:0 }
input:not([type=radio],[type=checkbox]),select,textarea { background:var(--paper); border:1px solid var(--rule);
  border-radius:4px; padding:var(--s1) var(--s2); max-width:100%; min-height:2.5rem }
textarea { width:100% } textarea[readonly] { background:var(--ground) }
input[type=radio],input[type=checkbox] { width:1.1rem; height:1.1rem; vertical-align:-.15rem;
  accent-color:var(--link) }
.option input { align-self:start; margin-top:var(--s1) }
button { background:var(--paper); border:1px solid var(--rule); border-radius:4px; padding:var(--s2) var(--s4);
  min-height:2.5rem; cursor:pointer }
button.main { background:var(--link); border-color:var(--link); color:var(--paper); font-weight:600 }
button.plain { color:var(--soft); border-color:transparent; background:none; text-decoration:underline;
  padding:var(--s1) var(--s2) }
button:disabled { opacity:.55; cursor:not-allowed }
fieldset { border:0; padding:0; margin:var(--s2) 0 }
.option { display:grid; grid-template-columns:auto auto minmax(0,1fr); gap:0 var(--s2); align-items:baseline;
  justify-items:start; padding:var(--s1) 0; min-height:1.9rem }
.option .key { display:inline-block; min-width:1.5em; text-align:center; border:1px solid var(--rule);
  border-radius:3px; font-size:var(--small); line-height:1.4 }
.done { border-left:4px solid var(--accept); background:var(--accept-ground); color:var(--accept);
  padding:var(--s2) var(--s3); margin:0 0 var(--s4) }
#lease { font-weight:600 }
.late { color:var(--reject) } .badge { background:var(--reject-ground); color:var(--reject); border-radius:1em;
  padding:0 var(--s2); font-size:var(--small); font-weight:600; white-space:nowrap }
td form.line { margin:0 } td button,#findings button { min-height:1.5rem; padding:0 var(--s1) }
#results ul { padding-left:var(--s4); overflow-wrap:anywhere }
#personal .pairs { grid-template-columns:repeat(auto-fill,minmax(min(100%,12rem),1fr)) }
.edit .field { max-width:none } #findings code { white-space:break-spaces; overflow-wrap:anywhere }
.edit textarea { font-family:ui-monospace,Menlo,Consolas,"Liberation Mono",monospace; white-space:pre; overflow-x:auto }
#reveal .field { flex:1 } #reveal textarea { min-height:2.5rem; height:2.5rem }
#release button { flex:1; padding:var(--s1) var(--s2); font-size:var(--note) }
#resolve:not(:has([value=approve]:checked)) .of-approve,
#resolve:not(:has([value=decline]:checked)) .of-decline { display:none }
.choice { display:grid; grid-template-columns:1fr 1fr; gap:0 var(--s2) } .choice legend { grid-column:1 / 3 }
.choice .option { border:1px solid var(--rule); border-radius:4px; padding:var(--s2) }
.choice .option:has(:checked) { border-color:var(--link); background:var(--true-ground); font-weight:600 }
.aside > :is(details,p) { font-size:var(--note) } .aside form { margin:var(--s2) 0 }
#ring .row { display:flex; flex-wrap:wrap; align-items:end; gap:var(--s2) var(--s4) } #ring .field { margin:0 }
.aside button.main { width:100% }
.lane .later { fill:var(--false-ground) } .lane .axis { stroke:var(--line) }
.lane .own { stroke:var(--ink); stroke-width:2 } .lane text { font-size:.8em }
.lane .accept { fill:var(--accept) } .lane .review { fill:var(--review) } .lane .reject { fill:var(--reject) }
.lines { font-size:var(--note); border:1px solid var(--line); border-radius:4px; padding:var(--s1) 0 !important }
.line .number { color:var(--soft); text-align:right; font-size:var(--small); font-variant-numeric:tabular-nums }
li.line { display:grid; grid-template-columns:2.9rem minmax(0,1fr); gap:0 var(--s4) }
.line code { white-space:pre-wrap }
#keys details { margin:var(--s2) 0 } #keys label { display:inline-block; padding:var(--s1) 0 }
.reference:focus::after,.fact-name:focus::after { content:" " attr(title); color:var(--soft); font-size:var(--small) }
@media screen and (min-width:46rem) { td.one { max-width:22rem; white-space:nowrap; overflow:hidden;
  text-overflow:ellipsis } }
.policies { display:grid; grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr)); gap:var(--s4) }
.policies > li { border:1px solid var(--line); border-radius:6px; padding:var(--s3) var(--s4) }
.policies h3 { margin:0; font-size:var(--large) } .policies .pairs { grid-template-columns:1fr 1fr }
code.text { display:block; white-space:pre-wrap }
td[data-label=Fired],td[data-label=Undetermined] { white-space:nowrap }
@media screen and (max-width:46rem) { form.line { display:block }
  form.line .field,form.line button { margin:var(--s2) 0 }
  form.line button { margin-right:var(--s4) } .field input,.field select { width:100% }
  .lane .date,.stack tfoot td:empty { display:none }
  .stack td[data-label=When],.stack td[data-label=Meaning] { padding-left:0 }
  .stack td[data-label=When]::before,.stack td[data-label=Meaning]::before { position:static; display:block } }
@media print { .bar,.jump,form,.done,#keys,#lease { display:none !important } }
@media (forced-colors:active) { button { border:1px solid ButtonBorder } }`;

/** A series has the look of its name: outcomes those of all pages, what is late that of a rejection. */
const CHARTS = `
.chart,.track { display:block; overflow:visible }
.chart { width:calc(100% - 4.2rem); margin:2.6rem 1.2rem var(--s3) 3rem }
.track { width:calc(100% - 1.5rem); min-width:8rem; margin-right:1.5rem }
.chart text,.track text { fill:var(--soft); font-size:var(--small); font-variant-numeric:tabular-nums }
.chart .middle,.track .middle { text-anchor:middle } .chart .end { text-anchor:end }
.tick { stroke:var(--line) } .change { stroke:var(--ink); stroke-dasharray:3 2 }
.slot { fill:transparent } .chart .reading { display:none; fill:var(--ink) }
.day:is(:hover,:focus) .slot { fill:var(--true-ground) } .day:is(:hover,:focus) + .reading { display:inline }
.fill { fill:var(--true) } .stroke { stroke:var(--true); stroke-width:2 }
.fill.accept { fill:rgb(var(--accept-fill)) } .fill.review { fill:rgb(var(--review-fill)) }
.fill.resolved { fill:rgb(var(--accept-fill)) }
.fill:is(.reject,.overdue) { fill:rgb(var(--reject-fill)) }
.fill.undetermined { fill:var(--unknown) } .stroke.undetermined { stroke:var(--unknown); stroke-dasharray:4 2 }
.legend { display:flex; flex-wrap:wrap; gap:var(--s1) var(--s4); font-size:var(--note) }
.swatch { display:inline-block; width:.8em; height:.8em; margin-right:var(--s1); background:var(--true);
  forced-color-adjust:none }
.swatch.accept { background:rgb(var(--accept-fill)) } .swatch.review { background:rgb(var(--review-fill)) }
.swatch.resolved { background:rgb(var(--accept-fill)) }
.swatch:is(.reject,.overdue) { background:rgb(var(--reject-fill)) } .swatch.undetermined { background:var(--unknown) }
.changes { font-size:var(--note); margin:var(--s1) 0; padding-left:var(--s5) }
td.drawn,th.drawn { width:50% }
@media print { .chart,.track,.swatch { print-color-adjust:exact; -webkit-print-color-adjust:exact } }
@media (forced-colors:active) { .chart,.track { forced-color-adjust:none } }`;

export const SERVED_STYLESHEET = [BASE_STYLE, FRAME, OWN, CHARTS].join('\n');
