/** A text of some format -> what its reader finds: the one form of the text, or the problem with it. */

/**
 * The one form of a text, or the problem with it. INVARIANT: the form is folded, and is its own form.
 *
 * `problem` never repeats the text. `mended` is the form that was meant; it may contain the text, so it is for the
 * authors of policies alone.
 */
export type FormatReading = { readonly value: string } | { readonly problem: string; readonly mended?: string };
