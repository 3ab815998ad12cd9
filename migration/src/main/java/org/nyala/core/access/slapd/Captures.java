package org.nyala.core.access.slapd;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an entry's name that a target of slapd keeps, as patterns write them: captures in
 * braces, or names.
 *
 * <p>Immutable.
 *
 * @param isWholeName whether {@code $0} is the name of the entry
 * @param groups the parts from {@code $1} on; empty for one that cannot be written
 * @param afterStart what stands between {@code $1} and the RDNs that a pattern writes, where {@code
 *     $1} is all that is before these; null where it is something else
 */
record Captures(boolean isWholeName, List<String> groups, @Nullable String afterStart) {
  /** The captures of a target of which nothing is known. */
  static final Captures UNKNOWN = new Captures(false, List.of(), null);

  /** The captures of a target that keeps the whole name alone. */
  static final Captures WHOLE = new Captures(true, List.of(), null);

  /** The first of the characters that stand for a part: no name has them. */
  static final char FIRST_MARK = '\ue000';

  /** The last of them. */
  static final char LAST_MARK = '\ue0ff';

  Captures {
    groups = List.copyOf(groups);
  }

  /** Returns whether a text has characters that stand for parts. */
  static boolean hasMarks(String text) {
    return text.chars().anyMatch(c -> c >= FIRST_MARK && c <= LAST_MARK);
  }

  /** Returns what a mark stands for; empty if that cannot be written. */
  String marked(char mark) {
    int group = mark - FIRST_MARK;
    return group >= 1 && group <= groups.size() ? groups.get(group - 1) : "";
  }

  /**
   * Returns what follows a reference to all that is before the RDNs of the target, as in {@code
   * $1,ou=people}; null if the text does not begin with such a reference.
   */
  @Nullable String afterStart(String text) {
    String start = "$1" + afterStart;
    return afterStart != null && text.startsWith(start) ? text.substring(start.length()) : null;
  }

  /** Returns a name with all its references replaced, or null if one cannot be written. */
  @Nullable String expanded(String text) {
    String marks = marks(text);
    if (marks == null) {
      return null;
    }
    StringBuilder expanded = new StringBuilder();
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < marks.length(); i++) {
      char c = marks.charAt(i);
      if (c < FIRST_MARK || c > LAST_MARK) {
        plain.append(c);
        continue;
      }
      if (marked(c).isEmpty()) {
        return null;
      }
      expanded.append(Wording.withoutCaptures(plain.toString())).append(marked(c));
      plain.setLength(0);
    }
    return expanded.append(Wording.withoutCaptures(plain.toString())).toString();
  }

  /**
   * Returns a text with a mark for each {@code $1}, <code>${1}</code> and <code>${d1}</code>, and a
   * dollar sign for {@code $$}; null if there is another reference.
   */
  static @Nullable String marks(String text) {
    if (hasMarks(text)) {
      return null;
    }
    StringBuilder marked = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c != '$' || at == text.length()) {
        marked.append(c);
        continue;
      }
      int end = endOfReference(text, at);
      if (end < 0) {
        return null;
      }
      String reference = text.substring(at, end);
      marked.append(reference.equals("$") ? '$' : mark(reference));
      at = end;
    }
    return marked.toString();
  }

  private static int endOfReference(String text, int at) {
    char c = text.charAt(at);
    if (c == '$' || c >= '0' && c <= '9') {
      return at + 1;
    }
    int close = text.indexOf('}', at);
    boolean isReference = close > 0 && text.substring(at, close + 1).matches("\\{d?[0-9]{1,2}}");
    return isReference ? close + 1 : -1;
  }

  private static char mark(String reference) {
    return (char) (FIRST_MARK + Integer.parseInt(reference.replaceAll("[^0-9]", "")));
  }
}
