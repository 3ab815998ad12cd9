package org.nyala.core.access.decide;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.schema.Schema;

/**
 * Makes random rules about relations of users to entries and values: captures, levels, the user's
 * own name, with every flow. Most of them fit some user and some entry of the tests.
 */
final class RelationRules {
  private static final String TOP = "dc=example,dc=com";

  /** Targets, and the captures that they have. */
  private static final Map<String, List<String>> TARGETS =
      Map.of(
          "uid={u},ou=people," + TOP, List.of("u"),
          "cn={c},uid={u},ou=people," + TOP, List.of("u", "c"),
          "cn={c},ou=groups," + TOP, List.of("c"),
          "ou={o}," + TOP, List.of("o"));

  private static final List<String> SCOPES = List.of("entry", "subtree", "below", "directly below");

  private static final List<String> RELATIONS =
      List.of(
          "self",
          "ancestor 1",
          "ancestor 2",
          "descendant 1",
          "descendant 3",
          "descendant 4",
          "listed in owner",
          "listed in member",
          "users",
          "users",
          "all");

  /** Conditions with a capture, whose name takes the place of the question mark. */
  private static final List<String> CAPTURED =
      List.of(
          "entry \"uid={?},ou=people," + TOP + "\"",
          "subtree \"uid={?},ou=people," + TOP + "\"",
          "directly below \"ou={?}," + TOP + "\"",
          "below \"ou={?}," + TOP + "\"",
          "entry \"cn=book,uid={?},ou=people," + TOP + "\"",
          "directly below \"uid={?},ou=people," + TOP + "\"",
          "group \"cn={?},ou=groups," + TOP + "\"",
          "group \"cn={?},ou=groups," + TOP + "\" nested");

  private static final List<String> GRANTS =
      List.of(
          "may read",
          "may only search",
          "may also compare",
          "plus add",
          "minus search",
          "may write value self",
          "may search, read value self",
          "plus manage value self",
          "minus read value self",
          "may nothing");

  private static final List<String> FLOWS =
      List.of("", "", " and continue", " and continue", " and break");

  private static final List<String> ATTRIBUTES =
      List.of(
          "",
          "",
          " attributes member, owner, uniqueMember",
          " attributes all but entry, cn",
          " attributes member value \"uid=ann,ou=people,dc=example,dc=com\"",
          " attributes owner value subtree \"ou=people,dc=example,dc=com\"");

  private static final List<String> VALUES =
      List.of(
          "",
          " value \"uid=ann,ou=people,dc=example,dc=com\"",
          " value below \"ou=people,dc=example,dc=com\"");

  private static final List<String> PASSING =
      List.of("", " and continue", " and break", " and break", " and break");

  private final Schema schema;
  private final Random random;

  RelationRules(Schema schema, long seed) {
    this.schema = schema;
    this.random = new Random(seed);
  }

  /** Returns the next rules. */
  AccessRules next() {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(4); i >= 0; i--) {
      addRule(text);
    }
    return parsed(text.toString());
  }

  /** Returns the next rules about values of one attribute, which mostly pass questions on. */
  AccessRules nextFlows() {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(5); i >= 0; i--) {
      text.append("to attributes member").append(one(VALUES)).append('\n');
      for (int k = random.nextInt(3); k >= 0; k--) {
        text.append("  users ").append(one(GRANTS)).append(one(PASSING)).append('\n');
      }
    }
    return parsed(text.toString());
  }

  private void addRule(StringBuilder text) {
    String target = one(List.copyOf(TARGETS.keySet()).stream().sorted().toList());
    boolean isEverywhere = random.nextInt(4) == 0;
    text.append("to ");
    if (isEverywhere) {
      text.append("all");
    } else {
      String scope = one(SCOPES);
      text.append(scope.equals("entry") ? "names" : scope).append(" \"").append(target).append('"');
    }
    text.append(one(ATTRIBUTES)).append('\n');
    for (int i = random.nextInt(5); i >= 0; i--) {
      text.append("  ").append(isEverywhere ? one(RELATIONS) : who(target)).append(' ');
      text.append(one(GRANTS)).append(one(FLOWS)).append('\n');
    }
  }

  private String who(String target) {
    return random.nextBoolean()
        ? one(RELATIONS)
        : one(CAPTURED).replace("?", one(TARGETS.get(target)));
  }

  private String one(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }

  private AccessRules parsed(String text) {
    try {
      return RulesParser.parse("relations", text.getBytes(UTF_8), schema);
    } catch (InvalidRulesException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
