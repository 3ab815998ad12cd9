package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.NaiveInterpreter.Question;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;

/**
 * Makes random rules of slapd about a small tree, clients and questions: the same seed makes the
 * same ones.
 */
final class RandomSlapdRules {
  static final String SUFFIX = "dc=example,dc=com";
  private static final String PEOPLE = "ou=people," + SUFFIX;
  private static final String GROUPS = "ou=groups," + SUFFIX;
  private static final String ANN = "uid=ann," + PEOPLE;
  private static final String BOB = "uid=bob," + PEOPLE;
  private static final String BOOK = "cn=book," + ANN;

  /** A user whose RDN has several values, for whom an expression may fit where no place does. */
  static final String SEVERAL = "cn=eve+uid=eve," + PEOPLE;

  private static final String ADMINS = "cn=admins," + GROUPS;
  private static final String STAFF = "cn=staff," + GROUPS;
  private static final String OF_ANN = "cn=ann," + GROUPS;

  static final List<PlainEntry> ENTRIES =
      List.of(
          entry(
              SUFFIX,
              "objectClass",
              "dcObject",
              "objectClass",
              "organization",
              "o",
              "x",
              "dc",
              "example"),
          entry(PEOPLE, "objectClass", "organizationalUnit", "ou", "people"),
          entry(GROUPS, "objectClass", "organizationalUnit", "ou", "groups"),
          entry(
              ANN,
              "objectClass",
              "inetOrgPerson",
              "uid",
              "ann",
              "cn",
              "ann",
              "sn",
              "x",
              "mail",
              "ann@example.com",
              "userPassword",
              "secret"),
          entry(
              BOB,
              "objectClass",
              "inetOrgPerson",
              "uid",
              "bob",
              "cn",
              "bob",
              "sn",
              "y",
              "manager",
              ANN),
          entry(BOOK, "objectClass", "groupOfNames", "cn", "book", "member", BOB, "owner", ANN),
          entry(
              ADMINS,
              "objectClass",
              "groupOfNames",
              "cn",
              "admins",
              "member",
              ANN,
              "member",
              STAFF,
              "member",
              BOOK),
          entry(OF_ANN, "objectClass", "groupOfNames", "cn", "ann", "member", BOB, "owner", BOB),
          entry(STAFF, "objectClass", "groupOfUniqueNames", "cn", "staff", "uniqueMember", BOB));

  private static final List<String> NAMES =
      List.of(SUFFIX, PEOPLE, GROUPS, ANN, BOB, BOOK, ADMINS, "dc=com", "cn=nobody," + SUFFIX);

  private static final List<String> LEVELS =
      List.of(
          "none",
          "disclose",
          "auth",
          "compare",
          "search",
          "read",
          "write",
          "add",
          "delete",
          "manage",
          "=rs",
          "=w",
          "=0",
          "=xd",
          "+r",
          "+w",
          "+az",
          "+sc",
          "-r",
          "-w",
          "-a",
          "-x",
          "+0",
          "=mrscxd",
          "selfwrite",
          "selfread",
          "self+w",
          "realselfwrite",
          "");

  private static final List<String> PATTERNS =
      List.of(
          "^(.+,)?uid=([^,]+)," + PEOPLE + "$",
          "^(.*,)?uid=([^,]+), " + PEOPLE + "$",
          "^cn=([^,]+)," + GROUPS + "$",
          "^uid=([^,]+),ou=People," + SUFFIX + "$",
          "^([^,]+), " + PEOPLE + "$",
          "^(.+)," + PEOPLE + "$",
          "^(.+,)uid=[^,]+," + PEOPLE + "$",
          "^cn=[^,]+,(uid=([^,]+)," + PEOPLE + ")$");

  /** Patterns with a value that may have commas, and then means entries further below. */
  private static final List<String> WHOLE_VALUES =
      List.of(
          "^uid=(.+)," + PEOPLE + "$",
          "^cn=(.*)," + PEOPLE + "$",
          "^cn=(.+), " + GROUPS + "$",
          "^uid=(.+)," + SUFFIX + "$");

