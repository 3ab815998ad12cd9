package org.nyala.core.access.slapd;

import java.util.List;

/**
 * The words of a directive, read one after the other.
 *
 * <p>Confined to one thread.
 */
final class WordCursor {
  private final List<String> words;
  private int at;

  WordCursor(List<String> words) {
    this.words = words;
  }

  boolean hasNext() {
    return at < words.size();
  }

  /** Returns the next word without going on; empty at the end. */
  String peek() {
    return hasNext() ? words.get(at) : "";
  }

  String next() {
    String word = peek();
    at++;
    return word;
  }

  /** Returns whether the next word is this one in any case. */
  boolean isAt(String word) {
    return hasNext() && peek().equalsIgnoreCase(word);
  }

  /** Skips the next word if it is this one, and returns whether it was. */
  boolean accept(String word) {
    boolean isThere = isAt(word);
    at += isThere ? 1 : 0;
    return isThere;
  }

  /** The number of words read so far. */
  int position() {
    return at;
  }

  /** Returns the words from a position on to the present one, as messages show them. */
  String since(int position) {
    return String.join(" ", words.subList(position, Math.min(at, words.size())));
  }
}
