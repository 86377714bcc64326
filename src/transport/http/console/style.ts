/** The stylesheet of the pages for operators: light and dark, from a phone's width up. Colours have a contrast of at least 4.5 : 1. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #fff; --surface: #f4f6f8; --text: #1b1f24; --muted: #545d67; --line: #c3cad1; --link: #0550ae;
  --approve: #116329; --production: #a40e26; --stripe: #7d0a1c; --on-strong: #fff; --notice: #fff4c7; --on-notice: #3b2f00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --surface: #1a212a; --text: #e6edf3; --muted: #a6b0bb; --line: #47505a; --link: #7dbcff;
    --approve: #1c6e31; --production: #c01f33; --stripe: #8b1424; --on-strong: #fff; --notice: #3a2f08; --on-notice: #f8e3a1;
  }
}
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 68rem; margin: 0 auto; padding: 1rem; color: var(--text); background: var(--ground); overflow-wrap: anywhere; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; border-bottom: 1px solid var(--line); margin-bottom: 1rem; }
h1 { font-size: 1.5rem; margin: .5rem 0; }
.name { font-size: 1.25rem; font-weight: 600; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 1.5rem 0 .5rem; }
h3 { font-size: 1.125rem; margin: 0; }
p { margin: .5rem 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
pre, code, .code { font-family: ui-monospace, monospace; }
pre { font-size: .875rem; white-space: pre-wrap; background: var(--surface); border: 1px solid var(--line); border-radius: 4px; padding: .75rem; }
.fact { display: block; padding-inline-start: 4ch; text-indent: -4ch; }
input, button { font: inherit; min-height: 2.75rem; padding: .4rem .75rem; border-radius: 6px; color: inherit; }
input { width: 100%; border: 1px solid var(--muted); background: var(--ground); }
button { border: 2px solid var(--muted); background: transparent; font-weight: 600; cursor: pointer; }
label { display: block; margin: .5rem 0; }
.exact, .muted { color: var(--muted); font-size: .875rem; }
.exact { white-space: nowrap; }
.said, .news { background: var(--notice); color: var(--on-notice); border-radius: 4px; padding: .5rem .75rem; margin: .5rem 0; }
.news:empty { padding: 0; margin: 0; }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem .5rem; list-style: none; margin: 0 0 1rem; padding: 0; border-bottom: 1px solid var(--line); }
.tabs a { display: block; padding: .5rem .75rem; min-height: 2.75rem; color: inherit; text-decoration: none; border-bottom: 3px solid transparent; }
.tabs a[aria-current] { border-bottom-color: var(--link); font-weight: 600; }
.find { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
.find label { margin: 0; flex: 1 1 12rem; max-width: 20rem; }
.sign-in { max-width: 24rem; }

.call { border: 1px solid var(--line); border-radius: 8px; padding: 1rem; margin: 1rem 0; overflow: hidden; }
.call .target { font-weight: 600; margin: .25rem 0; }
.mode { display: inline-block; border: 1px solid var(--muted); border-radius: 4px; padding: 0 .5rem; font-size: .875rem; margin: 0 0 .5rem; }
.production { border: 4px solid var(--production); }
.production .mode { display: block; border: 0; border-radius: 0; margin: -1rem -1rem 1rem; padding: .5rem 1rem; color: var(--on-strong); background: var(--production); border-bottom: .75rem solid var(--stripe);
  border-image: repeating-linear-gradient(-45deg, var(--stripe) 0 12px, var(--production) 12px 24px) 12; font-size: 1rem; }
.production .mode strong { display: block; font-size: 1.5rem; letter-spacing: .12em; }
.possibly { border-style: dashed; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .25rem .75rem; margin: .75rem 0; }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; }

/* Refusing is plain and at the start. Approving is filled, at the end, apart from it. */
.decision { display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; justify-content: space-between; border-top: 1px solid var(--line); padding-top: 1rem; }
.refuse { flex: 0 1 18rem; }
.refuse button { border-style: dashed; min-width: 8rem; }
.approve { flex: 0 1 26rem; text-align: right; }
.approve label { text-align: left; }
.approve button { border-color: transparent; color: var(--on-strong); background: var(--approve); min-width: 14rem; }
.production .approve button { background: var(--production); }
.gone { opacity: .75; border-style: dotted; }

table#records { border-collapse: collapse; width: 100%; font-size: .875rem; }
#records :is(th, td) { text-align: left; border-bottom: 1px solid var(--line); padding: .25rem .5rem .25rem 0; vertical-align: top; }
#records th, #records td:is([data-column=time], [data-column=tier], [data-column=confirmed], [data-column=outcome]) { white-space: nowrap; }
td .exact { display: block; }
td .client { white-space: normal; }

/* Views have styles of their own. */
.view .facts { display: block; margin: .25rem 0; }
.view input[type=checkbox] { width: auto; min-height: 0; }
.view label { margin: .25rem 0; }
.view header { margin-bottom: .25rem; }
.view caption { display: block; }

@media (max-width: 40rem) {
  .decision { display: block; }
  .refuse button, .approve button { width: 100%; }
  .approve { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: .5rem; }
  /* Each call is a block of lines, each with its column's name. */
  table#records, #records :is(tbody, tr, td) { display: block; }
  #records thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  #records tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  #records td { border: 0; padding: 0; }
  #records td:empty { display: none; }
  #records td::before { content: attr(data-column) ": "; color: var(--muted); }
}
`;
