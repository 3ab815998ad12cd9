package org.nyala.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.process.DocumentedPage;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/**
 * Sends the same random changes to slapd with the overlay {@code constraint} and to Nyala with the
 * same constraints. Where the two differ on purpose is left out: changes that bring a stored entry
 * into the scope of a constraint, values that come and go in one request, options of attributes.
 */
@Timeout(300)
class ConstraintOverlayTest {
  private static final int CHANGES = Integer.getInteger("nyala.test.constraintChanges", 250);
  private static final String TOP = "o=harbour";
  private static final String PEOPLE = "ou=people," + TOP;
  private static final String CREW = "ou=crew," + PEOPLE;
  private static final String OTHERS = "ou=others," + TOP;
  private static final List<String> PARENTS = List.of(PEOPLE, CREW, OTHERS);
  private static final List<String> ATTRIBUTES =
      List.of("description", "title", "employeeType", "departmentNumber");
  private static final List<String> EXPRESSIONS =
      List.of(
          "^[a-c]+$",
          "b",
          "^(a|b)*c?$",
          "[[:digit:]]",
          "^.{1,3}$",
          "^[^1]",
          "(a+)+1",
          "^$|a",
          "^[]a1]*$",
          "[[:upper:][:digit:]]$");

  @TempDir Path folder;

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private final Set<String> used = new HashSet<>();
  private final List<String> people = new ArrayList<>();

  /** A constraint in both languages. */
  private record Rule(String ofSlapd, String ofNyala) {}

  private Rule rule() {
    String attribute = random.nextInt(5) == 0 ? "uid" : one(ATTRIBUTES);
    String expression = one(EXPRESSIONS);
    int number = random.nextInt(4);
    Rule kind =
        switch (random.nextInt(6)) {
          case 0 -> new Rule("regex \"" + expression + '"', "regex = \"" + expression + '"');
          case 1 ->
              new Rule("negregex \"" + expression + '"', "forbiddenRegex = \"" + expression + '"');
          case 2 -> new Rule("size " + number, "maximumBytes = " + number);
          case 3, 4 -> new Rule("count " + number, "maximumValues = " + number);
          default -> listed();
        };
    Rule place = place();
    return new Rule(
        "constraint_attribute " + attribute + ' ' + kind.ofSlapd() + place.ofSlapd(),
        "{ attributes = [" + attribute + "], " + kind.ofNyala() + place.ofNyala() + " }");
  }

  private Rule listed() {
    String scope = one(List.of("one", "sub"));
    String base = one(List.of("ou=catalog," + TOP, "cn=few,ou=catalog," + TOP));
    return new Rule(
        "uri \"ldap:///" + base + "?l,street?" + scope + "?(objectClass=extensibleObject)\"",
        "listAttributes = [l, street], listBase = \""
            + base
            + "\", listScope = "
            + scope
            + ", listFilter = \"(objectClass=extensibleObject)\"");
  }

  private Rule place() {
    String filter = one(List.of("(sn=a)", "(!(sn=a))", "(&(objectClass=inetOrgPerson)(cn=*))"));
    String scope = one(List.of("one", "sub", "children"));
    return switch (random.nextInt(4)) {
      case 0 ->
          new Rule(
              " restrict=\"ldap:///" + PEOPLE + "??" + scope + '"',
              ", base = \"" + PEOPLE + "\", scope = " + scope);
      case 1 ->
          new Rule(
              " restrict=\"ldap:///" + PEOPLE + "??" + scope + '?' + filter + '"',
              ", base = \"" + PEOPLE + "\", scope = " + scope + ", filter = \"" + filter + '"');
      case 2 ->
          new Rule(" restrict=\"ldap:///??sub?" + filter + '"', ", filter = \"" + filter + '"');
      default -> new Rule("", "");
    };
  }

