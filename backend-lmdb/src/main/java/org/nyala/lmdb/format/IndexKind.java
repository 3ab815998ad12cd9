package org.nyala.lmdb.format;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of index, by the tests that they answer; each index key contains the code of its kind.
 *
 * <p>Code 4 is reserved for approximate matching, which equality answers as long as no attribute
 * has a rule of its own for it.
 */
public enum IndexKind {
  /** {@code (a=v)}: one key per value, normalised by the equality rule. */
  EQUALITY(1, "eq", false),
  /** {@code (a=*v*)}: one key per gram of the value, normalised by the substrings rule. */
  SUBSTRING(2, "sub", true),
  /** {@code (a=*)}: one key per attribute. */
  PRESENCE(3, "pres", false),
  /** {@code (a>=v)} and {@code (a<=v)}: one key per value, normalised by the ordering rule. */
  ORDERING(5, "ord", true),
  /** The entries directly below a parent; built in, not to be configured. */
  PARENT(6, "parent", false),
  /** The entries with a flag of {@code EntryRecord}; built in, not to be configured. */
  FLAG(7, "flag", false);

  private static final List<IndexKind> ALL = List.of(values());

  private final int code;
  private final String label;
  private final boolean isShared;

  IndexKind(int code, String label, boolean isShared) {
    this.code = code;
    this.label = label;
    this.isShared = isShared;
  }

  /** Returns the byte in the key. */
  public int code() {
    return code;
  }

  /** Returns the name in configuration files. */
  public String label() {
    return label;
  }

  /** Returns whether different values of an attribute may have keys of this kind in common. */
  public boolean isShared() {
    return isShared;
  }

  /** Returns the same of the kind with the given code in a key. */
  public static boolean isShared(int code) {
    for (IndexKind kind : ALL) {
      if (kind.code == code) {
        return kind.isShared;
      }
    }
    return false;
  }

  /** Returns whether administrators choose it per attribute. */
  public boolean isConfigurable() {
    return this != PARENT && this != FLAG;
  }

  /** Returns the kind of a label; null if there is none. */
  public static @Nullable IndexKind ofLabel(String label) {
    String wanted = label.toLowerCase(Locale.ROOT);
    for (IndexKind kind : ALL) {
      if (kind.isConfigurable() && kind.label.equals(wanted)) {
        return kind;
      }
    }
    return null;
  }
}
