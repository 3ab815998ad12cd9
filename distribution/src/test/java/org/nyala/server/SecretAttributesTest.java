package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.MatchedValuesFilter;
import com.unboundid.ldap.sdk.controls.MatchedValuesRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortResponseControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Serves entries with hashes besides userPassword, and keeps them secret. */
@Timeout(300)
class SecretAttributesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final String HASH = "31D6CFE0D16AE931B73C59D7E0C089C0";
  private static final String AUTH = "SHA256$c2FsdA==$aGFzaA==";
  private static final String SCHEMA =
      """
      attributetype ( 1.3.6.1.4.1.7165.2.1.25 NAME 'sambaNTPassword'
        EQUALITY caseIgnoreIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.26{32} SINGLE-VALUE )
      attributetype ( 1.2.3.4.1 NAME 'descendant' SUP sambaNTPassword )
      objectclass ( 1.2.3.4.2 NAME 'hashed' SUP top AUXILIARY
        MAY ( sambaNTPassword $ descendant $ authPassword ) )
      """;

  /** The greatest rights that rules give without naming the attributes. */
  private static final String GENERAL =
      """
      to attributes userPassword
        anonymous may authenticate
      to all
        users may disclose, authenticate, compare, search, read, write, manage
      """;

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;
  private LDAPConnection ann;

  @BeforeEach
  void start() throws Exception {
    Path schema = Files.createDirectories(folder.resolve("own"));
    Files.writeString(schema.resolve("samba.schema"), SCHEMA);
    Files.writeString(folder.resolve("access.rules"), GENERAL);
    Path file =
        ServerProcess.configure(
            folder,
            """
            access.rules = access.rules
            schema.folders = [own]
            log.access.format = stats
            """);
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add(
        "dn: " + ANN,
        "objectClass: inetOrgPerson",
        "objectClass: hashed",
        "cn: Ann",
        "sn: A",
        "title: t",
        "userPassword: secret",
        "sambaNTPassword: " + HASH,
        "descendant: " + HASH,
        "authPassword: " + AUTH);
    ann = LocalServer.connect(server);
    ann.bind(ANN, "secret");
  }

  @AfterEach
  void stop() {
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    ann.close();
    root.close();
    server.close();
  }

  private static void assertNothingOf(SearchResultEntry entry) {
    assertThat(entry.toLDIFString())
        .contains("uid: ann")
        .doesNotContainIgnoringCase("samba", "descendant", "authPassword", HASH, AUTH);
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "+", "sambaNTPassword", "@hashed", "1.3.6.1.4.1.7165.2.1.25"})
  void shouldNotBeRead(String attribute) throws Exception {
    assertNothingOf(ann.getEntry(ANN, attribute, "uid"));
  }

  private int found(LDAPConnection by, Filter filter, Control... controls) throws LDAPException {
    SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, filter, "uid");
    request.setControls(controls);
    return by.search(request).getEntryCount();
  }

  @Test
  void shouldNotBeSearched() throws Exception {
    for (String text :
        List.of(
            "(sambaNTPassword=*)",
            "(sambaNTPassword=" + HASH + ")",
            "(sambaNTPassword=31*)",
            "(sambaNTPassword>=0)",
            "(sambaNTPassword:caseIgnoreIA5Match:=" + HASH + ")",
            "(:caseIgnoreIA5Match:=" + HASH + ")",
            "(descendant=*)",
            "(authPassword=*)")) {
      Filter filter = Filter.create(text);
      assertThat(found(ann, filter)).as(text).isZero();
      if (!text.startsWith("(:")) {
        assertThat(found(ann, Filter.createNOTFilter(filter))).as("not " + text).isZero();
      }
    }
    assertThat(found(ann, Filter.create("(uid=ann)"))).isEqualTo(1);
  }

  @Test
  void shouldNotBeCompared() throws Exception {
    for (String value : List.of(HASH, "0")) {
      LDAPResult result = result(() -> ann.compare(new CompareRequest(ANN, "descendant", value)));
      assertThat(result.getResultCode()).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
      result = result(() -> ann.compare(new CompareRequest(ANN, "sambaNTPassword", value)));
      assertThat(result.getResultCode()).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
  }

  private interface Call {
    LDAPResult run() throws LDAPException;
  }

  private static LDAPResult result(Call call) {
    try {
      return call.run();
    } catch (LDAPException e) {
      return e.toLDAPResult();
    }
  }

  @Test
  void shouldNotBeToldBySortingOrMatchedValues() throws Exception {
    SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, "(uid=*)", "uid");
    request.setControls(new ServerSideSortRequestControl(false, new SortKey("sambaNTPassword")));
    SearchResult sorted = ann.search(request);
    assertThat(ServerSideSortResponseControl.get(sorted).getResultCode())
        .isNotEqualTo(ResultCode.SUCCESS);
    request.setControls(
        new MatchedValuesRequestControl(
            MatchedValuesFilter.createPresentFilter("sambaNTPassword")));
    request.setAttributes("*");
    assertThat(ann.search(request).getSearchEntries().getFirst().toLDIFString())
        .doesNotContain(HASH);
  }

  @Test
  void shouldNotBeToldByChanges() throws Exception {
    ModifyRequest request =
        new ModifyRequest(ANN, new Modification(ModificationType.REPLACE, "title", "u"));
    request.setControls(
        new PreReadRequestControl(true, "*", "uid"), new PostReadRequestControl(true, "@hashed"));
    for (Control control : ann.modify(request).getResponseControls()) {
      assertThat(control.getValue().stringValue()).doesNotContain(HASH, AUTH);
    }
    for (String text : List.of("(sambaNTPassword=*)", "(!(sambaNTPassword=*))")) {
      request.setControls(new AssertionRequestControl(text));
      assertThat(result(() -> ann.modify(request)).getResultCode())
          .isEqualTo(ResultCode.ASSERTION_FAILED);
    }
  }

  /** A copy by an identity that may read everything else has all but these; root's has them. */
  @Test
  void shouldBeSynchronizedOnlyWithThoseWhoMayReadThem() throws Exception {
    assertThat(synchronizedBy(ann)).noneMatch(ldif -> ldif.contains(HASH) || ldif.contains(AUTH));
    assertThat(synchronizedBy(root)).anyMatch(ldif -> ldif.contains(HASH) && ldif.contains(AUTH));
  }

  private static List<String> synchronizedBy(LDAPConnection client) throws LDAPException {
    SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, "(objectClass=*)", "*", "+");
    request.setControls(
        new ContentSyncRequestControl(true, ContentSyncRequestMode.REFRESH_ONLY, null, false));
    List<String> entries = new ArrayList<>();
    for (SearchResultEntry entry : client.search(request).getSearchEntries()) {
      entries.add(entry.toLDIFString());
    }
    assertThat(entries).hasSize(2);
    return entries;
  }

  @Test
  void shouldBeReadByRootAndByRulesThatNameThem() throws Exception {
    assertThat(root.getEntry(ANN).getAttributeValue("sambaNTPassword")).isEqualTo(HASH);
    assertThat(root.getEntry(ANN).getAttributeValue("authPassword")).isEqualTo(AUTH);
    Files.writeString(
        folder.resolve("access.rules"),
        "to attributes sambaNTPassword\n  users may read\n" + GENERAL);
    assertThat(server.served().control().reload().tookEffect()).isNotEmpty();
    assertThat(ann.getEntry(ANN).getAttributeValue("sambaNTPassword")).isEqualTo(HASH);
    assertThat(ann.getEntry(ANN).hasAttribute("authPassword")).isFalse();
    assertThat(found(ann, Filter.create("(sambaNTPassword=*)"))).isEqualTo(1);
  }

  @Test
  void shouldNotBeLogged() throws Exception {
    for (String name : List.of("sambaNTPassword", "descendant", "authPassword", "pwdHistory")) {
      int none = found(ann, Filter.createEqualityFilter(name, "tellTale"));
      assertThat(none).isZero();
    }
    Path log = folder.resolve("logs/access.log");
    eventually("logged", () -> Files.readString(log).contains("(pwdHistory=hidden)"));
    assertThat(Files.readString(log))
        .contains("(sambaNTPassword=hidden)", "(descendant=hidden)", "(authPassword=hidden)")
        .doesNotContain("tellTale");
  }

  @Test
  void shouldBeVisibleIfTheConfigurationTakesThemFromTheList() throws Exception {
    stop();
    Path file = folder.resolve("test.conf");
    Files.writeString(
        file, Files.readString(file) + "\nnyala.secretAttributes = [authPassword, userPassword]\n");
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
    ann = LocalServer.connect(server);
    ann.bind(ANN, "secret");
    assertThat(ann.getEntry(ANN).getAttributeValue("sambaNTPassword")).isEqualTo(HASH);
    assertThat(ann.getEntry(ANN).hasAttribute("authPassword")).isFalse();
    assertThat(ann.getEntry(ANN).hasAttribute("userPassword")).isFalse();
  }
}
