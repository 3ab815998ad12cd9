package org.nyala.lmdb.ldif;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The imported passwords that no login can match, counted by their schemes.
 *
 * <p>Confined to one running operation.
 */
final class UnusablePasswords {
  private static final int SCHEMES_MAXIMUM = 16;
  private static final int NAMES_MAXIMUM = 3;
  private static final String OTHERS = "other schemes";

  /** Characters that a terminal may take for commands. */
  private static final Pattern UNPRINTABLE = Pattern.compile("\\p{C}");

  private final Map<String, Passwords> schemes = new TreeMap<>();

  /** The passwords of one scheme. Confined to one running operation. */
  private static final class Passwords {
    private long count;
    private final List<String> names = new ArrayList<>(NAMES_MAXIMUM);

    void add(String written) {
      count++;
      String name = UNPRINTABLE.matcher(written).replaceAll("?");
      if (names.size() < NAMES_MAXIMUM && !names.contains(name)) {
        names.add(name);
      }
    }

    String line(String scheme) {
      return count
          + (count == 1 ? " password" : " passwords")
          + " cannot be used, as no login can check "
          + scheme
          + "; the first, of "
          + String.join("; ", names);
    }
  }

  /** Counts a password of an entry. */
  void add(String scheme, String name) {
    boolean hasRoom = schemes.size() < SCHEMES_MAXIMUM || schemes.containsKey(scheme);
    schemes.computeIfAbsent(hasRoom ? scheme : OTHERS, _ -> new Passwords()).add(name);
  }

  /** Returns a line for each scheme. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    schemes.forEach((scheme, passwords) -> lines.add(passwords.line(scheme)));
    return lines;
  }
}
