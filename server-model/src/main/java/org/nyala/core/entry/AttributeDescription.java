package org.nyala.core.entry;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeOptions;
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
  private static final String BINARY = "binary";
  private static final int SHOWN_CHARS = 64;
  private static final int LONG_CHARS = 128;

  /** The memory of an option beside its text. */
  private static final int OPTION_CHARS = 32;

  /** Syntaxes of ASN.1 values whose text form LDAP does not know (RFC 4523, section 2). */
  private static final Set<String> BINARY_SYNTAXES =
      Set.of(
          "1.3.6.1.4.1.1466.115.121.1.8",
          "1.3.6.1.4.1.1466.115.121.1.9",
          "1.3.6.1.4.1.1466.115.121.1.10",
          "1.3.6.1.4.1.1466.115.121.1.49");

  public AttributeDescription {
    options = List.copyOf(options);
  }

  /** Describes a type without options. */
  public static AttributeDescription of(AttributeType type) {
    return new AttributeDescription(type, List.of());
  }

  /** Parses a description; null if the type is not in the schema or an option is empty. */
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
   * Returns the first unknown option, {@code binary} if the type's values are never in binary form
   * (RFC 4522, section 4), or null.
   */
  public @Nullable String unknownOption(AttributeOptions known) {
    for (String option : options) {
      if (!known.isKnown(option) || option.equals(BINARY) && !isBinary()) {
        return option;
      }
    }
    return null;
  }

  /**
   * Returns the reason why no value is stored under this description, or null if values are: an
   * option that is unknown or stands for many, or {@code binary} if it does not belong or is
   * missing (RFC 4522, section 4). The rule is the same for add, modify and import.
   */
  public @Nullable String obstacle(AttributeOptions known) {
    boolean saysBinary = false;
    for (String option : options) {
      if (!known.isKnown(option) || AttributeOptions.isRange(option)) {
        return "'" + cut(name()) + "' has the unknown option '" + cut(option) + "'";
      }
      saysBinary |= option.equals(BINARY);
    }
    boolean wantsBinary = isBinary();
    return saysBinary == wantsBinary
        ? null
        : type + (wantsBinary ? " needs" : " does not take") + " the option binary";
  }

  private boolean isBinary() {
    return BINARY_SYNTAXES.contains(type.syntax().oid());
  }

  private static String cut(String text) {
    return text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "...";
  }

  /**
   * Returns whether values of this description are values of {@code other} too: same type or a
   * subtype, with at least its options. An option {@code lang-en-} of the other is a range, {@code
   * lang-} the range of all languages (RFC 3866, section 3.2), and other options with a hyphen at
   * the end likewise, as in slapd.
   */
  public boolean isSubtypeOf(AttributeDescription other) {
    if (!type.isOrDescendsFrom(other.type)) {
      return false;
    }
    for (int i = 0; i < other.options.size(); i++) {
      String wanted = other.options.get(i);
      int place = Collections.binarySearch(options, wanted);
      if (place < 0 && !(AttributeOptions.isRange(wanted) && hasOptionIn(wanted, -1 - place))) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether an option is in a range, which would be at the given place among them. */
  private boolean hasOptionIn(String range, int place) {
    return place < options.size() && options.get(place).startsWith(range)
        || Collections.binarySearch(options, range.substring(0, range.length() - 1)) >= 0;
  }

  /**
   * Returns whether the options take so much memory that a description of a client's request is not
   * to be remembered.
   */
  public boolean isLong() {
    int length = 0;
    for (int i = 0; i < options.size() && length <= LONG_CHARS; i++) {
      length += OPTION_CHARS + options.get(i).length();
    }
    return length > LONG_CHARS;
  }

  /**
   * Returns whether it has options that clients define, such as languages; {@code binary} is not
   * one.
   */
  public boolean hasFreeOptions() {
    return !options.isEmpty() && (options.size() > 1 || !options.getFirst().equals(BINARY));
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