  private static final List<String> PLAIN_PATTERNS =
      List.of(
          "^[^,]+," + PEOPLE + "$",
          ".+," + PEOPLE + "$",
          "^" + ANN + "$",
          SUFFIX + "$",
          ".*",
          "^([^,]+),(" + PEOPLE + ")$");

  private static final List<String> ODD_PATTERNS =
      List.of("uid=ann", "^uid=.+$", "^cn=a[a-z]*,.*", "^cn=.+," + SUFFIX + "$");

  private static final List<String> FILTERS =
      List.of(
          "(objectClass=inetOrgPerson)",
          "(!(mail=*))",
          "(owner=" + ANN + ")",
          "(|(cn=a*)(sn>=y))",
          "objectClass=groupOfNames");

  private static final List<String> ATTRIBUTES =
      List.of(
          "cn",
          "sn,mail",
          "entry",
          "children",
          "entry,children,uid",
          "@person",
          "!person",
          "person",
          "userPassword",
          "member",
          "name",
          "objectClass",
          "@extensibleObject",
          "cn,@groupOfNames",
          "owner,member,uniqueMember",
          "!inetOrgPerson,cn");

  private static final List<String> VALUES =
      List.of(
          "attrs=member val=\"" + ANN + "\"",
          "attrs=member val.subtree=\"" + PEOPLE + "\"",
          "attrs=member val.children=\"" + ANN + "\"",
          "attrs=cn val.exact=\"ann\"",
          "attrs=owner val.onelevel=\"" + PEOPLE + "\"",
          "attrs=cn val/caseIgnoreMatch=\"Ann\"",
          "attrs=cn val.regex=\"^ann$\"",
          "attrs=cn val.regex=\"^aNN$\"");

  private static final List<String> CONDITIONS =
      List.of(
          "dnattr=owner",
          "dnattr=member",
          "dnattr=manager",
          "group=\"" + ADMINS + "\"",
          "group/groupOfUniqueNames/uniqueMember=\"" + STAFF + "\"",
          "group.exact=\"" + BOOK + "\"",
          "peername.ip=192.0.2.0%255.255.255.0",
          "peername.ip=192.0.2.7",
          "peername.ip=192.0.2.7%255.255.255.0",
          "peername.ipv6=2001:db8::%ffff:ffff::",
          "peername.path=/run/ldapi",
          "peername.regex=\"^IP=192\\\\.0\\\\.2\\\\..*$$\"",
          "ssf=64",
          "tls_ssf=128",
          "sasl_ssf=56",
          "transport_ssf=71",
          "set=\"[" + ADMINS + "]/member & user\"",
          "set=\"this/owner & user\"",
          "set=\"user & [" + ADMINS + "]/member*\"",
          "set=\"this & user\"");

  private static final List<String> ODD_CONDITIONS =
      List.of(
          "domain.subtree=example.com",
          "peername.ip=192.0.2.7%255.0.255.255",
          "peername.ip=192.0.2.7{5555}",
          "set=\"user/cn & this/cn\"",
          "sockurl.regex=\".*\"",
          "realusers",
          "realdn.exact=\"" + ANN + "\"",
          "peername.regex=\"2\\\\.7\"");

  private final Random random;
  private final boolean isOdd;

  /**
   * Starts a series of rules.
   *
   * @param isOdd whether there are parts that cannot be said
   */
  RandomSlapdRules(long seed, boolean isOdd) {
    this.random = new Random(seed);
    this.isOdd = isOdd;
  }

