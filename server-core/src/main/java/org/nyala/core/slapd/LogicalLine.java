package org.nyala.core.slapd;

import java.util.ArrayList;
import java.util.List;

/**
 * A line of slapd.conf with the lines that continue it: those that begin with a space, and the one
 * after a backslash at its end. A comment is continued in the same way.
 *
 * <p>Immutable.
 *
 * @param number the number of the first line, from 1
 * @param lines the lines as they are
 * @param text the lines joined
 */
record LogicalLine(int number, List<String> lines, String text) {
  private static final String INCLUDE = "include";

  /** Returns the logical lines of a text; empty ones among them. */
  static List<LogicalLine> of(String text) {
    List<LogicalLine> logical = new ArrayList<>();
    String[] all = text.split("\n", -1);
    int at = 0;
    while (at < all.length) {
      int first = at;
      List<String> lines = new ArrayList<>();
      StringBuilder joined = new StringBuilder();
      do {
        String line = all[at++];
        String plain = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
        lines.add(plain);
        joined.append(plain);
      } while (at < all.length && goesOn(joined, all[at]));
      logical.add(new LogicalLine(first + 1, lines, joined.toString()));
    }
    return logical;
  }

  /* Removes the backslash that joins the next line. */
  private static boolean goesOn(StringBuilder joined, String next) {
    if (joined.length() >= INCLUDE.length()
        && joined.substring(0, INCLUDE.length()).equalsIgnoreCase(INCLUDE)) {
      return false;
    }
    int last = joined.length() - 1;
    boolean isJoined =
        last >= 0 && joined.charAt(last) == '\\' && (last == 0 || joined.charAt(last - 1) != '\\');
    if (isJoined) {
      joined.setLength(last);
      return true;
    }
    return !next.isEmpty() && isSpace(next.charAt(0)) && !next.equals("\r");
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\f' || c == '\u000b' || c == '\r';
  }

  boolean isComment() {
    return text.startsWith("#");
  }

  boolean isBlank() {
    return text.isBlank();
  }
}
