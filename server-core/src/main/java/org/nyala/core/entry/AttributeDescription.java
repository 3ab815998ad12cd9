package org.nyala.core.entry;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * An attribute type with tagging options, {@code cn;lang-en} (RFC 4512, section 2.5).
 *
 * <p>Immutable.
 *
 * @param type the attribute type
 * @param options the options in lower case, sorted, without repeats
 */
public record AttributeDescription(AttributeType type, List<String> options) {
  private static final String LANGUAGE = "lang-";

  /** Copies the options. */
  public AttributeDescription {
    options = List.copyOf(options);
  }

  /** Describes a type without options. */
  public static AttributeDescription of(AttributeType type) {
    return new AttributeDescription(type, List.of());
  }

  /** Parses a description; null when the type is not in the schema or an option is empty. */
  public static @Nullable AttributeDescription parse(Schema schema, String text) {
    int semicolon = text.indexOf(';');
    AttributeType type = schema.attributeType(semicolon < 0 ? text : text.substring(0, semicolon));
    if (type == null) {
      return null;
    }
    if (semicolon < 0) {
      return of(type);
    }
    TreeSet<String> options = new TreeSet<>();
    for (String option : text.substring(semicolon + 1).split(";", -1)) {
      if (!isOption(option)) {
        return null;
      }
      options.add(option.toLowerCase(Locale.ROOT));
    }
    return new AttributeDescription(type, new ArrayList<>(options));
  }

  private static boolean isOption(String option) {
    for (int i = 0; i < option.length(); i++) {
      char c = option.charAt(i);
      boolean keyChar =
          c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!keyChar) {
        return false;
      }
    }
    return !option.isEmpty();
  }

  /**
   * Whether values of this description are values of {@code other} too: same type or a subtype,
   * with at least its options. An option {@code lang-en-} of the other is a range, {@code lang-}
   * the range of all languages (RFC 3866, section 3.2).
   */
  public boolean isSubtypeOf(AttributeDescription other) {
    if (!type.isOrDescendsFrom(other.type)) {
      return false;
    }
    for (String wanted : other.options) {
      if (!options.contains(wanted) && !(isRange(wanted) && hasOptionIn(wanted))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isRange(String option) {
    return option.startsWith(LANGUAGE) && option.endsWith("-");
  }

  private boolean hasOptionIn(String range) {
    String whole = range.substring(0, range.length() - 1);
    for (String option : options) {
      if (option.startsWith(range) || option.equals(whole)) {
        return true;
      }
    }
    return false;
  }

  /** Whether it has options that clients make up, such as languages: {@code binary} is none. */
  public boolean hasFreeOptions() {
    return !options.isEmpty() && (options.size() > 1 || !options.getFirst().equals("binary"));
  }

  /** The description as it is stored and sent: the type's preferred name and the options. */
  public String name() {
    return options.isEmpty() ? type.name() : type.name() + ';' + String.join(";", options);
  }

  /** {@link #name()} in UTF-8. */
  public byte[] nameBytes() {
    return name().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return name();
  }
}
