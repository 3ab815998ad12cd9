package org.nyala.core.access.rule;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Token.Kind;
import org.nyala.core.rights.Limit;

/**
 * The zones and people that a file has declared so far.
 *
 * <p>Confined to one thread.
 */
final class Declarations {
  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,63}");

  /** Words that have a meaning where names of zones or people stand. */
  private static final Set<String> RESERVED =
      Set.of(
          "all",
          "also",
          "ancestor",
          "and",
          "anonymous",
          "attributes",
          "below",
          "break",
          "but",
          "by",
          "children",
          "class",
          "continue",
          "delegate",
          "descendant",
          "directly",
          "directory",
          "entry",
          "from",
          "group",
          "in",
          "ldapi",
          "limit",
          "listed",
          "may",
          "member",
          "minus",
          "names",
          "nested",
          "nothing",
          "only",
          "others",
          "over",
          "people",
          "plus",
          "self",
          "subtree",
          "to",
          "users",
          "value",
          "where",
          "zone");

  private final Map<String, Zone> zones = new LinkedHashMap<>();
  private final Map<String, People> people = new LinkedHashMap<>();

  /** Begins with the zones and people of another text. */
  void addAll(AccessRules declared) {
    declared.zones().forEach(this::add);
    declared.people().forEach(this::add);
  }

  /** Reads the name of a statement that declares one, and the equals sign after it. */
  String newName(TokenCursor cursor) throws InvalidRulesException {
    cursor.requireRoom(zones.size() + people.size(), RulesParser.MAXIMUM_NAMES, "zones and people");
    Token token = cursor.word("a name");
    String name = token.text();
    if (!NAME.matcher(name).matches() || RESERVED.contains(name) || isBound(name)) {
      throw TokenCursor.fault(
          token,
          "found "
              + token.shown()
              + ", expected a name of letters, digits, - and _ that is no word of the language");
    }
    if (zones.containsKey(name) || people.containsKey(name)) {
      throw TokenCursor.fault(token, "found '" + name + "', which is declared already");
    }
    cursor.expect(Kind.EQUALS, "'='");
    return name;
  }

  private static boolean isBound(String name) {
    for (Limit.Bound bound : Limit.Bound.values()) {
      if (bound.word().equals(name)) {
        return true;
      }
    }
    return false;
  }

  void add(Zone zone) {
    zones.put(zone.name(), zone);
  }

  void add(People each) {
    people.put(each.name(), each);
  }

  @Nullable People people(String name) {
    return people.get(name);
  }

  List<Zone> zones() {
    return List.copyOf(zones.values());
  }

  List<People> people() {
    return List.copyOf(people.values());
  }

  /** Reads the place that clients come from: a zone, a network or the local socket. */
  Origin origin(TokenCursor cursor) throws InvalidRulesException {
    String expected = "a zone, a network or 'ldapi'";
    Token token = cursor.word(expected);
    Zone zone = zones.get(token.text());
    if (zone != null) {
      return zone;
    }
    if (token.text().equals("ldapi")) {
      return Origin.LocalSocket.LDAPI;
    }
    try {
      return Network.parse(token.text());
    } catch (IllegalArgumentException e) {
      boolean isName = NAME.matcher(token.text()).matches();
      String reason =
          isName ? SimilarNames.hint(token.text(), zones.keySet()) : ": " + e.getMessage();
      throw TokenCursor.fault(token, "found " + token.shown() + ", expected " + expected + reason);
    }
  }
}
