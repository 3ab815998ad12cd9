package org.nyala.importcheck;

import java.util.List;

/**
 * A kind of trouble with imported data, counted, with its first occurrences.
 *
 * <p>Immutable.
 *
 * @param kind the kind
 * @param subject the attribute, class or option that it is about; empty if it is about none
 * @param count the number of occurrences, at least 1
 * @param first the first occurrences, at most {@value #SHOWN}
 */
public record Finding(Kind kind, String subject, long count, List<String> first) {
  /** The most occurrences that are listed. */
  public static final int SHOWN = 3;

  /** The kinds of trouble. */
  public enum Kind {
    /** An attribute type that no schema file defines: entries were rejected. */
    UNDEFINED_ATTRIBUTE(
        "rejected entries use the attribute %s, which no schema file defines: add the file that"
            + " does to a folder of schema"),
    /** An object class that no schema file defines: entries were rejected. */
    UNDEFINED_CLASS(
        "rejected entries have the object class %s, which no schema file defines: add the file that"
            + " does to a folder of schema"),
    /** An attribute option that the configuration does not name: entries were rejected. */
    UNDEFINED_OPTION(
        "rejected entries use the attribute option %s, which attributeOptions does not name"),
    /** An equality index that an option of the configuration needs. */
    MISSING_INDEX("index missing: %s needs an equality index on an attribute"),
    /** Accounts that nobody can log in to. */
    LOCKED_ACCOUNT("accounts with %s cannot log in, or not until that lock is over"),
    /** Accounts that are locked at a time to come. */
    FUTURE_LOCK("accounts have a %s to come: they can log in until then"),
    /** Passwords that slapd could not check, and this server can. */
    NEW_SCHEME(
        "passwords in %s, which slapd did not check without its module, let their users in from now"
            + " on"),
    /** Entries that have a value of an entry before them, against {@code uniqueness}. */
    DUPLICATE_VALUE("entries have a value of %s that another entry has, against nyala.uniqueness"),
    /** Entries in which an extension has found a fault. */
    EXTENSION_FAULT("entries do not keep to the rules of the extension %s"),
    /** Values that name an entry within the naming contexts that does not exist. */
    DANGLING_REFERENCE("values of %s name no entry");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  public Finding {
    first = List.copyOf(first);
  }

  /** Returns one line: the count, the trouble, and the first occurrences. */
  public String line() {
    return count
        + " x "
        + kind.text.replace("%s", subject)
        + ": "
        + String.join("; ", first)
        + (count > first.size() ? "; ..." : "");
  }
}
