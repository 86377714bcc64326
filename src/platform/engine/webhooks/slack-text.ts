/** A text that Slack shows as it is: in angle brackets it takes links under other words, and mentions of everybody. */
export const slackText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
