package org.nyala.core.access.slapd;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.rights.Right;

/** The levels and privileges of slapd, as rights. */
final class AccessWords {
  /** The rights that {@code manage} stands for: slapd has no right to act as others. */
  private static final Set<Right> ALL = EnumSet.complementOf(EnumSet.of(Right.PROXY));

  private AccessWords() {}

  /** Returns what a level ({@code read}) or privileges ({@code =rsc}, {@code +w}) mean, or null. */
  static @Nullable Grant grant(String word) {
    Mode mode =
        switch (word.isEmpty() ? '0' : word.charAt(0)) {
          case '=' -> Mode.SET;
          case '+' -> Mode.ADD;
          case '-' -> Mode.REMOVE;
          default -> null;
        };
    if (mode != null) {
      return privileges(mode, word);
    }
    Set<Right> level = level(word.toLowerCase(Locale.ROOT));
    return level == null ? null : new Grant(Mode.SET, level);
  }

  private static @Nullable Set<Right> level(String word) {
    EnumSet<Right> upTo = EnumSet.noneOf(Right.class);
    return switch (word) {
      case "none" -> upTo;
      case "disclose" -> EnumSet.of(Right.DISCLOSE);
      case "auth" -> EnumSet.range(Right.DISCLOSE, Right.AUTHENTICATE);
      case "compare" -> EnumSet.range(Right.DISCLOSE, Right.COMPARE);
      case "search" -> EnumSet.range(Right.DISCLOSE, Right.SEARCH);
      case "read" -> EnumSet.range(Right.DISCLOSE, Right.READ);
      case "add" -> EnumSet.range(Right.DISCLOSE, Right.ADD);
      case "delete" -> {
        upTo.addAll(EnumSet.range(Right.DISCLOSE, Right.READ));
        upTo.add(Right.REMOVE);
        yield upTo;
      }
      case "write" -> EnumSet.range(Right.DISCLOSE, Right.INCREMENT);
      case "manage" -> ALL;
      default -> null;
    };
  }

  /* Grants the rights of slapd's letters; who may both add and remove may increment. */
  private static @Nullable Grant privileges(Mode mode, String word) {
    EnumSet<Right> rights = EnumSet.noneOf(Right.class);
    for (int i = 1; i < word.length(); i++) {
      switch (Character.toLowerCase(word.charAt(i))) {
        case '0' -> rights.addAll(Set.of());
        case 'd' -> rights.add(Right.DISCLOSE);
        case 'x' -> rights.add(Right.AUTHENTICATE);
        case 'c' -> rights.add(Right.COMPARE);
        case 's' -> rights.add(Right.SEARCH);
        case 'r' -> rights.add(Right.READ);
        case 'a' -> rights.add(Right.ADD);
        case 'z' -> rights.add(Right.REMOVE);
        case 'w' -> rights.addAll(Right.WRITE);
        case 'm' -> rights.add(Right.MANAGE);
        default -> {
          return null;
        }
      }
    }
    boolean hasBoth = rights.contains(Right.ADD) && rights.contains(Right.REMOVE);
    boolean hasEither = rights.contains(Right.ADD) || rights.contains(Right.REMOVE);
    if (mode == Mode.REMOVE && hasEither) {
      // slapd has one bit that both have: -a takes the right to remove, too, and -z that to add.
      rights.addAll(Right.WRITE);
    } else if (hasBoth) {
      rights.add(Right.INCREMENT);
    }
    return new Grant(mode, rights);
  }
}
