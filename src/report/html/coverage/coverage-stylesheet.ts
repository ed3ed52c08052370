/** How the text of a policy looks with what tests cover of it. */

/** A line's number and sign stand before it, its gaps below it. */
export const COVERAGE = `
.lines { font-size:.92rem; border:1px solid var(--line); border-radius:4px; padding:.3rem 0 !important }
.line { display:grid; grid-template-columns:2.9rem 1.3rem minmax(0,1fr); border-left:4px solid transparent }
.line .number { color:var(--soft); text-align:right; font-size:.8rem; padding-right:.5rem;
  font-variant-numeric:tabular-nums }
.line .sign { font-weight:700 }
.line code { white-space:pre-wrap }
.line.full { border-left-color:var(--true) } .line.full .sign { color:var(--true) }
.line.part { border-left:4px dashed var(--unknown) } .line.none { border-left-color:var(--unknown) }
.line.part .sign,.line.none .sign,.gap { color:var(--unknown) }
.gap { font-size:.85rem; background:var(--unknown-ground); padding:.05rem .5rem; margin:.1rem 0 .2rem;
  border-radius:3px }
.seen { border-bottom:2px solid var(--true) }
.unseen { border-bottom:2px dashed var(--unknown); background:var(--unknown-ground) }`;
