package org.nyala.blind;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The names in and about the directories. */
final class Names {
  static final String TOP = "dc=example,dc=com";
  static final String PEOPLE = "ou=people," + TOP;
  static final String GROUPS = "ou=groups," + TOP;
  static final String DESK = "ou=desk," + TOP;
  static final String LINKS = "ou=links," + TOP;
  static final String VAULT = "cn=vault," + TOP;
  static final String TRAY = "cn=tray," + DESK;

  /** An entry that a hidden group must have as a member. */
  static final String PINNED = "cn=pinned," + DESK;

  static final String ANN = "uid=ann," + PEOPLE;
  static final String BOB = "uid=bob," + PEOPLE;
  static final String BOSS = "uid=boss," + PEOPLE;

  /** Entries that clients never delete, and that each have an entry for fences below. */
  static final List<String> TOPS = List.of(TOP, PEOPLE, GROUPS, DESK);

  static final List<String> PERSONS =
      Stream.of("ann", "bob", "boss", "carl", "dora", "eve", "finn")
          .map(each -> "uid=" + each + "," + PEOPLE)
          .toList();

  static final List<String> GROUP_NAMES =
      Stream.of("admins", "staff", "all", "solo").map(each -> "cn=" + each + "," + GROUPS).toList();

  /** A group that is hidden at times. */
  static final String CREW = "cn=crew," + GROUPS;

  /** Entries that clients come and go with. */
  static final List<String> DESK_NAMES =
      IntStream.range(0, 8).mapToObj(i -> "cn=pen " + i + "," + DESK).toList();

  static final List<String> LINK_NAMES =
      Stream.of("to-carl", "to-vault", "to-deep", "to-nothing", "to-guest", "away")
          .map(each -> "cn=" + each + "," + LINKS)
          .toList();

  /** Names that hidden entries have in one of the directories, in both or in none. */
  static final List<String> HIDDEN =
      Stream.of(
              IntStream.range(0, 6).mapToObj(i -> "uid=guest " + i + "," + PEOPLE),
              IntStream.range(0, 3).mapToObj(i -> "cn=hidden " + i + "," + DESK),
              IntStream.range(0, 3).mapToObj(i -> "cn=hidden " + i + "," + LINKS),
              IntStream.range(0, 2).mapToObj(i -> "cn=hidden " + i + "," + GROUPS),
              Stream.of(VAULT, "cn=below," + TRAY, "ou=inner," + VAULT),
              Stream.of("cn=insiders," + VAULT, "cn=sub,ou=inner," + VAULT),
              IntStream.range(0, 8).mapToObj(i -> "cn=x " + i + "," + VAULT),
              IntStream.range(0, 4).mapToObj(i -> "cn=club " + i + "," + VAULT))
          .flatMap(each -> each)
          .toList();

  static final List<String> ABSENT =
      List.of(
          "uid=nobody," + PEOPLE,
          "cn=nothing,cn=nothing," + DESK,
          "cn=nothing,cn=x 1," + VAULT,
          "ou=none," + TOP,
          "dc=elsewhere");

  static final List<String> SPECIAL =
      List.of("", "cn=Subschema", "cn=Monitor", "cn=Connections,cn=Monitor", "cn=accesslog");

  /** Entries whose names matter: clients do not give them others. */
  static final List<String> NAMED =
      Stream.concat(TOPS.stream(), Stream.of(LINKS, TRAY, PINNED)).toList();

  private Names() {}

  /** Returns a name as this class has it, however {@link Lot#name} has written it. */
  static String canonical(String name) {
    return name.toLowerCase(Locale.ROOT).replace(" , ", ",");
  }

  static String fence(String base) {
    return "ou=fence," + base;
  }
}
