package org.nyala.core.slapd;

import java.util.ArrayList;
import java.util.List;

/** Takes a directive apart into words as slapd does: quotes group, a backslash takes the next. */
final class SlapdWords {
  private SlapdWords() {}

  /** Returns the words of a line, without quotes and backslashes. */
  static List<String> of(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean isQuoted = false;
    boolean isOpen = false;
    for (int at = 0; at < line.length(); at++) {
      char c = line.charAt(at);
      if (!isQuoted && isSpace(c)) {
        if (isOpen) {
          words.add(word.toString());
          word.setLength(0);
          isOpen = false;
        }
        continue;
      }
      isOpen = true;
      if (c == '"') {
        isQuoted = !isQuoted;
      } else if (c == '\\' && at + 1 < line.length()) {
        word.append(line.charAt(++at));
      } else {
        word.append(c);
      }
    }
    if (isOpen) {
      words.add(word.toString());
    }
    return words;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }
}
