package org.nyala.core.access.rule;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.NaiveInterpreter.Question;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** A small directory, and questions about it that are answered as slapd's letters. */
final class RuleCases {
  private RuleCases() {}

  static final Schema SCHEMA = SchemaLoader.standard();

  static final String TOP = "dc=example,dc=com";
  static final String ANN = "uid=ann,ou=people,dc=example,dc=com";
  static final String BOB = "uid=bob,ou=people,dc=example,dc=com";
  static final String GROUP = "cn=g,ou=groups,dc=example,dc=com";
  static final String INNER = "cn=i,ou=groups,dc=example,dc=com";
  static final String UNIQUE = "cn=u,ou=groups,dc=example,dc=com";

  static final List<PlainEntry> ENTRIES =
      List.of(
          new PlainEntry(
              GROUP, Map.of("objectClass", List.of("groupOfNames"), "member", List.of(INNER))),
          new PlainEntry(
              INNER, Map.of("objectClass", List.of("groupOfNames"), "member", List.of(GROUP, ANN))),
          new PlainEntry(
              UNIQUE,
              Map.of(
                  "objectClass",
                  List.of("groupOfUniqueNames"),
                  "uniqueMember",
                  List.of(BOB),
                  "owner",
                  List.of("UID=Ann,OU=people,DC=example,DC=com"))),
          new PlainEntry(
              ANN, Map.of("objectClass", List.of("inetOrgPerson"), "mail", List.of("ann@x.org"))));

  static AccessRules rules(String text) {
    try {
      return RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA);
    } catch (InvalidRulesException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  static Client client(String name) {
    return name.isEmpty() ? Client.ANONYMOUS : Client.ANONYMOUS.bound(name);
  }

  static Question question(String entry, String attribute, String value) {
    PlainEntry known =
        ENTRIES.stream()
            .filter(each -> each.name().equals(entry))
            .findFirst()
            .orElse(new PlainEntry(entry, Map.of()));
    return new Question(known, attribute, value);
  }

  /** Rights as slapd's letters; {@code i} is increment, {@code p} proxy. */
  static String letters(Set<Right> rights) {
    StringBuilder letters = new StringBuilder();
    for (Right right : rights) {
      letters.append(letter(right));
    }
    return letters.toString();
  }

  static char letter(Right right) {
    return switch (right) {
      case DISCLOSE -> 'd';
      case AUTHENTICATE -> 'x';
      case COMPARE -> 'c';
      case SEARCH -> 's';
      case READ -> 'r';
      case ADD -> 'a';
      case REMOVE -> 'z';
      case INCREMENT -> 'i';
      case MANAGE -> 'm';
      case PROXY -> 'p';
    };
  }

  static String rights(String rules, Client client, Question question) {
    NaiveInterpreter interpreter =
        new NaiveInterpreter(rules(rules), new PlainDirectory(SCHEMA, ENTRIES));
    return letters(interpreter.answer(client, question).rights());
  }

  static String rights(String rules, String user, String entry, String attribute) {
    return rights(rules, client(user), question(entry, attribute, null));
  }
}
