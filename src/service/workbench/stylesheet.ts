/** What pages of the service have beside: navigation, forms, buttons, charts. Its colours are those of all pages. */

import { BASE_STYLE } from '../../report/html/stylesheet.ts';

const OWN = `
.bar { display:flex; flex-wrap:wrap; justify-content:space-between; align-items:center; gap:.3rem 1.5rem;
  padding:.7rem 0; border-bottom:1px solid var(--line) }
.bar nav a { display:inline-block; padding:.35rem .6rem; text-decoration:none; border-radius:4px }
.bar nav a[aria-current] { background:var(--true-ground); font-weight:600; text-decoration:underline }
.bar nav ul { gap:.1rem .3rem; font-size:1rem }
.who { display:flex; align-items:center; gap:.5rem; color:var(--soft); font-size:.9rem }
form { margin:.8rem 0 } form + form { margin-top:1.2rem }
form.line { display:flex; flex-wrap:wrap; align-items:end; gap:.6rem 1rem; border:0 }
form.line > a { padding:.5rem 0 }
.field { margin:.5rem 0; max-width:52rem } form.line .field { margin:0 }
.field > label,legend { display:block; font-size:.85rem; color:var(--soft); padding:0 0 .2rem }
input,select,textarea,button { font:inherit; color:var(--ink); margin:0 }
input:not([type=radio],[type=checkbox]),select,textarea { background:var(--paper); border:1px solid var(--rule);
  border-radius:4px; padding:.35rem .5rem; max-width:100%; min-height:2.5rem }
textarea { width:100% } textarea[readonly] { background:var(--ground) }
input[type=radio],input[type=checkbox] { width:1.1rem; height:1.1rem; vertical-align:-.15rem;
  accent-color:var(--link) }
.option input { align-self:start; margin-top:.15rem }
button { background:var(--paper); border:1px solid var(--rule); border-radius:4px; padding:.4rem .9rem;
  min-height:2.5rem; cursor:pointer }
button.main { background:var(--link); border-color:var(--link); color:var(--paper); font-weight:600 }
button.plain { color:var(--soft); border-color:transparent; background:none; text-decoration:underline;
  padding:.3rem .4rem }
button:disabled { opacity:.55; cursor:not-allowed }
fieldset { border:0; padding:0; margin:.6rem 0 }
.option { display:grid; grid-template-columns:auto auto minmax(0,1fr); gap:0 .45rem; align-items:baseline;
  justify-items:start; padding:.28rem 0; min-height:1.9rem }
.option .key { display:inline-block; min-width:1.5em; text-align:center; border:1px solid var(--rule);
  border-radius:3px; font-size:.82rem; line-height:1.4 }
.done { border-left:4px solid var(--accept); background:var(--accept-ground); color:var(--accept);
  padding:.5rem .8rem; margin:0 0 .9rem }
#lease { font-weight:600 }
.lines { font-size:.92rem; border:1px solid var(--line); border-radius:4px; padding:.3rem 0 !important }
.line .number { color:var(--soft); text-align:right; font-size:.8rem; font-variant-numeric:tabular-nums }
li.line { display:grid; grid-template-columns:2.9rem minmax(0,1fr); gap:0 1.1rem }
.line code { white-space:pre-wrap }
.bars { display:block; width:100%; max-width:46rem }
.bar-of-day { fill:var(--true) } .bars .border { stroke:var(--rule) }
#keys details { margin:.4rem 0 } #keys label { display:inline-block; padding:.3rem 0 }
#decisions th[scope=row] time { display:block; white-space:nowrap }
#decisions th[scope=row] code { background:none; padding:0; color:var(--soft); font-size:.78rem }
@media screen { #decisions th code { white-space:nowrap } }
td[data-label=Fired],td[data-label=Undetermined] { white-space:nowrap }
@media screen and (max-width:46rem) { form.line { display:block } form.line .field,form.line button { margin:.5rem 0 }
  form.line button { margin-right:1rem } .field input,.field select { width:100% }
  .stack td[data-label=When],.stack td[data-label=Meaning] { padding-left:0 }
  .stack td[data-label=When]::before,.stack td[data-label=Meaning]::before { position:static; display:block } }
@media print { .bar,form,.done,#keys,#lease { display:none !important }
  .bar-of-day { fill:#17498a; print-color-adjust:exact } }
@media (forced-colors:active) { .bar-of-day { fill:CanvasText } button { border:1px solid ButtonBorder } }`;

export const SERVED_STYLESHEET = `${BASE_STYLE}\n${OWN}`;
