package org.nyala.core.slapd;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

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

  /** Returns the logical lines of a text, empty ones among them; made one after the other. */
  static Iterable<LogicalLine> of(String text) {
    return () -> new Reader(text);
  }

  /** The lines of a text. Confined to one thread. */
  private static final class Reader implements Iterator<LogicalLine> {
    private final String text;
    private int at;
    private int number;

    Reader(String text) {
      this.text = text;
    }

    @Override
    public boolean hasNext() {
      return at <= text.length();
    }

    @Override
    public LogicalLine next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      int first = number + 1;
      List<String> lines = new ArrayList<>(1);
      StringBuilder joined = new StringBuilder();
      do {
        String line = line();
        lines.add(line);
        joined.append(line);
      } while (hasNext() && goesOn(joined));
      return new LogicalLine(first, lines, joined.toString());
    }

    private String line() {
      int found = text.indexOf('\n', at);
      int end = found < 0 ? text.length() : found;
      int plain = end > at && text.charAt(end - 1) == '\r' ? end - 1 : end;
      String line = text.substring(at, plain);
      at = end + 1;
      number++;
      return line;
    }

    /* Removes the backslash that joins the next line. */
    private boolean goesOn(StringBuilder joined) {
      if (joined.length() >= INCLUDE.length()
          && joined.substring(0, INCLUDE.length()).equalsIgnoreCase(INCLUDE)) {
        return false;
      }
      int last = joined.length() - 1;
      boolean isJoined =
          last >= 0
              && joined.charAt(last) == '\\'
              && (last == 0 || joined.charAt(last - 1) != '\\');
      if (isJoined) {
        joined.setLength(last);
        return true;
      }
      boolean isEmpty =
          text.startsWith("\r\n", at) || at == text.length() - 1 && text.endsWith("\r");
      return at < text.length() && isSpace(text.charAt(at)) && !isEmpty;
    }
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
