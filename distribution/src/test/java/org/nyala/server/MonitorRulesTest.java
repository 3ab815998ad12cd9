package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;

/** Tests what access rules let others than root read of {@code cn=Monitor}. */
class MonitorRulesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String BIND = "cn=Bind,cn=Operations,cn=Monitor";
  private static final String ALL = "(objectClass=*)";
  private static final List<String> ATTRIBUTES = List.of("cn", "objectClass", "monitorOpCompleted");
  private static final String LOGIN =
      """
      to attributes userPassword
        anonymous may authenticate
      """;
  private static final String WIDE =
      """
      to all
        all may read
      """;

  @TempDir Path folder;

  private RunningServer server;
  private final List<LDAPConnection> clients = new ArrayList<>();

  private void start(String rules) throws Exception {
    Path file = Files.writeString(folder.resolve("access.rules"), rules);
    server = LocalServer.start(folder, "access.rules = \"" + file + "\"");
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      for (String uid : List.of("ann", "bob")) {
        root.add(
            "dn: uid=" + uid + "," + TOP,
            "objectClass: account",
            "objectClass: simpleSecurityObject",
            "uid: " + uid,
            "userPassword: secret");
      }
      root.add(
          "dn: cn=watchers," + TOP,
          "objectClass: groupOfNames",
          "cn: watchers",
          "member: uid=ann," + TOP);
    }
  }

  @AfterEach
  void stop() {
    clients.forEach(LDAPConnection::close);
    server.close();
  }

  private LDAPConnection as(String uid) throws LDAPException {
    LDAPConnection client = LocalServer.connect(server);
    clients.add(client);
    if (!uid.isEmpty()) {
      client.bind("uid=" + uid + "," + TOP, "secret");
    }
    return client;
  }

  private static List<String> names(
      LDAPConnection client, String base, SearchScope scope, String filter) throws Exception {
    return client.search(base, scope, filter).getSearchEntries().stream()
        .map(SearchResultEntry::getDN)
        .toList();
  }

  private static ResultCode refusal(LDAPConnection client, SearchRequest request) {
    LDAPSearchException refused =
        catchThrowableOfType(LDAPSearchException.class, () -> client.search(request));
    assertThat(refused.getMatchedDN()).isNull();
    assertThat(refused.getEntryCount()).isZero();
    return refused.getResultCode();
  }

  private static SearchRequest search(String base) throws LDAPException {
    return new SearchRequest(base, SearchScope.SUB, ALL, "*", "+");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        WIDE,
        "to subtree \"\"\n  all may manage\n",
        "to below \"\"\n  all may read\n",
        "to directly below \"\"\n  all may read\n",
        "to all where (objectClass=monitorContainer)\n  all may read\n",
        "to all attributes entry, cn, objectClass\n  all may read\n",
        "to names \"cn={any}\"\n  all may read\n",
        "to all\n  users may nothing and break\n  all may read\n",
        WIDE + "to subtree \"cn=Monitor\"\n  all may read\n",
      })
  void shouldStayClosedUnderWideRules(String rules) throws Exception {
    start(LOGIN + rules);
    for (String uid : List.of("", "ann")) {
      LDAPConnection client = as(uid);
      for (String base : List.of("cn=Monitor", BIND, "cn=x,cn=Monitor")) {
        assertThat(refusal(client, search(base))).isEqualTo(ResultCode.NO_SUCH_OBJECT);
      }
    }
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      assertThat(names(root, "cn=Monitor", SearchScope.SUB, ALL)).hasSizeGreaterThan(40);
    }
  }

  @Test
  void shouldLetAGroupReadAPart() throws Exception {
    start(
        LOGIN
            + """
            to subtree "cn=Operations,cn=Monitor" attributes monitorOpCompleted
              all may nothing
            to subtree "cn=Operations,cn=Monitor"
              group "cn=watchers,dc=example,dc=com" may read
            to entry "cn=Monitor"
              users may search
            """
            + WIDE);
    LDAPConnection ann = as("ann");
    assertThat(names(ann, "cn=Operations,cn=Monitor", SearchScope.ONE, ALL)).hasSize(10);
    assertThat(names(ann, "cn=Operations,cn=Monitor", SearchScope.SUBORDINATE_SUBTREE, ALL))
        .hasSize(10);
    assertThat(names(ann, "cn=Operations,cn=Monitor", SearchScope.SUB, ALL)).hasSize(11);
    assertThat(names(ann, "cn=Monitor", SearchScope.SUB, ALL)).hasSize(11);
    assertThat(names(ann, "cn=Monitor", SearchScope.ONE, ALL))
        .containsExactly("cn=Operations,cn=Monitor");
    assertThat(names(ann, "cn=Monitor", SearchScope.BASE, ALL)).isEmpty();
    SearchResultEntry bind = ann.getEntry(BIND, "*", "+");
    assertThat(bind.getAttributeValueAsInteger("monitorOpInitiated")).isPositive();
    assertThat(bind.hasAttribute("monitorOpCompleted")).isFalse();
    assertThat(names(ann, "cn=Monitor", SearchScope.SUB, "(monitorOpCompleted=*)")).isEmpty();
    assertThat(names(ann, "cn=Monitor", SearchScope.SUB, "(!(monitorOpCompleted=*))")).isEmpty();
    assertThat(names(ann, "cn=Monitor", SearchScope.SUB, "(&(cn=Bind)(monitorOpInitiated>=1))"))
        .containsExactly(BIND);
    for (String base : List.of("cn=Time,cn=Monitor", "cn=x,cn=Monitor")) {
      assertThat(refusal(ann, search(base))).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    }
    LDAPConnection bob = as("bob");
    assertThat(names(bob, "cn=Monitor", SearchScope.SUB, ALL)).isEmpty();
    assertThat(refusal(bob, search(BIND))).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(refusal(as(""), search("cn=Monitor"))).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  @Test
  void shouldKeepToTheBoundsOfOtherSearches() throws Exception {
    start(
        LOGIN
            + """
            to subtree "cn=Waiters,cn=Monitor"
              all may read
            to entry "cn=Time,cn=Monitor"
              all may disclose
            to entry "cn=Monitor"
              all may search
            limit users entries 1
            """);
    LDAPConnection client = as("");
    assertThat(names(client, "cn=Monitor", SearchScope.SUB, ALL)).hasSize(3);
    LDAPSearchException tooMany =
        catchThrowableOfType(
            LDAPSearchException.class, () -> names(as("ann"), "cn=Monitor", SearchScope.SUB, ALL));
    assertThat(tooMany.getResultCode()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    assertThat(tooMany.getEntryCount()).isEqualTo(1);
    assertThat(refusal(client, search("cn=Time,cn=Monitor")))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    SearchRequest asserted = search("cn=Waiters,cn=Monitor");
    asserted.addControl(new AssertionRequestControl("(cn=Nobody)"));
    assertThat(refusal(client, asserted)).isEqualTo(ResultCode.ASSERTION_FAILED);
    asserted.replaceControl(new AssertionRequestControl("(cn=Waiters)"));
    assertThat(client.search(asserted).getEntryCount()).isEqualTo(3);
    LDAPException written =
        catchThrowableOfType(
            LDAPException.class, () -> client.delete("cn=Read,cn=Waiters,cn=Monitor"));
    assertThat(written.getResultCode()).isNotEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldReportRightsThatDoNotCount() throws Exception {
    start(
        """
        to entry "cn=Time,cn=Monitor"
          all may read
        to subtree "cn=Monitor"
          users may read, write
        """);
    stop();
    LocalCommands nyala = new LocalCommands();
    nyala.shouldSucceed(
        folder.resolve("test.conf"), "access", "check", folder.resolve("access.rules").toString());
    assertThat(nyala.out())
        .contains(
            "access.rules:4:3: nobody changes cn=Monitor: disclose, search and read alone count")
        .contains("2 rules, 0 limits, 1 remarks");
  }

  private static String randomRules(Random random) {
    String[] places = {
      "all",
      "all",
      "subtree \"cn=Monitor\"",
      "below \"cn=Monitor\"",
      "entry \"cn=Monitor\"",
      "directly below \"cn=Monitor\"",
      "subtree \"cn=Operations,cn=Monitor\"",
      "entry \"cn=Bind,cn=Operations,cn=Monitor\"",
      "names \"cn={leaf},cn={part},cn=Monitor\"",
      "subtree \"cn=Time,cn=Monitor\""
    };
    String[] attributes = {
      "",
      "",
      "",
      " attributes entry",
      " attributes monitorOpCompleted, cn",
      " attributes all but cn"
    };
    String[] who = {
      "all",
      "users",
      "anonymous",
      "group \"cn=watchers,dc=example,dc=com\"",
      "entry \"uid=bob,dc=example,dc=com\""
    };
    String[] may = {"nothing", "read", "read", "search", "disclose", "also read"};
    StringBuilder rules = new StringBuilder(LOGIN);
    int count = 2 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      rules.append("to ").append(one(random, places)).append(one(random, attributes)).append('\n');
      for (int clauses = 1 + random.nextInt(2); clauses > 0; clauses--) {
        rules.append("  ").append(one(random, who)).append(" may ").append(one(random, may));
        rules.append(random.nextInt(3) == 0 ? " and break\n" : "\n");
      }
    }
    return rules.toString();
  }

  private static String one(Random random, String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private Set<String> explained(String uid, String target, String attribute) {
    LocalCommands nyala = new LocalCommands();
    String user = uid.isEmpty() ? "" : "uid=" + uid + "," + TOP;
    List<String> words = new ArrayList<>(List.of("access", "explain", "--json", "--as=" + user));
    words.add("--target=" + target);
    if (!attribute.isEmpty()) {
      words.add("--attribute=" + attribute);
    }
    nyala.shouldSucceed(folder.resolve("test.conf"), words.toArray(String[]::new));
    JsonObject json = JsonParser.parseString(nyala.out()).getAsJsonObject();
    Set<String> rights = new TreeSet<>();
    if (!json.get("hidden").getAsBoolean()) {
      JsonObject first = json.getAsJsonArray("rights").get(0).getAsJsonObject();
      for (JsonElement each : first.getAsJsonArray("rights")) {
        rights.add(each.getAsString());
      }
    }
    return rights;
  }

  /** An answer of the server: null if the base may be searched, and what is found and sent. */
  private record Answer(
      String uid,
      String target,
      @Nullable ResultCode refused,
      @Nullable SearchResultEntry entry,
      Set<String> matching) {}

  private Answer answer(LDAPConnection client, String uid, String target) throws LDAPException {
    SearchRequest asked = new SearchRequest(target, SearchScope.BASE, "(&)", "*", "+");
    try {
      SearchResultEntry entry = client.searchForEntry(asked);
      Set<String> matching = new TreeSet<>();
      for (String attribute : ATTRIBUTES) {
        if (client.search(target, SearchScope.BASE, "(" + attribute + "=*)").getEntryCount() > 0) {
          matching.add(attribute);
        }
      }
      return new Answer(uid, target, null, entry, matching);
    } catch (LDAPSearchException e) {
      return new Answer(uid, target, e.getResultCode(), null, Set.of());
    }
  }

  private void assertExplained(Answer answer, String what) {
    Set<String> entry = explained(answer.uid(), answer.target(), "");
    ResultCode refused =
        entry.contains("search")
            ? null
            : entry.contains("disclose")
                ? ResultCode.INSUFFICIENT_ACCESS_RIGHTS
                : ResultCode.NO_SUCH_OBJECT;
    assertThat(answer.refused()).as(what).isEqualTo(refused);
    if (refused != null) {
      return;
    }
    SearchResultEntry shown = answer.entry();
    assertThat(shown != null).as(what).isEqualTo(entry.contains("read"));
    for (String attribute : ATTRIBUTES) {
      boolean isThere =
          !attribute.startsWith("monitor") || answer.target().endsWith("cn=Operations,cn=Monitor");
      Set<String> rights = explained(answer.uid(), answer.target(), attribute);
      assertThat(answer.matching().contains(attribute))
          .as(what + " " + attribute)
          .isEqualTo(isThere && shown != null && rights.contains("search"));
      assertThat(shown != null && shown.hasAttribute(attribute))
          .as(what + " " + attribute)
          .isEqualTo(isThere && shown != null && rights.contains("read"));
    }
  }

  /** Asks a server first, then explains its data: one process opens a store once at a time. */
  @RepeatedTest(6)
  void shouldExplainWhatSearchesAnswer() throws Exception {
    long seed = Seeds.seed();
    String rules = randomRules(new Random(seed));
    start(rules);
    List<Answer> answers = new ArrayList<>();
    for (String uid : List.of("", "ann", "bob")) {
      LDAPConnection client = as(uid);
      for (String target :
          List.of("cn=Monitor", "cn=Operations,cn=Monitor", BIND, "cn=Uptime,cn=Time,cn=Monitor")) {
        answers.add(answer(client, uid, target));
      }
    }
    stop();
    for (Answer answer : answers) {
      assertExplained(
          answer,
          "seed " + seed + ": " + answer.uid() + " in " + answer.target() + " with\n" + rules);
    }
  }
}
