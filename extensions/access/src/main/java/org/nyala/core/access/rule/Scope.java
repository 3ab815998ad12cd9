package org.nyala.core.access.rule;

/** The entries that a name selects; the words are the language's. */
public enum Scope {
  /** The entry of this name (slapd's {@code base} and {@code exact}). */
  ENTRY("entry"),
  /** That entry and all below it (slapd's {@code subtree}). */
  SUBTREE("subtree"),
  /** All entries below it, at any distance, without itself (slapd's {@code children}). */
  BELOW("below"),
  /** The entries of the next level below it (slapd's {@code onelevel}). */
  DIRECTLY_BELOW("directly below");

  private final String words;

  Scope(String words) {
    this.words = words;
  }

  /** The words of the language. */
  public String words() {
    return words;
  }

  /**
   * Returns the number of levels above an entry at which its ancestor has to be the named one, or
   * -1 if the entry is not in scope by its depth alone.
   *
   * @param depth the number of RDNs of the entry's name
   * @param nameDepth the number of RDNs of the name that selects
   */
  public int levelsUp(int depth, int nameDepth) {
    int levels = depth - nameDepth;
    boolean fits =
        switch (this) {
          case ENTRY -> levels == 0;
          case SUBTREE -> levels >= 0;
          case BELOW -> levels > 0;
          case DIRECTLY_BELOW -> levels == 1;
        };
    return fits ? levels : -1;
  }
}
