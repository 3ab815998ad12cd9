package org.nyala.core.rights;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A right to something: to an entry, its children, an attribute or a value. */
public enum Right {
  /** Learning that an entry exists, from the code of an error (slapd's {@code d}). */
  DISCLOSE,
  /** Proving a password against the attribute that holds it (slapd's {@code x}). */
  AUTHENTICATE,
  /** Asking if an attribute has a value that the client knows (slapd's {@code c}). */
  COMPARE,
  /** Finding entries by an attribute (slapd's {@code s}). */
  SEARCH,
  /** Seeing values and entries (slapd's {@code r}). */
  READ,
  /** Adding (slapd's {@code a}). */
  ADD,
  /** Removing (slapd's {@code z}). */
  REMOVE,
  /** Incrementing a number (RFC 4525), for which slapd wants {@code w}. */
  INCREMENT,
  /** Changing what users do not change otherwise (slapd's {@code m}). */
  MANAGE,
  /** Acting as somebody else (RFC 4370). */
  PROXY;

  /** The three rights that {@code write} is short for. */
  public static final Set<Right> WRITE =
      Collections.unmodifiableSet(EnumSet.of(ADD, REMOVE, INCREMENT));

  private final String word = name().toLowerCase(Locale.ROOT);

  /** The word of the language. */
  public String word() {
    return word;
  }

  /** Returns the right of a word; null for any other word, {@code write} among them. */
  public static @Nullable Right of(String word) {
    for (Right right : values()) {
      if (right.word.equals(word)) {
        return right;
      }
    }
    return null;
  }

  /**
   * Returns this right and those that come with it after {@code may} and {@code may also}: all that
   * it is useless without.
   */
  public Set<Right> withImplied() {
    return switch (this) {
      case DISCLOSE, AUTHENTICATE, COMPARE, ADD, REMOVE, INCREMENT, PROXY ->
          EnumSet.of(DISCLOSE, this);
      case SEARCH -> EnumSet.of(DISCLOSE, COMPARE, SEARCH);
      case READ -> EnumSet.of(DISCLOSE, COMPARE, SEARCH, READ);
      case MANAGE -> EnumSet.complementOf(EnumSet.of(PROXY));
    };
  }
}
