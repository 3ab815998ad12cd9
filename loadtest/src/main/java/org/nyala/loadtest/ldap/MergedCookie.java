package org.nyala.loadtest.ldap;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Merges cookies of OpenLDAP's form, {@code rid=001,csn=CSN;CSN}: the cookie of a change has the
 * number of that change alone, and a copy has the last ones of the other servers as well.
 * Stateless.
 */
final class MergedCookie {
  private static final Pattern NUMBERS = Pattern.compile("(?<=^|,)csn=([^,]+)");
  private static final int SERVER_PART = 2;

  private MergedCookie() {}

  /**
   * Merges the numbers of two cookies, the last one of each server.
   *
   * @param refreshed the cookie of a refresh; empty for none
   * @param later the last cookie after it; empty for none
   * @return the later one if they have another form
   */
  static String of(String refreshed, String later) {
    Matcher ofLater = NUMBERS.matcher(later);
    Matcher ofRefreshed = NUMBERS.matcher(refreshed);
    if (!ofLater.find() || !ofRefreshed.find()) {
      return later.isEmpty() ? refreshed : later;
    }
    SortedMap<String, String> last = new TreeMap<>();
    for (String numbers : List.of(ofRefreshed.group(1), ofLater.group(1))) {
      for (String number : numbers.split(";", -1)) {
        // Texts sort as the numbers do.
        last.merge(server(number), number, (one, other) -> one.compareTo(other) < 0 ? other : one);
      }
    }
    return later.substring(0, ofLater.start(1)) + String.join(";", last.values());
  }

  private static String server(String number) {
    String[] parts = number.split("#", -1);
    return parts.length > SERVER_PART ? parts[SERVER_PART] : "";
  }
}
