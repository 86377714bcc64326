/** Maximum length of a text whose answer is remembered, in characters, and number of answers. */
const longest = 64;
const most = 1000;

/**
 * A function of a short text that remembers its answers: the same names occur again and again. Its memory is bounded.
 * @param compute depends on nothing but the text, and never gives undefined.
 */
export function remembered<Answer extends NonNullable<unknown> | null>(
  compute: (text: string) => Answer,
): (text: string) => Answer {
  const answers = new Map<string, Answer>();
  return (text) => {
    if (text.length > longest) return compute(text);
    const known = answers.get(text);
    if (known !== undefined) return known;
    const answer = compute(text);
    if (answers.size >= most) answers.clear();
    answers.set(text, answer);
    return answer;
  };
}