  private static PlainEntry entry(String name, String... attributesAndValues) {
    TreeMap<String, List<String>> attributes = new TreeMap<>();
    for (int i = 0; i < attributesAndValues.length; i += 2) {
      attributes
          .computeIfAbsent(attributesAndValues[i], _ -> new ArrayList<>())
          .add(attributesAndValues[i + 1]);
    }
    return new PlainEntry(name, attributes);
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean isOddNow() {
    return isOdd && random.nextInt(4) == 0;
  }

  /** Returns up to a number of rules. */
  String rules(int most) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      text.append(random.nextInt(4) == 0 ? "# What follows is random.\n" : "").append(rule());
    }
    // Words that cannot be said matter most before a rule that gives much.
    boolean isOpen = isOdd && random.nextBoolean();
    return text + (isOpen ? "access to * by * " + one(List.of("write", "read", "+r")) + '\n' : "");
  }

  private String rule() {
    String pattern = random.nextInt(4) == 0 ? one(isOddNow() ? WHOLE_VALUES : PATTERNS) : "";
    StringBuilder text = new StringBuilder("access to ");
    if (pattern.isEmpty()) {
      text.append(place());
    } else {
      text.append("dn.regex=\"").append(pattern).append('"');
    }
    if (random.nextInt(5) == 0) {
      text.append(" filter=\"").append(isOddNow() ? "(cn~=ann)" : one(FILTERS)).append('"');
    }
    switch (random.nextInt(4)) {
      case 0, 1 -> text.append(" attrs=").append(one(ATTRIBUTES));
      case 2 ->
          text.append(' ').append(isOddNow() ? "attrs=member val.regex=\"ann\"" : one(VALUES));
      default -> {
        // All attributes.
      }
    }
    String whole =
        text.indexOf("dn.subtree") >= 0 ? "dn.subtree,expand=\"$1\"" : "dn.base,expand=\"$0\"";
    // slapd 2.5 dies if values have a pattern: such a name is empty then, as that of anonymous.
    String expanded = text.indexOf("val.regex") >= 0 ? "users" : whole;
    for (int i = random.nextInt(4); i >= 0; i--) {
      text.append("\n  by ").append(who(pattern, expanded)).append(access());
    }
    return text.append('\n').toString();
  }

  private String place() {
    if (isOddNow()) {
      return "dn.regex=\"" + one(ODD_PATTERNS) + '"';
    }
    return switch (random.nextInt(4)) {
      case 0 -> "*";
      case 1 -> "dn.regex=\"" + one(PLAIN_PATTERNS) + '"';
      default ->
          one(List.of("dn", "dn.exact", "dn.one", "dn.subtree", "dn.children", "dn.sub"))
              + "=\""
              + one(NAMES)
              + '"';
    };
  }

  private String who(String pattern, String expanded) {
    String who = name(pattern, expanded);
    if (random.nextInt(isOdd ? 2 : 4) == 0 && !who.startsWith("group")) {
      who += " " + (isOdd && random.nextBoolean() ? one(ODD_CONDITIONS) : one(CONDITIONS));
    }
    return who;
  }

  private String name(String pattern, String expanded) {
    if (isOddNow()) {
      return one(
          List.of(
              "dn.regex=\".+\"",
              "dn.regex=\"^uid=.+,\"",
              "dn.regex=\"^uid=.+," + PEOPLE + "$\"",
              "dn.regex=\"^uid=.*," + SUFFIX + "$\"",
              "dn.regex=\"uid=[^,]+," + PEOPLE + "$\"",
              "dn.regex=\"cn=.*," + GROUPS + '"',
              "dn.regex=\"^uid=[a-z]+," + PEOPLE + "$\"",
              "dn.regex=\"^uid=(ann|bob)," + PEOPLE + "$\"",
              "dn.regex=\"^.*" + PEOPLE + "$\"",
              "dn.regex=\"" + ANN + ".*$\"",
              "dn.regex=\"^cn=.+,uid=.+,ou=people," + SUFFIX + "$\"",
              "dn.regex=\"^(uid=ann|uid=bob)," + PEOPLE + "$\"",
              "dn.level{2}=\"" + SUFFIX + '"',
              "dn.regex=\"^uid=[^,]+," + PEOPLE + "$$\""));
    }
    if (!pattern.isEmpty() && random.nextInt(2) == 0) {
      return captured(pattern);
    }
    return switch (random.nextInt(9)) {
      case 0, 1 -> "*";
      case 2 -> "anonymous";
      case 3 -> "users";
      case 4 -> "self";
      case 5 -> one(List.of("self.level{1}", "self.level{-1}", "self.level{0}", "self.level{-2}"));
      case 6 -> expanded;
      case 7 ->
          one(
              List.of(
                  "dn.regex=\"^(.+,)?" + PEOPLE + "$$\"",
                  "dn.regex=\"^[^,]+," + GROUPS + "$\"",
                  "dn.regex=\"[^,]+," + PEOPLE + "$\"",
                  "dn.regex=\"^uid=[^,]+," + PEOPLE + "$\"",
                  "dn.regex=\"^uid=([^,]+), " + PEOPLE + "$$\"",
                  "dn.regex=\"^(cn=[^,]+,)?uid=[^,]+," + PEOPLE + "$\"",
                  "dn.regex=\"^(.+,)?uid=[^,]*," + PEOPLE + "$\"",
                  "dn.regex=\".+,uid=[^,]+,ou=[^,]+," + SUFFIX + "$\"",
                  "dn.regex=\".*\"",
                  "dn.level{1}=\"" + PEOPLE + '"',
                  "dn.level{0}=\"" + ANN + '"'));
      default ->
          one(List.of("dn", "dn.exact", "dn.one", "dn.subtree", "dn.children"))
              + "=\""
              + one(NAMES)
              + '"';
    };
  }

  /* The number of the group differs from pattern to pattern. */
  private String captured(String pattern) {
    if (pattern.startsWith("^(.+,)uid=[")) {
      return one(
          List.of(
              "dn.exact,expand=\"$1uid=ann," + PEOPLE + '"',
              "dn.exact,expand=\"$1uid=bob," + PEOPLE + '"'));
    }
    if (pattern.startsWith("^([^,]+), ") || pattern.startsWith("^(.+),ou")) {
      return one(
          List.of(
              "dn.exact,expand=\"$1," + PEOPLE + '"',
              "dn.base,expand=\"$1, " + PEOPLE + '"',
              "dn.exact,expand=\"$1," + GROUPS + '"'));
    }
    String number = pattern.startsWith("^(") || pattern.contains(",(uid") ? "$2" : "${1}";
    return one(
        List.of(
            "dn.exact,expand=\"uid=" + number + "," + PEOPLE + '"',
            "dn.subtree,expand=\"uid=" + number + ", " + PEOPLE + '"',
            "dn.regex=\"^uid=" + number + "," + PEOPLE + "$$\"",
            "dn.regex=\"^.+,uid=" + number + "," + PEOPLE + "$\"",
            "dn.regex=\"^cn=[^,]+,uid=" + number + "," + PEOPLE + "$\"",
            "dn.regex=\"^(.+,)?uid=" + number + ",ou=[^,]+," + SUFFIX + "$$\"",
            "group.expand=\"cn=" + number + "," + GROUPS + '"',
            "group/groupOfNames/owner.expand=\"cn=" + number + "," + GROUPS + '"'));
  }

  private String access() {
    String access = one(LEVELS);
    String flow =
        switch (random.nextInt(8)) {
          case 0 -> " continue";
          case 1 -> " break";
          case 2 -> " stop";
          default -> "";
        };
    return (access.isEmpty() ? "" : ' ' + access) + flow;
  }

  /** Returns a random client. */
  Client client() {
    String name =
        one(List.of("", ANN, BOB, BOOK, SEVERAL, ADMINS, "cn=nobody," + SUFFIX, PEOPLE, SUFFIX));
    String address = one(List.of("192.0.2.7", "192.0.2.8", "10.0.0.1", "2001:db8::1", ""));
    int transport = address.isEmpty() ? 71 : 0;
    int tls = one(List.of(0, 0, 128, 256));
    return new Client(name, address, tls, one(List.of(0, 0, 56)), transport, "");
  }

  /** Returns questions about one random entry. */
  List<Question> questions() {
    PlainEntry entry = one(ENTRIES);
    List<Question> questions = new ArrayList<>();
    for (String attribute :
        List.of(
            "entry",
            "children",
            "cn",
            "sn",
            "mail",
            "userPassword",
            "member",
            "owner",
            "uid",
            "objectClass",
            "uniqueMember")) {
      questions.add(new Question(entry, attribute, null));
    }
    for (String attribute : List.of("member", "owner", "uniqueMember")) {
      for (String value : List.of(ANN, BOB, BOOK, PEOPLE)) {
        questions.add(new Question(entry, attribute, value));
      }
    }
    questions.add(new Question(entry, "cn", "ann"));
    questions.add(new Question(entry, "cn", "bob"));
    return questions;
  }
}
