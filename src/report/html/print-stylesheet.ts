/** How pages look on paper: everything unfolded, no links to click, cards kept on one page if they fit. */

/** Dark ink on white, whatever the screen shows. `::details-content` unfolds details (CSS Pseudo-Elements 4). */
export const PRINT = `
@page { margin:16mm 14mm }
@media print {
:root { color-scheme:light; --ground:#fff; --paper:#fff; --ink:#000; --soft:#42484f; --line:#c4c9cf;
  --rule:#8d97a3; --link:#000;
--true:#17498a; --true-ground:#fff; --false:#42484f; --false-ground:#fff; --unknown:#84286b; --unknown-ground:#fff;
--accept:#17653a; --accept-ground:#fff; --review:#744c00; --review-ground:#fff; --reject:#971b1e; --reject-ground:#fff }
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
.node { grid-template-columns:5.2rem minmax(0,1fr) minmax(0,15rem) }
code.value { padding:0 }
.scale { print-color-adjust:exact; -webkit-print-color-adjust:exact }
.band.review { fill:#f3e3bb } .band.reject { fill:#f3cfcd } .band.none { fill:#eee }
}`;
