package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/**
 * Serves entries with secret attributes below public ones, with and without access rules and
 * indexes: nothing that is asked about the public ones tells of the others.
 */
@Timeout(300)
class SecretSubtypesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final String BOB = "uid=bob," + TOP;
  private static final String CAROL = "uid=carol," + TOP;
  private static final String DAVE = "uid=dave," + TOP;
  private static final String RIGHT = "1234";
  private static final String WRONG = "1239";
  private static final String SCHEMA =
      """
      attributetype ( 1.2.3.4.1 NAME 'code' EQUALITY caseIgnoreMatch
        ORDERING caseIgnoreOrderingMatch SUBSTR caseIgnoreSubstringsMatch
        SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 1.2.3.4.2 NAME 'pin' SUP code )
      attributetype ( 1.2.3.4.3 NAME 'zip' SUP code )
      attributetype ( 1.2.3.4.4 NAME 'word' EQUALITY caseIgnoreMatch
        ORDERING caseIgnoreOrderingMatch SUBSTR caseIgnoreSubstringsMatch
        SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 1.2.3.4.5 NAME 'keyword' SUP word )
      attributetype ( 1.2.3.4.6 NAME 'scheme'
        EQUALITY 1.3.6.1.4.1.4203.1.2.2 SYNTAX 1.3.6.1.4.1.4203.1.1.2 )
      objectclass ( 1.2.3.4.7 NAME 'holder' SUP top AUXILIARY
        MAY ( code $ pin $ zip $ word $ keyword $ scheme ) )
      """;
  private static final String RULES =
      """
      to attributes userPassword
        anonymous may authenticate
      to all
        users may disclose, authenticate, compare, search, read, write, manage
      """;
  private static final String INDEXES =
      """
      indexes {
        code = [eq, sub, ord, pres], pin = [eq, sub, ord, pres], zip = [eq, sub, ord, pres]
        word = [eq, sub, ord, pres], keyword = [eq, sub, ord, pres], objectClass = [eq]
      }
      """;

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;
  private LDAPConnection ann;

  private void start(boolean hasRules, boolean isIndexed) throws Exception {
    Path schema = Files.createDirectories(folder.resolve("own"));
    Files.writeString(schema.resolve("codes.schema"), SCHEMA);
    Files.writeString(folder.resolve("access.rules"), RULES);
    Path file =
        ServerProcess.configure(
            folder,
            (hasRules ? "access.rules = access.rules\n" : "access.writers = [\"" + ANN + "\"]\n")
                + "schema.folders = [own]\nlog.access.format = stats\n"
                + "secretAttributes = [pin, keyword, NotDefined]\n"
                + (isIndexed ? INDEXES : ""));
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    add("ann", "userPassword: secret", "pin: " + RIGHT, "pin;lang-en: " + RIGHT, "keyword: b");
    add("bob", "code: 5");
    add("carol", "zip: 3");
    add("dave", "pin: 2", "keyword: a", "scheme: SHA1$c2FsdA==$aGFzaA==");
    ann = LocalServer.connect(server);
    ann.bind(ANN, "secret");
  }

  private void add(String name, String... more) throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add("dn: uid=" + name + ',' + TOP);
    lines.addAll(List.of("objectClass: inetOrgPerson", "objectClass: holder"));
    lines.addAll(List.of("cn: " + name, "sn: " + name));
    lines.addAll(List.of(more));
    root.add(lines.toArray(String[]::new));
  }

  @AfterEach
  void stop() {
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    ann.close();
    root.close();
    server.close();
  }

  private List<String> found(String filter) throws LDAPException {
    return ann
        .search(TOP, SearchScope.SUB, Filter.create(filter), "1.1")
        .getSearchEntries()
        .stream()
        .map(SearchResultEntry::getDN)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false", "true,true"})
  void shouldNotBeFoundByThePublicType(boolean hasRules, boolean isIndexed) throws Exception {
    start(hasRules, isIndexed);
    List<String> filters =
        List.of(
            "(code=%s)",
            "(code~=%s)",
            "(code>=%s)",
            "(code<=%s)",
            "(code=%s*)",
            "(code=*%s*)",
            "(code=*%s)",
            "(code:=%s)",
            "(code:caseIgnoreMatch:=%s)",
            "(code:dn:caseIgnoreMatch:=%s)",
            "(:caseIgnoreMatch:=%s)",
            "(code;lang-en=%s)",
            "(code;lang-en=%s*)",
            "(code;lang-en=*)",
            "(code=*)",
            "(pin=%s)",
            "(name=*%s*)",
            "(&(code>=%1$s)(code<=%1$s))",
            "(|(code=%1$s)(pin=%1$s))");
    for (String each : filters) {
      assertThat(found(each.formatted(RIGHT))).as(each).doesNotContain(ANN, DAVE);
      String not = "(!" + each + ")";
      assertThat(found(not.formatted(RIGHT)).contains(ANN))
          .as(not)
          .isEqualTo(found(not.formatted(WRONG)).contains(ANN));
    }
    assertThat(found("(code=5)")).containsExactly(BOB);
    assertThat(found("(code>=3)")).containsExactly(BOB, CAROL);
    assertThat(found("(code=*)")).containsExactly(BOB, CAROL);
    assertThat(found("(scheme=*)")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false", "true,true"})
  void shouldNotBeToldByComparisonsOrOrder(boolean hasRules, boolean isIndexed) throws Exception {
    start(hasRules, isIndexed);
    for (String attribute : List.of("code", "code;lang-en", "1.2.3.4.1", "pin")) {
      LDAPResult right = compared(attribute, RIGHT);
      assertThat(right.getResultCode()).as(attribute).isNotEqualTo(ResultCode.COMPARE_TRUE);
      assertThat(right.getResultCode()).isEqualTo(compared(attribute, WRONG).getResultCode());
    }
    assertThat(ann.compare(new CompareRequest(CAROL, "code", "3")).compareMatched()).isTrue();
    for (String guess : List.of(RIGHT, WRONG)) {
      CompareRequest request = new CompareRequest(ANN, "uid", "ann");
      request.addControl(new AssertionRequestControl("(code=" + guess + ")"));
      assertThat(result(request).getResultCode()).isEqualTo(ResultCode.ASSERTION_FAILED);
    }
    assertThat(sorted("code")).containsExactly(CAROL, BOB, ANN, DAVE);
    assertThat(sorted("word")).containsExactly(ANN, BOB, CAROL, DAVE);
  }

  private LDAPResult compared(String attribute, String value) {
    return result(new CompareRequest(ANN, attribute, value));
  }

  private LDAPResult result(CompareRequest request) {
    try {
      return ann.compare(request);
    } catch (LDAPException e) {
      return e.toLDAPResult();
    }
  }

  private List<String> sorted(String attribute) throws LDAPException {
    SearchRequest request = new SearchRequest(TOP, SearchScope.ONE, "(objectClass=holder)", "1.1");
    request.addControl(new ServerSideSortRequestControl(true, new SortKey(attribute)));
    return ann.search(request).getSearchEntries().stream().map(SearchResultEntry::getDN).toList();
  }

  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false", "true,true"})
  void shouldNotBeReadOrPaged(boolean hasRules, boolean isIndexed) throws Exception {
    start(hasRules, isIndexed);
    for (String attribute : List.of("*", "+", "code", "code;lang-en", "pin;lang-en", "@holder")) {
      for (boolean isTypesOnly : List.of(false, true)) {
        SearchRequest request =
            new SearchRequest(
                TOP,
                SearchScope.SUB,
                DereferencePolicy.NEVER,
                0,
                0,
                isTypesOnly,
                "(uid=*)",
                attribute,
                "uid");
        for (SearchResultEntry entry : ann.search(request).getSearchEntries()) {
          assertThat(entry.toLDIFString())
              .doesNotContainIgnoringCase("pin", "keyword", "scheme:", RIGHT);
        }
      }
    }
    SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, "(code=*)", "1.1");
    ASN1OctetString cookie = null;
    List<String> paged = new ArrayList<>();
    do {
      request.setControls(new SimplePagedResultsControl(1, cookie));
      SearchResult page = ann.search(request);
      page.getSearchEntries().forEach(entry -> paged.add(entry.getDN()));
      SimplePagedResultsControl answer = SimplePagedResultsControl.get(page);
      cookie = answer.moreResultsToReturn() ? answer.getCookie() : null;
    } while (cookie != null);
    assertThat(paged).containsExactly(BOB, CAROL);
  }

  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false", "true,true"})
  void shouldNotBeToldToFollowers(boolean hasRules, boolean isIndexed) throws Exception {
    start(hasRules, isIndexed);
    Followed told = new Followed();
    SearchRequest request = new SearchRequest(told, TOP, SearchScope.SUB, "(code=1*)", "*");
    request.addControl(
        new PersistentSearchRequestControl(
            EnumSet.of(PersistentSearchChangeType.MODIFY), false, true, true));
    AsyncRequestID id = ann.asyncSearch(request);
    // Changes that come before the search begins are not told.
    eventually(
        "the search has begun",
        () -> {
          replace(CAROL, "zip", "18");
          return !told.entries.isEmpty();
        });
    told.entries.clear();
    replace(DAVE, "pin", "17");
    replace(CAROL, "zip", "19");
    eventually("the change is told", () -> told.entries.stream().anyMatch(e -> has(e, "19")));
    assertThat(told.entries).extracting(SearchResultEntry::getDN).containsOnly(CAROL);
    ann.abandon(id);
  }

  private static boolean has(SearchResultEntry entry, String zip) {
    return zip.equals(entry.getAttributeValue("zip"));
  }

  private void replace(String name, String attribute, String value) {
    try {
      root.modify(name, new Modification(ModificationType.REPLACE, attribute, value));
    } catch (LDAPException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The bounds of hashes are about logins alone. */
  @Test
  void shouldTakeAnyValue() throws Exception {
    start(false, false);
    String costly = "{CRYPT}$6$rounds=999999999$salt$x";
    root.modify(DAVE, new Modification(ModificationType.REPLACE, "pin", costly));
    assertThat(root.getEntry(DAVE).getAttributeValue("pin")).isEqualTo(costly);
  }

  @Test
  void shouldNotLogTheValuesOfTypesThatAreNotDefined() throws Exception {
    start(false, false);
    assertThat(found("(notdefined=tellTale)")).isEmpty();
    assertThat(found("(code=seen)")).isEmpty();
    Path log = folder.resolve("logs/access.log");
    eventually("logged", () -> Files.readString(log).contains("(code=seen)"));
    assertThat(Files.readString(log)).contains("(notdefined=hidden)").doesNotContain("tellTale");
  }

  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false", "true,true"})
  void shouldIncludeTypesThatAreAddedLater(boolean hasRules, boolean isIndexed) throws Exception {
    start(hasRules, isIndexed);
    root.modify(
        "cn=Subschema",
        new Modification(
            ModificationType.ADD,
            "attributeTypes",
            "( 1.2.3.4.20 NAME 'secondPin' SUP pin )",
            "( 1.2.3.4.21 NAME 'notDefined' SUP code )"),
        new Modification(
            ModificationType.ADD,
            "objectClasses",
            "( 1.2.3.4.22 NAME 'later' SUP top AUXILIARY MAY ( secondPin $ notDefined ) )"));
    root.modify(
        BOB,
        new Modification(ModificationType.ADD, "objectClass", "later"),
        new Modification(ModificationType.ADD, "secondPin", "4711"),
        new Modification(ModificationType.ADD, "notDefined", "4712"));
    assertThat(found("(code=471*)")).isEmpty();
    assertThat(found("(secondPin=*)")).isEmpty();
    assertThat(ann.getEntry(BOB, "*", "secondPin").toLDIFString())
        .contains("code: 5")
        .doesNotContain("471", "secondPin", "notDefined");
  }
}
