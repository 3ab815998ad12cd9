package org.nyala.core.access.slapd;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A word of slapd with its parts: {@code key.style,modifier=value}.
 *
 * <p>Immutable.
 *
 * @param word the word as it is
 * @param key the key in lower case, with what follows a slash in it
 * @param style the style in lower case, {@code base} without one
 * @param level the number of a style {@code level{n}}; null without one
 * @param isExpanded whether the modifier is {@code expand}
 * @param value the value; null without an equals sign
 */
record WhoWord(
    String word,
    String key,
    String style,
    @Nullable Integer level,
    boolean isExpanded,
    @Nullable String value) {
  /** The style that is meant if none is there. */
  static final String BASE = "base";

  private static final Pattern LEVEL = Pattern.compile("level\\{([+-]?[0-9]{1,4})}.*");

  static WhoWord of(String word) {
    int equals = word.indexOf('=');
    String left = equals < 0 ? word : word.substring(0, equals);
    int dot = left.indexOf('.');
    String key = (dot < 0 ? left : left.substring(0, dot)).toLowerCase(Locale.ROOT);
    String styles = (dot < 0 ? "" : left.substring(dot + 1)).toLowerCase(Locale.ROOT);
    int comma = styles.indexOf(',');
    String style = comma < 0 ? styles : styles.substring(0, comma);
    String modifier = comma < 0 ? "" : styles.substring(comma + 1);
    Matcher level = LEVEL.matcher(style);
    boolean isLevel = level.matches();
    return new WhoWord(
        word,
        key,
        isLevel ? "level" : known(style),
        isLevel ? Integer.valueOf(level.group(1)) : null,
        modifier.equals("expand"),
        equals < 0 ? null : word.substring(equals + 1));
  }

  private static String known(String style) {
    return switch (style) {
      case "", "exact", "baseobject" -> BASE;
      case "onelevel" -> "one";
      case "sub" -> "subtree";
      default -> style;
    };
  }

  /** The part of the key before the first slash. */
  String name() {
    int slash = key.indexOf('/');
    return slash < 0 ? key : key.substring(0, slash);
  }

  /** The value, empty without one: slapd refuses both where it needs one. */
  String text() {
    return value == null ? "" : value;
  }
}
