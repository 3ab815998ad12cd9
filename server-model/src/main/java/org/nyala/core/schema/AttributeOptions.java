package org.nyala.core.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The tagging options that attribute descriptions may have (RFC 4512, section 2.5.1), as {@code
 * attributeoptions} of slapd.conf(5) names them: {@code x-hidden} is one option, {@code lang-} with
 * a hyphen at its end stands for all that begin so. {@code binary} (RFC 4522) is no tag and always
 * known.
 *
 * <p>Immutable.
 */
public final class AttributeOptions {
  /** The options that are known by default: languages (RFC 3866). */
  public static final AttributeOptions DEFAULT = new AttributeOptions(List.of("lang-"));

  private static final String BINARY = "binary";

  private final List<String> names;

  private AttributeOptions(List<String> names) {
    this.names = List.copyOf(names);
  }

  /**
   * Returns the options of these names, in any case of letters.
   *
   * @throws IllegalArgumentException with the name that is not an option
   */
  public static AttributeOptions of(List<String> names) {
    List<String> lowerCase = new ArrayList<>(names.size());
    for (String name : names) {
      if (!name.matches("[A-Za-z0-9][A-Za-z0-9-]*") || name.equalsIgnoreCase(BINARY)) {
        throw new IllegalArgumentException(
            "'" + name + "' is no tagging option: expected letters, digits and hyphens");
      }
      lowerCase.add(name.toLowerCase(Locale.ROOT));
    }
    return new AttributeOptions(lowerCase);
  }

  /**
   * Returns whether there is such an option, or such a range of options ({@code lang-}, {@code
   * lang-en-}).
   *
   * @param option the option in lower case
   */
  public boolean isKnown(String option) {
    if (option.equals(BINARY)) {
      return true;
    }
    for (String name : names) {
      if (name.endsWith("-") ? option.startsWith(name) : option.equals(name)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether an option stands for all that begin with it (RFC 3866, section 2.2.1): requests
   * name them, values are never stored with one.
   */
  public static boolean isRange(String option) {
    return option.endsWith("-");
  }

  /** The names as they were given, in lower case. */
  public List<String> names() {
    return names;
  }

  @Override
  public String toString() {
    return names.toString();
  }
}
