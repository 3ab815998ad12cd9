package org.nyala.core.control;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;

/**
 * The user behind a client that acts for others, for the log only (draft-wahl-ldap-session, section
 * 2).
 *
 * <p>Immutable.
 *
 * @param sourceAddress the address of that user, at most 128 octets
 * @param sourceName the name of the application, at most 65,536 octets
 * @param formatOid the kind of identifier
 * @param identifier the user or session
 */
public record SessionTracking(
    String sourceAddress, String sourceName, String formatOid, String identifier) {
  private static final int ADDRESS_LENGTH_MAXIMUM = 128;
  private static final int NAME_LENGTH_MAXIMUM = BerReader.LONGEST_TEXT_BYTES;
  private static final int FORMAT_LENGTH_MAXIMUM = 1024;

  /** The ends of lines, and characters that change the direction of text. */
  private static final Set<Integer> UNPRINTABLE =
      Set.of(
          (int) Character.CONTROL,
          (int) Character.FORMAT,
          (int) Character.LINE_SEPARATOR,
          (int) Character.PARAGRAPH_SEPARATOR,
          (int) Character.UNASSIGNED);

  /** Characters of each part that the log shows: enough for addresses and the names of users. */
  private static final int SUMMARY_LENGTH_MAXIMUM = 128;

  /**
   * The control of a request; null if it has none, or one without a valid value: it is for the log
   * only, and the request is carried out without.
   */
  public static @Nullable SessionTracking of(RequestControls controls) {
    try {
      return controls.decode(ControlType.SESSION_TRACKING, SessionTracking::decode);
    } catch (LdapOperationException _) {
      return null;
    }
  }

  private static SessionTracking decode(BerReader value) throws InvalidBerException {
    BerReader in = value.sequence();
    SessionTracking tracking =
        new SessionTracking(
            text(in, ADDRESS_LENGTH_MAXIMUM),
            text(in, NAME_LENGTH_MAXIMUM),
            text(in, FORMAT_LENGTH_MAXIMUM),
            in.text());
    in.skipExtensions();
    return tracking;
  }

  /**
   * Returns all of it in one line of the log, truncated if it is long: text from a client cannot
   * start a line of its own there.
   */
  public String summary() {
    StringBuilder line = new StringBuilder();
    append(line, "address=", sourceAddress);
    append(line, " name=", sourceName);
    append(line, " format=", formatOid);
    append(line, " identifier=", identifier);
    return line.toString();
  }

  private static void append(StringBuilder line, String label, String text) {
    line.append(label).append('"');
    int end = Math.min(text.length(), SUMMARY_LENGTH_MAXIMUM);
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      line.append(c == '"' || UNPRINTABLE.contains(Character.getType(c)) ? '?' : c);
    }
    line.append(end < text.length() ? "…\"" : "\"");
  }

  private static String text(BerReader in, int lengthMaximum) throws InvalidBerException {
    String text = in.text();
    // Never more characters than octets; text longer than the draft allows is not logged.
    if (text.length() > lengthMaximum) {
      throw new InvalidBerException("text of more than " + lengthMaximum + " octets");
    }
    return text;
  }
}