  @RepeatedTest(3)
  void shouldRefuseWhatSlapdRefuses() throws Exception {
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      rules.add(rule());
    }
    String lines =
        "moduleload constraint\noverlay constraint\n"
            + String.join("\n", rules.stream().map(Rule::ofSlapd).toList())
            + '\n';
    String settings =
        "constraint.rules = ["
            + String.join("\n", rules.stream().map(Rule::ofNyala).toList())
            + ']';
    Path ofSlapd = Files.createDirectory(folder.resolve("slapd"));
    Path ofNyala = Files.createDirectory(folder.resolve("nyala"));
    try (BehaviourServer one = BehaviourServer.slapdWith(ofSlapd, TOP, lines);
        RunningServer other =
            LocalServer.start(
                ofNyala,
                "suffixes = [\"o=harbour\"]\nindexes { l = [eq], street = [eq] }\n" + settings);
        LDAPConnection slapd = root(one);
        LDAPConnection nyala = LocalServer.connectAsRoot(other)) {
      fill(slapd);
      fill(nyala);
      int violations = 0;
      for (int i = 0; i < CHANGES; i++) {
        Change change = change();
        ResultCode expected = answer(change, slapd);
        ResultCode found = answer(change, nyala);
        String what = "-Dtest.seed=" + seed + " change " + i + ": " + change + "\n" + settings;
        assertThat(found == ResultCode.SUCCESS)
            .as("%s: slapd %s, Nyala %s", what, expected, found)
            .isEqualTo(expected == ResultCode.SUCCESS);
        if (found == ResultCode.CONSTRAINT_VIOLATION) {
          assertThat(expected).as(what).isEqualTo(found);
          violations++;
        }
        if (found == ResultCode.SUCCESS) {
          change.note();
        }
      }
      assertThat(violations).as("-Dtest.seed=%d: %s", seed, settings).isPositive();
      assertThat(content(nyala)).as("-Dtest.seed=%d", seed).isEqualTo(content(slapd));
    }
  }

  @Test
  void shouldCarryOutTheExampleOfTheManual() throws Exception {
    String top = "dc=example,dc=com";
    String example =
        String.join(
            "\n",
            DocumentedPage.blocks(Path.of("../extensions/constraint/src/docs/constraint.adoc"))
                .getFirst()
                .text());
    try (RunningServer server = LocalServer.start(folder, example + "\nindexes.title = [eq]");
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + top, "objectClass: domain", "dc: example");
      for (String unit : List.of("people", "catalog")) {
        root.add("dn: ou=" + unit + ',' + top, "objectClass: organizationalUnit", "ou: " + unit);
      }
      String ann = "uid=ann,ou=people," + top;
      root.add("dn: " + ann, "objectClass: inetOrgPerson", "uid: ann", "cn: Ann", "sn: A");
      Modification mate = new Modification(ModificationType.ADD, "title", "mate");
      assertThat(modified(root, ann, mate)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      root.add(
          "dn: cn=titles,ou=catalog," + top,
          "objectClass: device",
          "objectClass: extensibleObject",
          "cn: titles",
          "title: Mate");
      assertThat(modified(root, ann, mate)).isEqualTo(ResultCode.SUCCESS);
      Map<String, ResultCode> mails =
          Map.of(
              "ann.a@example.com", ResultCode.SUCCESS,
              "ann@example-com", ResultCode.CONSTRAINT_VIOLATION,
              "root@example.com", ResultCode.CONSTRAINT_VIOLATION);
      for (Map.Entry<String, ResultCode> mail : mails.entrySet()) {
        Modification change = new Modification(ModificationType.ADD, "mail", mail.getKey());
        assertThat(modified(root, ann, change)).as(mail.getKey()).isEqualTo(mail.getValue());
      }
      Modification guest = new Modification(ModificationType.ADD, "employeeType", "guest");
      assertThat(modified(root, ann, guest)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    }
  }

  @Test
  void shouldBoundValuesThatAreKeptApart() throws Exception {
    String top = "dc=example,dc=com";
    String settings =
        """
        store.valuesInRecord = 10
        constraint.rules = [
          { attributes = [description], maximumValues = 40, forbiddenRegex = bad }
          { attributes = [title], maximumValues = 20, regex = good, filter = "(sn=b)" }
        ]
        """;
    try (RunningServer server = LocalServer.start(folder, settings);
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + top, "objectClass: domain", "dc: example");
      String ann = "uid=ann," + top;
      root.add("dn: " + ann, "objectClass: inetOrgPerson", "uid: ann", "cn: Ann", "sn: A");
      Modification most = new Modification(ModificationType.ADD, "description", many("good", 40));
      assertThat(modified(root, ann, most)).isEqualTo(ResultCode.SUCCESS);
      Modification more = new Modification(ModificationType.ADD, "description", "another");
      assertThat(modified(root, ann, more)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      Modification less = new Modification(ModificationType.DELETE, "description", "good 7");
      assertThat(modified(root, ann, less)).isEqualTo(ResultCode.SUCCESS);
      Modification bad = new Modification(ModificationType.ADD, "description", "a bad one");
      assertThat(modified(root, ann, bad)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      assertThat(modified(root, ann, more)).isEqualTo(ResultCode.SUCCESS);
      Modification title = new Modification(ModificationType.ADD, "title", many("good", 20));
      Modification wrong = new Modification(ModificationType.ADD, "title", "wrong");
      Modification right = new Modification(ModificationType.DELETE, "title", "WRONG");
      Modification matches = new Modification(ModificationType.ADD, "sn", "b");
      assertThat(modified(root, ann, title, wrong)).isEqualTo(ResultCode.SUCCESS);
      assertThat(modified(root, ann, matches)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      Modification other = new Modification(ModificationType.DELETE, "title", "good 3");
      assertThat(modified(root, ann, matches, other)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      assertThat(modified(root, ann, matches, right)).isEqualTo(ResultCode.SUCCESS);
    }
  }

  @Test
  void shouldNotServeWithoutTheIndexOfAList() {
    String rule = "constraint.rules = [{ attributes = [mail], listAttributes = [title]%s }]\n";
    assertThatThrownBy(() -> LocalServer.start(folder, rule.formatted("")).close())
        .hasMessageContaining("nyala.constraint: title has no equality index");
    // A list in one entry is read there.
    String one = ", listBase = \"o=harbour\", listScope = base";
    assertThatCode(() -> LocalServer.start(folder, rule.formatted(one)).close())
        .doesNotThrowAnyException();
  }

  @Test
  void shouldTestValuesThatAreKeptApartByFilters() throws Exception {
    String top = "dc=example,dc=com";
    String settings =
        """
        store.valuesInRecord = 10
        constraint.rules = [
          { attributes = [title], regex = good, filter = "(description=guest)" }
        ]
        """;
    try (RunningServer server = LocalServer.start(folder, settings);
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + top, "objectClass: domain", "dc: example");
      String ann = "uid=ann," + top;
      root.add("dn: " + ann, "objectClass: inetOrgPerson", "uid: ann", "cn: Ann", "sn: A");
      Modification bad = new Modification(ModificationType.ADD, "title", "bad");
      Modification many = new Modification(ModificationType.ADD, "description", many("good", 40));
      Modification guest = new Modification(ModificationType.ADD, "description", "guest");
      assertThat(modified(root, ann, guest, many)).isEqualTo(ResultCode.SUCCESS);
      assertThat(modified(root, ann, bad)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      Modification more = new Modification(ModificationType.ADD, "description", "one more");
      assertThat(modified(root, ann, bad, more)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      Modification left = new Modification(ModificationType.DELETE, "description", "guest");
      assertThat(modified(root, ann, bad, left)).isEqualTo(ResultCode.SUCCESS);
      assertThat(modified(root, ann, guest)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    }
  }

  private static String[] many(String word, int count) {
    return IntStream.range(0, count).mapToObj(i -> word + ' ' + i).toArray(String[]::new);
  }

  private static ResultCode modified(LDAPConnection root, String name, Modification... changes) {
    try {
      return root.modify(name, changes).getResultCode();
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  private static LDAPConnection root(BehaviourServer server) throws LDAPException {
    URI url = URI.create(server.url());
    return new LDAPConnection(
        url.getHost(), url.getPort(), BehaviourServer.ADMIN, BehaviourServer.PASSWORD);
  }

  private static void fill(LDAPConnection root) throws Exception {
    root.add("dn: " + TOP, "objectClass: organization", "o: harbour");
    for (String unit : List.of(PEOPLE, CREW, OTHERS, "ou=catalog," + TOP)) {
      String name = unit.substring(3, unit.indexOf(','));
      root.add("dn: " + unit, "objectClass: organizationalUnit", "ou: " + name);
    }
    root.add(
        "dn: cn=few,ou=catalog," + TOP,
        "objectClass: device",
        "objectClass: extensibleObject",
        "cn: few",
        "l: a",
        "l: BB",
        "street: 1");
    root.add(
        "dn: cn=more,cn=few,ou=catalog," + TOP,
        "objectClass: device",
        "objectClass: extensibleObject",
        "cn: more",
        "l: ab",
        "l: c");
  }

  /** A request, and what is known once both servers have carried it out. */
  private record Change(String text, Request request, Runnable known) {
    void note() {
      known.run();
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** A request to a server. */
  private interface Request {
    ResultCode send(LDAPConnection connection) throws LDAPException;
  }

  private static ResultCode answer(Change change, LDAPConnection connection) {
    try {
      return change.request().send(connection);
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  private Change change() {
    int kind = people.isEmpty() ? 0 : random.nextInt(8);
    return switch (kind) {
      case 0, 1 -> add();
      case 2 -> rename();
      case 3 -> delete();
      default -> modify();
    };
  }

  private Change add() {
    String uid = unused();
    String name = "uid=" + uid + ',' + one(PARENTS);
    List<Attribute> attributes = new ArrayList<>();
    attributes.add(new Attribute("objectClass", "inetOrgPerson"));
    attributes.add(new Attribute("cn", "x"));
    attributes.add(new Attribute("sn", one(List.of("a", "b"))));
    attributes.add(new Attribute("uid", uid));
    for (String attribute : ATTRIBUTES) {
      if (random.nextInt(4) == 0) {
        attributes.add(new Attribute(attribute, values()));
      }
    }
    Entry entry = new Entry(name, attributes);
    return new Change(
        entry.toLDIFString(),
        connection -> connection.add(entry).getResultCode(),
        () -> people.add(name));
  }

  private Change rename() {
    String name = one(people);
    String rdn = "uid=" + unused();
    boolean deletes = random.nextBoolean();
    String after = rdn + name.substring(name.indexOf(','));
    return new Change(
        "rename " + name + " to " + rdn + ' ' + deletes,
        connection -> connection.modifyDN(name, rdn, deletes).getResultCode(),
        () -> {
          people.remove(name);
          people.add(after);
        });
  }

  private Change delete() {
    String name = one(people);
    return new Change(
        "delete " + name,
        connection -> connection.delete(name).getResultCode(),
        () -> people.remove(name));
  }

  private Change modify() {
    String name = one(people);
    List<String> attributes = new ArrayList<>(ATTRIBUTES);
    Collections.shuffle(attributes, random);
    List<Modification> modifications = new ArrayList<>();
    for (String attribute : attributes.subList(0, 1 + random.nextInt(2))) {
      switch (random.nextInt(6)) {
        case 0, 1, 2 ->
            modifications.add(new Modification(ModificationType.ADD, attribute, values()));
        case 3 ->
            modifications.add(new Modification(ModificationType.REPLACE, attribute, values()));
        case 4 -> {
          modifications.add(new Modification(ModificationType.DELETE, attribute));
          modifications.add(new Modification(ModificationType.ADD, attribute, values()));
        }
        default ->
            modifications.add(new Modification(ModificationType.DELETE, attribute, values()[0]));
      }
    }
    return new Change(
        "modify " + name + ' ' + modifications,
        connection -> connection.modify(name, modifications).getResultCode(),
        () -> {});
  }

  /** Returns one to three values, of which no two are equal. */
  private String[] values() {
    Set<String> values = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    int count = 1 + random.nextInt(3);
    while (values.size() < count) {
      values.add(text());
    }
    return values.toArray(String[]::new);
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    int length = 1 + random.nextInt(4);
    for (int i = 0; i < length; i++) {
      text.append("aabbcB1".charAt(random.nextInt(7)));
    }
    return text.toString();
  }

  private String unused() {
    String text = text();
    while (!used.add(text.toLowerCase(Locale.ROOT))) {
      text = text() + text();
    }
    return text;
  }

  private static Map<String, Set<String>> content(LDAPConnection root) throws LDAPException {
    Map<String, Set<String>> content = new TreeMap<>();
    for (SearchResultEntry entry :
        root.search(TOP, SearchScope.SUB, "(uid=*)").getSearchEntries()) {
      Set<String> values = new TreeSet<>();
      for (Attribute attribute : entry.getAttributes()) {
        for (String value : attribute.getValues()) {
          values.add(attribute.getBaseName() + ": " + value);
        }
      }
      content.put(entry.getDN(), values);
    }
    return content;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
